"""What is left behind when the leaf moves to another branch, and its summary."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from pi_lsp.compaction.context_size import ContextMeter
from pi_lsp.compaction.conversation_text import conversation_texts
from pi_lsp.compaction.file_lists import file_lists
from pi_lsp.compaction.limits import LARGEST_SHARE
from pi_lsp.compaction.summary import Ask, Summariser, sum_of, summary_limits
from pi_lsp.compaction.tokens import CountedMessage
from pi_lsp.llm.provider import Model
from pi_lsp.messages import JsonObject, ThinkingLevel, Usage
from pi_lsp.settings import BranchSummarySettings


@dataclass(frozen=True)
class BranchSummary:
    """What stands in a branch summary's entry, besides its origin and its place."""

    summary: str
    details: JsonObject
    usage: Usage


def left_behind(
    context: Sequence[CountedMessage], new_path: Container[str]
) -> list[CountedMessage]:
    """The messages of the old branch that the new one does not hold, oldest first.

    Args:
        context: the model's context at the old leaf.
        new_path: the ids of the entries from the root to the new leaf.
    """
    return [item for item in context if item.entry_id not in new_path]


async def summarise_branch(
    messages: Sequence[CountedMessage],
    meter: ContextMeter,
    ask: Ask,
    *,
    model: Model,
    settings: BranchSummarySettings,
    details_of: Callable[[str], JsonObject],
    thinking_level: ThinkingLevel = "off",
    instructions: str | None = None,
) -> BranchSummary | None:
    """A summary of what is left behind: of its newest part, as much as one request holds.

    Nothing is stored here, and the leaf is not moved.

    Args:
        messages: as `left_behind` gives them.
        details_of: the `details` of the entry of a summary, `{}` when it has none.

    Returns:
        None when nothing that was left behind has anything to say.

    Raises:
        ProviderError: there was no answer, or it is no summary.
    """
    texts = await meter.counter.in_background(
        lambda: conversation_texts(item.message for item in messages)
    )
    if not texts:
        return None
    earlier = [
        details_of(item.entry_id)
        for item in messages
        if item.message["role"] in ("compactionSummary", "branchSummary")
    ]
    files = file_lists((item.message for item in messages), earlier)
    reserve = min(settings.reserve_tokens, model.context_window // LARGEST_SHARE)
    limits = summary_limits(model, reserve, thinking_level)
    ratio = meter.calibration.ratio(model)
    summariser = Summariser(ask, meter.counter, model, thinking_level, ratio, instructions)
    summary = await summariser.of_newest("branch", texts, limits)
    return BranchSummary(
        summary="\n\n".join(filter(None, (summary, files.text()))),
        details=files.details(),
        usage=sum_of(summariser.usages),
    )
