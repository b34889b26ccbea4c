"""Blocking work (disk, searches) in threads of its own, so that it never stops an abort."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")

_STOP_WAIT_S = 0.5
"""How long a cancelled call waits for its thread to end what it had begun."""


class Stopped(Exception):
    """The work was stopped from outside; only its own thread ever sees this."""


class StopFlag:
    """Tells work in a thread to stop; what it waits for is ended by a callback."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._callbacks: list[Callable[[], None]] = []

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Call this when stopped, at once if that has happened already."""
        with self._lock:
            if not self._stopped:
                self._callbacks.append(callback)
                return
        callback()

    def check(self) -> None:
        """Call often in long work.

        Raises:
            Stopped: somebody stopped it.
        """
        if self._stopped:
            raise Stopped


@cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=16, thread_name_prefix="pi-tools")


async def in_thread(work: Callable[[StopFlag], T]) -> T:
    """Run `work` in a thread; cancelling stops it by its flag and waits for it a moment."""
    flag = StopFlag()
    future = asyncio.get_running_loop().run_in_executor(_executor(), work, flag)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        flag.stop()
        future.add_done_callback(_retrieve)
        await asyncio.wait([future], timeout=_STOP_WAIT_S)
        raise


def _retrieve(future: asyncio.Future[T]) -> None:
    """Look at the outcome of abandoned work, so that asyncio does not report it as unseen."""
    if not future.cancelled():
        future.exception()
