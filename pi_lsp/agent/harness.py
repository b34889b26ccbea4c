"""The agent of one folder: its phase, its queues, its runs and operations.

The harness decides what may happen when (the table of phases in docs/protocol.md) and starts it;
`run` carries a run out, `branches`, `compactor` and `shell_command` do the rest. The session is
the only truth: the harness keeps no second copy of the conversation.

Everything here happens on the event loop. Where a method gives up the loop between a check and
what it checked for, it checks again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Literal

from pi_lsp.agent.assembly import Assembly
from pi_lsp.agent.branches import Branches, Forked, Navigated
from pi_lsp.agent.compactor import Compacted, Compactor
from pi_lsp.agent.environment import Environment
from pi_lsp.agent.events import (
    ApprovalModeChanged,
    Event,
    ModelChanged,
    QueueItem,
    Queues,
    SessionInfoChanged,
    ThinkingLevelChanged,
)
from pi_lsp.agent.input import Accepted, UserInput, accept
from pi_lsp.agent.parts import RunParts
from pi_lsp.agent.phases import Phase, Phases
from pi_lsp.agent.queues import QueueName
from pi_lsp.agent.runs import AbortReport, Runs
from pi_lsp.agent.shell_command import run_shell_command
from pi_lsp.agent.state import AgentState, ModelInfo, agent_state, can_continue
from pi_lsp.errors import InvalidStateError, PiError, StorageError
from pi_lsp.messages import BashExecutionMessage, ThinkingLevel
from pi_lsp.session import Session
from pi_lsp.settings import ApprovalMode, QueueMode

log = logging.getLogger(__name__)

QueueWhenBusy = Literal["steer", "followUp"]
Disposition = Literal["started", "queued"]


class Harness:
    """Runs the agent on the folder's session.

    `adopt` gives it a session before anything else is called.

    Args:
        environment: what the folder gives; may be changed with `configure`.
        emit: gets every event, in order; it must not block.
    """

    def __init__(self, environment: Environment, emit: Callable[[Event], None]) -> None:
        self._environment = environment
        self._emit = emit
        self._phases = Phases(lambda: self._runs.after_operation(), self._tell_session)
        self._assembly = Assembly(environment, emit)
        self._parts: RunParts | None = None
        self._open_runs: Runs | None = None

    # The session

    @property
    def parts(self) -> RunParts:
        if self._parts is None:
            raise AssertionError("the harness has no session yet")
        return self._parts

    @property
    def _runs(self) -> Runs:
        if self._open_runs is None:
            raise AssertionError("the harness has no session yet")
        return self._open_runs

    @property
    def session(self) -> Session:
        return self.parts.session

    @property
    def phase(self) -> Phase:
        return self._phases.phase

    @property
    def warnings(self) -> list[str]:
        """What a person should know of this session; a sentence each."""
        warning = self._assembly.warning
        return [*self.session.warnings, *([warning] if warning else [])]

    async def adopt(self, session: Session) -> None:
        """Work on this session from now on; the one before is closed.

        Raises:
            BusyError: something runs.
        """
        async with self._phases.switching():
            before = self._parts
            self._parts = await self._assembly.parts_for(session)
            self._open_runs = Runs(self._parts, self._phases)
            if before is not None:
                await before.close()
        self.parts.context_use.measure_soon()

    async def close(self) -> None:
        """Stop what runs, write what is left, and let go of the session.

        What is queued stays in the file: it is given back when the session is opened again.
        """
        if self._parts is not None:
            await self._runs.close()
            await self._parts.close()

    def configure(self, environment: Environment) -> None:
        """Take new settings, tools, keys or context files; they hold from the next request on."""
        self._environment = environment
        model = self._assembly.choice.model
        self._assembly.configure(environment, self._parts)
        if self._assembly.choice.model != model:
            self._tell_model()

    # Runs

    async def prompt(
        self, given: UserInput, *, when_busy: QueueWhenBusy | None = None, at: str | None = None
    ) -> Disposition:
        """Send a message: it starts a run, or is queued where `when_busy` says so.

        Args:
            at: the entry to go to first, as `navigate` does, in one step.

        Raises:
            BusyError: something runs, and `when_busy` does not say what to do then.
            NotFoundError: there is no entry `at`.
            AuthError: the model has no key.
            PiError: an attachment cannot be read.
        """
        if not self._phases.is_idle and when_busy is not None and at is None:
            await self._enqueue(when_busy, given)
            return "queued"
        self._phases.require_idle()
        accepted = await accept(given, self._environment.attach)
        self.session.require_writable()
        self.take_in()
        self.parts.choice.require_usable()
        self._phases.require_idle()
        if at is not None:
            self.branches.move_at_once(at)
            self._follow_path()
        self._start(accepted)
        return "started"

    async def continue_(self) -> None:
        """Run on from the leaf without a new message.

        Raises:
            BusyError: something runs.
            InvalidStateError: there is nothing to go on with.
            AuthError: the model has no key.
        """
        self._phases.require_idle()
        self.take_in()
        if not can_continue(self.session):
            raise InvalidStateError("There is nothing to go on with: send a message instead.")
        self.session.require_writable()
        self.parts.choice.require_usable()
        self._start(None)

    async def steer(self, given: UserInput) -> QueueItem:
        """Queue a message for the model's next call.

        Raises:
            InvalidStateError: nothing runs that could be steered.
        """
        self._require_not_idle("steered")
        return await self._enqueue("steer", given)

    async def follow_up(self, given: UserInput) -> QueueItem:
        """Queue a message for when the agent would stop.

        Raises:
            InvalidStateError: nothing runs that it could follow.
        """
        self._require_not_idle("followed up")
        return await self._enqueue("followUp", given)

    async def next_turn(self, given: UserInput) -> QueueItem:
        """Queue a message that goes before the next prompt."""
        self.session.require_writable()
        return await self._enqueue("nextTurn", given)

    @property
    def queues(self) -> Queues:
        return self.parts.queues.as_wire()

    async def unqueue(self, item_id: str) -> bool:
        """Take a queued message back; False when it was delivered already."""
        removed = self.parts.queues.remove(item_id)
        await self._write_when_idle()
        return removed

    async def clear_queue(self) -> tuple[list[QueueItem], list[QueueItem]]:
        """Empty steer and followUp, and give what they held."""
        steer, follow_up = self.parts.queues.clear()
        await self._write_when_idle()
        return steer, follow_up

    async def abort(self) -> AbortReport:
        """Stop what runs, and give back what was queued; returns once the phase is idle."""
        return await self._runs.abort()

    async def stop(self) -> None:
        """Stop what runs, where nobody takes back what was queued: that stays queued, and
        after an operation it runs."""
        await self._runs.stop()

    async def wait_for_idle(self, timeout_ms: int | None = None) -> Phase:
        """Wait until nothing runs, at most so many ms; returns the phase then."""
        return await self._phases.wait_for_idle(timeout_ms)

    # Operations

    @property
    def branches(self) -> Branches:
        return Branches(self.parts, self._phases, self._moved)

    def navigate(
        self,
        entry_id: str | None,
        *,
        summarize: bool = False,
        instructions: str | None = None,
        label: str | None = None,
    ) -> Awaitable[Navigated]:
        """Switch branch; see `Branches.navigate`."""
        self.session.require_writable()
        return self.branches.navigate(
            entry_id, summarize=summarize, instructions=instructions, label=label
        )

    async def fork(self, entry_id: str, position: Literal["before", "at"] = "before") -> Forked:
        """Fork a new session and work on it; see `Branches.fork`."""
        forked = await self.branches.fork(entry_id, position)
        await self.adopt(forked.session)
        return forked

    async def clone(self) -> Forked:
        """Copy the active path into a new session and work on it; see `Branches.clone`."""
        forked = await self.branches.clone()
        await self.adopt(forked.session)
        return forked

    def compact(self, instructions: str | None = None) -> Awaitable[Compacted]:
        """Begin to compact the conversation by hand; see `Compactor.by_hand`.

        Raises:
            BusyError: something runs.
        """
        self.session.require_writable()
        compactor = Compactor(self.parts)
        return self._phases.operate(
            "compaction", lambda interrupt: compactor.by_hand(instructions, interrupt)
        )

    def bash(
        self, command: str, *, exclude_from_context: bool = False
    ) -> Awaitable[BashExecutionMessage]:
        """Begin a command of the person's, which is recorded; see `run_shell_command`.

        Raises:
            BusyError: something runs.
        """
        self.session.require_writable()
        return self._phases.operate(
            "bash",
            lambda interrupt: run_shell_command(
                self.parts, command, exclude_from_context=exclude_from_context, interrupt=interrupt
            ),
        )

    # Choices

    async def set_model(self, provider: str, model_id: str) -> ModelInfo:
        """Choose the model of the next request; see `ModelChoice.choose_model`."""
        level = self.parts.choice.level
        self.parts.choice.choose_model(provider, model_id)
        self._tell_model()
        self._tell_level(level)
        await self._write_when_idle()
        await self.parts.context_use.measure()
        return self._model_info()

    async def set_thinking_level(self, level: ThinkingLevel) -> ThinkingLevel:
        """Choose how long the model thinks; returns the nearest level that it takes."""
        before = self.parts.choice.level
        chosen = self.parts.choice.choose_level(level)
        self._tell_level(before)
        await self._write_when_idle()
        return chosen

    def set_queue_modes(
        self, steering: QueueMode | None, follow_up: QueueMode | None
    ) -> tuple[QueueMode, QueueMode]:
        """Set how many messages are taken at once; None leaves a mode as it is."""
        self._assembly.set_queue_modes(self.parts, steering, follow_up)
        queues = self.parts.queues
        return queues.steering_mode, queues.follow_up_mode

    def set_auto_compaction(self, enabled: bool) -> bool:
        """Whether a conversation that gets too long is compacted by itself."""
        self._assembly.set_auto_compaction(self.parts, enabled)
        return enabled

    def set_approval_mode(self, mode: ApprovalMode) -> ApprovalMode:
        """Set what runs without asking."""
        self._environment.approval.mode = mode
        self._emit(ApprovalModeChanged(mode=mode))
        return mode

    async def label(self, entry_id: str, label: str | None) -> None:
        """Put a label on an entry; None or an empty one takes it away.

        Raises:
            NotFoundError: there is no such entry.
        """
        self.session.require_writable()
        self.session.entry(entry_id)
        self.parts.pending.append(lambda: self.parts.recorder.label(entry_id, label))
        await self._write_when_idle()

    async def rename(self, name: str) -> None:
        """Name the session; an empty name takes it away."""
        self.session.require_writable()
        parts = self.parts

        def write() -> None:
            parts.recorder.name(name)
            self._emit(SessionInfoChanged(name=parts.session.name))

        parts.pending.append(write)
        await self._write_when_idle()

    def take_in(self) -> None:
        """Take in what another program (pi in a terminal) appended to the file, and tell of it.

        Raises:
            StorageError: the file cannot be read.
        """
        leaf_id = self.session.leaf_id
        self.parts.recorder.take_in()
        if self.session.leaf_id != leaf_id:
            self._follow_path()

    def look(self) -> None:
        """As `take_in`, for those who only look: a fault of the disk is told of with the next
        write, and until then what is known is shown. What has come of an answer is told of first,
        for `state` shows it too."""
        self.parts.calls.draft.flush()
        try:
            self.take_in()
        except StorageError as fault:
            log.warning("%s", fault.message)

    def state(self) -> AgentState:
        """What a client draws itself from, now."""
        return agent_state(
            self.parts, self._phases.phase, self._environment, self._assembly.recovered
        )

    # Inside

    def _start(self, prompt: Accepted | None) -> None:
        self._assembly.recovered = None
        self._runs.start(prompt)

    async def _enqueue(self, name: QueueName, given: UserInput) -> QueueItem:
        item = await self._runs.enqueue(name, given, self._environment.attach)
        try:
            await self._write_when_idle()
        except PiError:
            # Who is told that it failed will send it again.
            self.parts.queues.remove(item.id)
            raise
        return item

    async def _write_when_idle(self) -> None:
        """Write what waits; while something runs its next save point does that.

        What is queued is written at once all the same, as a save point may be long in coming. A
        session that is not on disk yet stays so until there is something to keep.
        """
        parts = self.parts
        if self.session.read_only:
            return
        if not self._phases.is_idle:
            if self.session.on_disk:
                parts.write_queues()
            return
        if self.session.on_disk or parts.pending or parts.queues.waiting("nextTurn"):
            await parts.write_pending()

    async def _moved(self) -> None:
        self._follow_path()
        await self.parts.context_use.measure()

    def _follow_path(self) -> None:
        """Take the model and the thinking level of the path that is active now."""
        choice = self.parts.choice
        model, level = choice.model, choice.level
        self._assembly.follow_path(self.parts)
        if choice.model != model:
            self._tell_model()
        self._tell_level(level)

    def _tell_model(self) -> None:
        self._emit(ModelChanged(model=self._model_info().to_wire()))

    def _tell_level(self, before: ThinkingLevel) -> None:
        if (level := self._assembly.choice.level) != before:
            self._emit(ThinkingLevelChanged(level=level))

    def _model_info(self) -> ModelInfo:
        return ModelInfo.of(self._assembly.choice.model, self._environment.providers)

    def _require_not_idle(self, done: str) -> None:
        if self._phases.is_idle:
            raise InvalidStateError(f"Nothing runs that could be {done}: send it as a prompt.")

    def _tell_session(self, idle: bool) -> None:
        """While the agent works, what another program appends must not move the leaf."""
        self.session.idle = idle
