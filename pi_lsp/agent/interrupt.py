"""One switch that stops whatever a run or an operation is waiting for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Aborted(Exception):
    """The person stopped the work. It is caught where what was done so far is recorded."""


class Interrupt:
    """Stops guarded work when it is asked to; work that was not guarded goes on to its end.

    So a stream or a tool is cut, and an append to the session never is.

    Attributes:
        stop: set when the abort is requested, for work that ends itself.
    """

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def requested(self) -> bool:
        return self.stop.is_set()

    def request(self) -> None:
        """Cancel all guarded work, now and from now on."""
        self.stop.set()
        for task in self._tasks:
            task.cancel()

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work`, unless or until an abort is requested.

        Raises:
            Aborted: it was stopped, or never begun.
        """
        if self.requested:
            work.close()
            raise Aborted
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self.requested:
                raise Aborted from None
            raise
        finally:
            self._tasks.discard(task)
