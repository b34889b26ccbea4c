"""Ctrl-C as something that a program answers, in place of an exception somewhere."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def on_ctrl_c(act: Callable[[], None]) -> Generator[None]:
    """Call `act` in the running event loop at each Ctrl-C, while the block runs."""
    loop = asyncio.get_running_loop()

    def on_signal(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
