"""Compacts the conversation when it is asked to, gets too long, or proved too long.

What is summarised and what is kept is `pi_lsp.compaction`'s business; this decides when, tells of
it, and writes the entry. A compaction that fails or is stopped writes nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from pi_lsp.agent.events import CompactionEnd, CompactionReason, CompactionStart
from pi_lsp.agent.interrupt import Interrupt
from pi_lsp.agent.measured import details_of, measured_context
from pi_lsp.agent.parts import RunParts
from pi_lsp.compaction.compact import Compaction, CompactionPlan, plan_compaction, run_compaction
from pi_lsp.compaction.context_size import left_no_room
from pi_lsp.compaction.limits import limits_for
from pi_lsp.errors import NothingToCompactError, PiError, ProviderError
from pi_lsp.llm.provider import Request
from pi_lsp.messages import AssistantMessage, JsonObject

log = logging.getLogger(__name__)

STILL_TOO_LONG = (
    "The conversation is too long for the model, and compacting it did not help: {why} "
    "Choose a model with a larger window, go back to an earlier point, or start a new session."
)


@dataclass(frozen=True)
class Compacted:
    """A compaction that was written; tokens before and, by estimate, after."""

    entry_id: str
    summary: str
    first_kept_entry_id: str | None
    tokens_before: int
    estimated_tokens_after: int

    def to_wire(self) -> JsonObject:
        return {
            "entryId": self.entry_id,
            "summary": self.summary,
            "firstKeptEntryId": self.first_kept_entry_id,
            "tokensBefore": self.tokens_before,
            "estimatedTokensAfter": self.estimated_tokens_after,
        }


class Compactor:
    """Compacts the session of some parts."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def by_hand(self, instructions: str | None, interrupt: Interrupt) -> Compacted:
        """Compact now.

        Raises:
            NothingToCompactError: all of it is recent.
            ProviderError: the summary failed; nothing was written.
            Aborted: it was stopped; nothing was written.
        """
        return await self._compact("manual", interrupt, instructions)

    async def if_needed(self, interrupt: Interrupt) -> None:
        """Compact when the threshold is crossed and compaction is automatic.

        A compaction that fails is told of; the run goes on with what there is room for.

        Raises:
            Aborted: it was stopped; nothing was written.
        """
        parts = self._parts
        if not parts.auto_compaction:
            return
        limits = limits_for(parts.choice.model, parts.settings.compaction)
        if not limits.crossed_by(await parts.context_use.measure()):
            return
        try:
            await self._compact("threshold", interrupt, must_shrink=True)
        except NothingToCompactError:
            log.info("the context is over the threshold, and nothing of it can be compacted")
        except ProviderError as fault:
            log.warning("the compaction failed: %s", fault.message)

    async def after_overflow(self, interrupt: Interrupt) -> None:
        """Compact because the model found the request too long.

        Raises:
            ProviderError: that did not work; says what to do.
            Aborted: it was stopped; nothing was written.
        """
        if not self._parts.auto_compaction:
            raise ProviderError(
                "The conversation is too long for the model: compact it, or switch automatic "
                "compaction on."
            )
        try:
            await self._compact("overflow", interrupt, must_shrink=True)
        except (NothingToCompactError, ProviderError) as fault:
            raise ProviderError(STILL_TOO_LONG.format(why=fault.message)) from fault

    def left_no_room(self, answer: AssistantMessage) -> bool:
        """Whether an answer was cut because the window was full."""
        return left_no_room(answer, self._parts.choice.model)

    async def _compact(
        self,
        reason: CompactionReason,
        interrupt: Interrupt,
        instructions: str | None = None,
        *,
        must_shrink: bool = False,
    ) -> Compacted:
        parts = self._parts
        # Planned before it is told of: where there is nothing to compact, nothing has begun.
        plan = await interrupt.guard(self._planned(must_shrink=must_shrink))
        parts.compacting = reason
        parts.emit(CompactionStart(reason=reason))
        end = CompactionEnd(reason=reason, aborted=True)
        try:
            compaction = await interrupt.guard(self._summarised(plan, interrupt, instructions))
            compacted = await self._written(compaction)
            end = CompactionEnd(reason=reason, result=compacted.to_wire(), aborted=False)
            return compacted
        except PiError as fault:
            end = CompactionEnd(reason=reason, aborted=False, error=fault.message)
            raise
        finally:
            parts.compacting = None
            parts.emit(end)

    async def _planned(self, *, must_shrink: bool) -> CompactionPlan:
        parts = self._parts
        return await plan_compaction(
            parts.context_use.meter,
            measured_context(parts),
            limits_for(parts.choice.model, parts.settings.compaction),
            lambda entry_id: details_of(parts.session, entry_id),
            thinking_level=parts.choice.level,
            must_shrink=must_shrink,
        )

    async def _summarised(
        self, plan: CompactionPlan, interrupt: Interrupt, instructions: str | None
    ) -> Compaction:
        calls = self._parts.calls

        async def ask(request: Request) -> AssistantMessage:
            return await calls.aside(request, interrupt)

        return await run_compaction(plan, self._parts.context_use.meter, ask, instructions)

    async def _written(self, compaction: Compaction) -> Compacted:
        parts = self._parts
        entry_id = parts.recorder.compaction(
            summary=compaction.summary,
            first_kept_entry_id=compaction.first_kept_entry_id,
            tokens_before=compaction.tokens_before,
            details=compaction.details,
            usage=compaction.usage,
        )
        await parts.recorder.sync()
        await parts.context_use.measure()
        return Compacted(
            entry_id=entry_id,
            summary=compaction.summary,
            first_kept_entry_id=parts.session.entry(entry_id).data.get("firstKeptEntryId"),
            tokens_before=compaction.tokens_before,
            estimated_tokens_after=compaction.estimated_tokens_after,
        )
