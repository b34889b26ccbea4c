"""One run: from a message to the moment when the agent has nothing more to do.

The steps stand in docs/protocol.md ("A run"). What a run does not do: decide whether it may
begin, and what comes after it; that is the harness.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pi_lsp.agent.compactor import Compactor
from pi_lsp.agent.events import AgentEnd, AgentStart, SavePoint, TurnEnd, TurnStart
from pi_lsp.agent.input import Accepted
from pi_lsp.agent.interrupt import Aborted, Interrupt
from pi_lsp.agent.measured import measured_context
from pi_lsp.agent.open_calls import close_open_calls
from pi_lsp.agent.parts import RunParts
from pi_lsp.agent.queues import QueueName
from pi_lsp.errors import PiError, ProviderError
from pi_lsp.llm.answer import Answer
from pi_lsp.llm.provider import Request
from pi_lsp.messages import AssistantMessage, ToolResultMessage, tool_calls

CUT_CALL = (
    "This call was not run: the answer reached its length limit, so the call may be incomplete. "
    "Send it again, in smaller pieces."
)


@dataclass(frozen=True)
class Incoming:
    """A message on its way into the session, and where it goes back to if that fails."""

    accepted: Accepted
    origin: QueueName


@dataclass(frozen=True)
class RunEnd:
    """How a run ended; both false for one that came to its own end."""

    aborted: bool = False
    error: str | None = None


@dataclass
class Run:
    """Carries one run out.

    Args:
        first: what is delivered in the first turn, in this order.
    """

    parts: RunParts
    interrupt: Interrupt
    first: list[Incoming]
    _must_answer: bool = False
    _entry_ids: list[str] = field(default_factory=list[str])

    async def carry_out(self) -> RunEnd:
        """All turns of the run.

        Raises:
            StorageError: the session could not be written; what was not delivered is queued.
        """
        self.parts.emit(AgentStart())
        try:
            end = await self._turns()
        finally:
            # Whatever went wrong, those who watch hear the end.
            self.parts.emit(AgentEnd(entry_ids=self._entry_ids))
        return await self._compacted(end) if end == RunEnd() else end

    async def _turns(self) -> RunEnd:
        end: RunEnd | None = None
        incoming = self.first
        while end is None:
            end = await self._turn(incoming)
            incoming = [] if end is not None else self._taken_steers()
            if end is None and not incoming and not self._must_answer:
                incoming = self._taken_follow_ups()
                if not incoming:
                    end = RunEnd()
        return end

    async def _turn(self, incoming: list[Incoming]) -> RunEnd | None:
        """One answer with its tool calls; how the run ended, if it did."""
        self._must_answer = False
        self.parts.emit(TurnStart())
        entry_id: str | None = None
        result_ids: list[str] = []
        try:
            await self._deliver(incoming)
            await Compactor(self.parts).if_needed(self.interrupt)
            entry_id, message, end = await self._answer()
            results = await self._results(message)
            result_ids = [self._record(result) for result in results]
            self._must_answer = bool(result_ids)
        except Aborted:
            end = RunEnd(aborted=True)
        self.parts.emit(TurnEnd(entry_id=entry_id, tool_result_ids=result_ids))
        await self.parts.write_pending()
        self.parts.emit(SavePoint())
        await self.parts.context_use.measure()
        if end is None and self.interrupt.requested:
            end = RunEnd(aborted=True)
        return end

    async def _deliver(self, incoming: list[Incoming]) -> None:
        """Write the messages, and wait until they are on the disk, before anybody is asked."""
        self._entry_ids += close_open_calls(self.parts)
        self.parts.write_choice()
        for index, one in enumerate(incoming):
            try:
                self._entry_ids.append(self.parts.recorder.accepted(one.accepted))
            except PiError:
                for lost in reversed(incoming[index:]):
                    self.parts.queues.put_back(lost.origin, [lost.accepted])
                raise
        if incoming:
            await self.parts.recorder.sync()

    async def _answer(self) -> tuple[str, AssistantMessage, RunEnd | None]:
        """Ask until there is an answer, or a reason why there is none; either is recorded."""
        end: RunEnd | None = None
        try:
            message = await self._asked()
            if message["stopReason"] == "error":
                end = RunEnd(error=message.get("errorMessage", "The model gave no answer."))
        except Aborted:
            message = self._draft().message("aborted")
            end = RunEnd(aborted=True)
        except ProviderError as fault:
            message = self._draft().message("error")
            message["errorMessage"] = fault.message
            end = RunEnd(error=fault.message)
        announced = self.parts.calls.draft.close()
        entry_id = self._record(message, announced=announced)
        self.parts.path_model = (message["provider"], message["model"])
        return entry_id, message, end

    async def _asked(self) -> AssistantMessage:
        """The answer; a context that proves too long is compacted once and asked again.

        Raises:
            ProviderError: no answer was to be had.
            Aborted: it was stopped.
        """
        compactor = Compactor(self.parts)
        try:
            message = await self._ask_once()
            if not compactor.left_no_room(message):
                return message
        except ProviderError as fault:
            if not fault.overflow:
                raise
        await compactor.after_overflow(self.interrupt)
        return await self._ask_once()

    async def _ask_once(self) -> AssistantMessage:
        parts = self.parts
        context = measured_context(parts)
        request = Request(
            model=context.model,
            system=context.system,
            messages=[one.message for one in context.messages],
            tools=list(context.tools),
            thinking_level=parts.choice.level,
        )
        message = (await parts.calls.answer(request, self.interrupt)).message()
        parts.context_use.learn(context, message)
        return message

    async def _results(self, message: AssistantMessage) -> list[ToolResultMessage]:
        calls = tool_calls(message)
        if not calls:
            return []
        if message["stopReason"] == "length":
            return self.parts.tools.refuse(calls, CUT_CALL)
        return await self.parts.tools.run(calls, self.interrupt)

    async def _compacted(self, end: RunEnd) -> RunEnd:
        """The compaction after the last turn, if the threshold was crossed."""
        try:
            await Compactor(self.parts).if_needed(self.interrupt)
        except Aborted:
            return RunEnd(aborted=True)
        return end

    def _draft(self) -> Answer:
        answer = self.parts.calls.draft.answer
        if answer is None:
            raise AssertionError("a request that was made has a draft")
        return answer

    def _record(
        self, message: AssistantMessage | ToolResultMessage, *, announced: bool = False
    ) -> str:
        entry_id = self.parts.recorder.message(message, announced=announced)
        self._entry_ids.append(entry_id)
        return entry_id

    def _taken_steers(self) -> list[Incoming]:
        return [Incoming(one, "steer") for one in self.parts.queues.take_steers()]

    def _taken_follow_ups(self) -> list[Incoming]:
        return [Incoming(one, "followUp") for one in self.parts.queues.take_follow_ups()]
