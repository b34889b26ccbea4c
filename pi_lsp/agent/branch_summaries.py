"""Summarises what a switch of branch leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

from pi_lsp.agent.events import BranchSummaryEnd, BranchSummaryStart
from pi_lsp.agent.interrupt import Interrupt
from pi_lsp.agent.measured import details_of
from pi_lsp.agent.parts import RunParts
from pi_lsp.compaction.branch_summary import BranchSummary, left_behind, summarise_branch
from pi_lsp.errors import PiError
from pi_lsp.llm.provider import Request
from pi_lsp.messages import AssistantMessage


@dataclass(frozen=True)
class LeftBranch:
    """A summary that is not written yet; `from_id` is the leaf that was left, None for the root."""

    from_id: str | None
    summary: BranchSummary


class BranchSummaries:
    """Writes branch summaries into the session of some parts."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def summarise(
        self, new_leaf_id: str | None, instructions: str | None, interrupt: Interrupt
    ) -> LeftBranch | None:
        """Summarise from the leaf back to where the new leaf's path leaves this one.

        Returns:
            None when nothing that is left behind has anything to say.

        Raises:
            ProviderError: the summary failed.
            Aborted: it was stopped.
        """
        parts = self._parts
        parts.emit(BranchSummaryStart())
        end = BranchSummaryEnd(aborted=True)
        try:
            summary = await interrupt.guard(self._asked(new_leaf_id, instructions, interrupt))
            end = BranchSummaryEnd(aborted=False)
        except PiError as fault:
            end = BranchSummaryEnd(aborted=False, error=fault.message)
            raise
        finally:
            parts.emit(end)
        return None if summary is None else LeftBranch(parts.session.visible_leaf_id, summary)

    def record(self, left: LeftBranch) -> str:
        """Append the summary at the leaf, which has moved by now; returns the entry's id."""
        return self._parts.recorder.branch_summary(
            from_id=left.from_id,
            summary=left.summary.summary,
            details=left.summary.details,
            usage=left.summary.usage,
        )

    async def _asked(
        self, new_leaf_id: str | None, instructions: str | None, interrupt: Interrupt
    ) -> BranchSummary | None:
        parts = self._parts
        session = parts.session
        new_path = {entry.id for entry in session.path(new_leaf_id)} if new_leaf_id else set[str]()

        async def ask(request: Request) -> AssistantMessage:
            return await parts.calls.aside(request, interrupt)

        return await summarise_branch(
            left_behind(session.context().messages, new_path),
            parts.context_use.meter,
            ask,
            model=parts.choice.model,
            settings=parts.settings.branch_summary,
            details_of=lambda entry_id: details_of(session, entry_id),
            thinking_level=parts.choice.level,
            instructions=instructions,
        )
