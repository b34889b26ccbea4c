"""Starts runs: for a prompt, for what was queued, and again for what came in too late."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from pi_lsp.agent.events import ErrorEvent, QueueItem, Settled
from pi_lsp.agent.input import Accepted, Attach, UserInput
from pi_lsp.agent.interrupt import Interrupt
from pi_lsp.agent.parts import RunParts
from pi_lsp.agent.phases import Phases
from pi_lsp.agent.queues import QueueName
from pi_lsp.agent.run import Incoming, Run, RunEnd
from pi_lsp.errors import PiError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AbortReport:
    """Whether something was stopped, and what was queued: it goes back to the person."""

    aborted: bool
    steer: list[QueueItem]
    follow_up: list[QueueItem]


class Runs:
    """The runs on one session, one at a time.

    Args:
        phases: the folder's.
    """

    def __init__(self, parts: RunParts, phases: Phases) -> None:
        self._parts = parts
        self._phases = phases
        self._task: asyncio.Task[None] | None = None
        self._queued_during_operation = False
        self._closed = False

    def start(self, prompt: Accepted | None) -> None:
        """Begin a run.

        Its first turn takes, in this order: what waits for the next turn (only a prompt takes
        it), the prompt, and the steers that were left from an earlier run.

        Raises:
            BusyError: something runs.
        """
        interrupt = self._phases.begin("turn")
        queues = self._parts.queues
        first: list[Incoming] = []
        if prompt is not None:
            first += [Incoming(one, "nextTurn") for one in queues.take_next_turn()]
            first.append(Incoming(prompt, "nextTurn"))
        first += [Incoming(one, "steer") for one in queues.take_steers()]
        self._task = asyncio.ensure_future(self._run(first, interrupt))

    def after_operation(self) -> None:
        """An operation has ended: what was queued during it runs now."""
        queued, self._queued_during_operation = self._queued_during_operation, False
        if queued and not self._closed and self._parts.queues.has_work():
            interrupt = self._phases.begin("turn")
            self._task = asyncio.ensure_future(self._run(self._take_waiting(), interrupt))

    async def enqueue(self, name: QueueName, given: UserInput, attach: Attach) -> QueueItem:
        """Queue a message.

        Raises:
            PiError: an attachment cannot be read.
        """
        item = await self._parts.queues.add(name, given, attach)
        if name != "nextTurn" and self._phases.phase != "turn":
            self._queued_during_operation = True
            if self._phases.is_idle:
                # What ran has ended while the attachments were read.
                self.after_operation()
        return item

    async def abort(self) -> AbortReport:
        """Stop what runs, and give back what was queued; returns once the phase is idle."""
        interrupt = self._phases.interrupt
        if interrupt is None:
            return AbortReport(False, [], [])
        steer, follow_up = self._parts.queues.clear()
        interrupt.request()
        await self._phases.wait_for_idle()
        return AbortReport(True, steer, follow_up)

    async def stop(self) -> None:
        """Stop what runs, with nobody to give back what was queued to: it stays queued, and
        after an operation it runs."""
        if self._phases.interrupt is not None:
            self._phases.interrupt.request()
        await self._phases.wait_for_idle()

    async def close(self) -> None:
        """Stop what runs, and begin nothing more; what is queued stays in the session."""
        self._closed = True
        await self.stop()

    async def _run(self, first: list[Incoming], interrupt: Interrupt) -> None:
        # The answer to the request that started this goes out before the first event.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        end = await self._run_once(first, interrupt)
        while end == RunEnd() and self._parts.queues.has_work():
            # It was queued when the run had looked for the last time.
            end = await self._run_once(self._take_waiting(), interrupt)
        self._phases.end()
        self._parts.emit(self._settled(end))

    async def _run_once(self, first: list[Incoming], interrupt: Interrupt) -> RunEnd:
        try:
            return await Run(self._parts, interrupt, first).carry_out()
        except PiError as fault:
            return self._failed(fault.code, fault.message)
        except Exception as fault:
            # A defect of ours must leave the folder usable: the log has all of it.
            log.exception("the run failed")
            kind = type(fault).__name__
            return self._failed("internal", f"The run failed unexpectedly ({kind}): see the log.")
        finally:
            self._parts.calls.draft.close()

    def _failed(self, code: str, message: str) -> RunEnd:
        self._parts.emit(ErrorEvent(code=code, message=message))
        return RunEnd(error=message)

    def _settled(self, end: RunEnd) -> Settled:
        waiting = len(self._parts.queues.waiting("nextTurn"))
        if end.error is None:
            return Settled(aborted=end.aborted, next_turn_count=waiting)
        return Settled(aborted=end.aborted, error=end.error, next_turn_count=waiting)

    def _take_waiting(self) -> list[Incoming]:
        """Steers first; follow-ups when there are none."""
        queues = self._parts.queues
        steers = [Incoming(one, "steer") for one in queues.take_steers()]
        return steers or [Incoming(one, "followUp") for one in queues.take_follow_ups()]
