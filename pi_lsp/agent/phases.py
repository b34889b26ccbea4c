"""Which operation runs: one at a time, and everything else waits, queues or is refused."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal, TypeVar

from pi_lsp.agent.interrupt import Interrupt
from pi_lsp.errors import BusyError

log = logging.getLogger(__name__)

T = TypeVar("T")

Phase = Literal["idle", "turn", "compaction", "branch_summary", "bash"]

_DOING: dict[Phase, str] = {
    "turn": "The agent is working",
    "compaction": "The conversation is being compacted",
    "branch_summary": "A branch is being summarised",
    "bash": "A command is running",
}


class Phases:
    """The phase of one folder's agent.

    Args:
        after_operation: called when an operation has ended and the phase is idle again.
        on_idle: called with whether the phase is idle now, when that changes.

    Attributes:
        interrupt: stops what runs now; None when idle.
    """

    def __init__(
        self, after_operation: Callable[[], None], on_idle: Callable[[bool], None]
    ) -> None:
        self.phase: Phase = "idle"
        self.interrupt: Interrupt | None = None
        self._after_operation = after_operation
        self._on_idle = on_idle
        self._switching = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def is_idle(self) -> bool:
        return self.phase == "idle"

    def require_idle(self) -> None:
        """
        Raises:
            BusyError: something runs; says what.
        """
        if self._switching:
            raise BusyError("The session is being switched: try again in a moment.")
        if not self.is_idle:
            raise BusyError(f"{_DOING[self.phase]}: wait until it is idle, or stop it first.")

    def begin(self, phase: Phase) -> Interrupt:
        """Leave idle; whoever does so must call `end`.

        Raises:
            BusyError: something runs.
        """
        self.require_idle()
        self.phase = phase
        self._idle.clear()
        self._on_idle(False)
        self.interrupt = Interrupt()
        return self.interrupt

    def end(self) -> None:
        """Be idle again."""
        self.phase = "idle"
        self.interrupt = None
        self._on_idle(True)
        self._idle.set()

    def operate(
        self, phase: Phase, work: Callable[[Interrupt], Coroutine[Any, Any, T]]
    ) -> asyncio.Task[T]:
        """Begin an operation now, so that an abort that comes next finds it; the phase is held
        until it ends.

        Raises:
            BusyError: something runs.
        """
        interrupt = self.begin(phase)
        task = asyncio.ensure_future(self._held(work(interrupt)))
        task.add_done_callback(_note_end)
        return task

    @asynccontextmanager
    async def switching(self) -> AsyncGenerator[None]:
        """Keep everything else out while another session takes the place of this one.

        Raises:
            BusyError: something runs.
        """
        self.require_idle()
        self._switching = True
        try:
            yield
        finally:
            self._switching = False

    async def _held(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await work
        finally:
            self.end()
            self._after_operation()

    async def wait_for_idle(self, timeout_ms: int | None = None) -> Phase:
        """Wait until nothing runs, at most so long; returns the phase then."""
        timeout = None if timeout_ms is None else timeout_ms / 1000
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._idle.wait(), timeout)
        return self.phase


def _note_end(task: asyncio.Task[Any]) -> None:
    """Whoever began an operation gets what it raises; but a request that was cancelled waits no
    more, and then asyncio would complain that nobody looked."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.info("an operation ended with %s: %s", type(fault).__name__, fault)
