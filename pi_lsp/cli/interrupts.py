"""Ctrl-C: the first asks for an orderly stop, the second ends at once."""

from __future__ import annotations

import asyncio
import signal
from types import FrameType, TracebackType


class Interrupts:
    """Counts the interrupts while it is entered, in place of KeyboardInterrupt.

    Attributes:
        first, second: set when that many came.
    """

    def __init__(self) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Interrupts:
        self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._loop.call_soon_threadsafe(self._count)

    def _count(self) -> None:
        (self.second if self.first.is_set() else self.first).set()
