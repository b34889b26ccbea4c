"""A compaction: what is to be summarised and what is kept, then the summary that replaces it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pi_lsp.compaction.context_size import ContextMeter, MeasuredContext
from pi_lsp.compaction.conversation_text import conversation_texts
from pi_lsp.compaction.cut_point import CutPoint, find_cut
from pi_lsp.compaction.encoding import count_text
from pi_lsp.compaction.file_lists import FileLists, file_lists, without_lists
from pi_lsp.compaction.limits import Limits
from pi_lsp.compaction.summary import (
    Ask,
    Summariser,
    SummaryLimits,
    sum_of,
    summary_limits,
)
from pi_lsp.compaction.tokens import SUMMARY_TOKENS, CountedMessage
from pi_lsp.errors import NothingToCompactError
from pi_lsp.llm.provider import Model
from pi_lsp.messages import JsonObject, Message, ThinkingLevel, Usage

TURN_SHARE = 0.5
"""Of a summary's tokens, for the first part of a split turn."""

LEAST_KEPT_SHARE = 16
"""So much of the window (a sixteenth) may be kept however large the rest is."""

TURN_HEADING = "# The current turn, up to where the kept part begins"


@dataclass(frozen=True)
class CompactionPlan:
    """What a compaction will do; nothing was asked yet.

    Attributes:
        first_kept_entry_id: None when nothing is kept.
        history: the messages to summarise, whole turns.
        turn: the first part of the turn that the cut splits; summarised by itself.
        previous_summary: the last compaction's, to be brought up to date.
        tokens_before: of the context as it is.
        tokens_kept: of all that stays beside the summary (system prompt, tools, kept messages).
    """

    model: Model
    thinking_level: ThinkingLevel
    reserve: int
    first_kept_entry_id: str | None
    history: list[Message]
    turn: list[Message]
    previous_summary: str | None
    files: FileLists
    tokens_before: int
    tokens_kept: int


@dataclass(frozen=True)
class Compaction:
    """What stands in a compaction's entry, and the estimate of the context after it, in tokens."""

    summary: str
    first_kept_entry_id: str | None
    tokens_before: int
    details: JsonObject
    usage: Usage
    estimated_tokens_after: int


async def plan_compaction(
    meter: ContextMeter,
    context: MeasuredContext,
    limits: Limits,
    details_of: Callable[[str], JsonObject],
    *,
    thinking_level: ThinkingLevel = "off",
    must_shrink: bool = False,
) -> CompactionPlan:
    """Decide what to summarise. Counts in the background, newest message first.

    Args:
        details_of: the `details` of the entry of a summary, `{}` when it has none.
        thinking_level: one that the model takes.
        must_shrink: the context is too large whatever the estimates say (an overflow, or a
            threshold that the service's own figures crossed): less than usual is kept when it
            would otherwise all be. Without effect where the system prompt and the tools alone
            are too large, since that would not help.

    Raises:
        NothingToCompactError: all of it would be kept.
    """
    messages = context.messages
    first = 1 if messages and messages[0].message["role"] == "compactionSummary" else 0
    earlier = [
        details_of(item.entry_id)
        for item in messages
        if item.message["role"] in ("compactionSummary", "branchSummary")
    ]
    tokens_before = await meter.measure(context)
    ratio = meter.calibration.ratio(context.model)

    def in_background() -> tuple[CutPoint | None, int]:
        around = meter.counter.count_around(context.system, context.tools)
        most_kept = _most_kept(context.model, limits, around, ratio)
        helps = ratio * around <= limits.threshold
        cut = _cut(meter, messages, first, limits, most_kept, must_shrink=must_shrink and helps)
        return cut, around

    cut, around = await meter.counter.in_background(in_background)
    if cut is None:
        raise NothingToCompactError(
            "There is nothing to compact: all that the conversation holds now is recent."
        )
    summarised = [item.message for item in messages[first : cut.first_kept]]
    turn_at = len(summarised) if cut.turn_start is None else cut.turn_start - first
    kept_id = messages[cut.first_kept].entry_id if cut.first_kept < len(messages) else None
    return CompactionPlan(
        model=context.model,
        thinking_level=thinking_level,
        reserve=limits.reserve,
        first_kept_entry_id=kept_id,
        history=summarised[:turn_at],
        turn=summarised[turn_at:],
        previous_summary=_previous_summary(messages),
        files=file_lists(summarised, earlier),
        tokens_before=tokens_before,
        tokens_kept=round(ratio * (around + cut.kept_tokens)),
    )


async def run_compaction(
    plan: CompactionPlan, meter: ContextMeter, ask: Ask, instructions: str | None = None
) -> Compaction:
    """Write the summary that the plan asks for: one, or two one after the other for a split turn.

    Nothing is stored here: whoever calls writes the entry.

    Raises:
        ProviderError: there was no answer, or it is no summary.
    """
    ratio = meter.calibration.ratio(plan.model)
    summariser = Summariser(
        ask, meter.counter, plan.model, plan.thinking_level, ratio, instructions
    )
    history, turn = await meter.counter.in_background(
        lambda: (conversation_texts(plan.history), conversation_texts(plan.turn))
    )
    summary = plan.previous_summary or ""
    if history:
        limits = _limits(plan)
        summary = await summariser.of_all("history", history, limits, plan.previous_summary)
    if turn:
        part = await summariser.of_all("turn", turn, _limits(plan, TURN_SHARE))
        summary = "\n\n---\n\n".join(filter(None, (summary, f"{TURN_HEADING}\n\n{part}")))
    if not summary:
        raise NothingToCompactError(
            "There is nothing to compact: what would be summarised holds no text."
        )
    text = "\n\n".join(filter(None, (summary, plan.files.text())))
    tokens = await meter.counter.in_background(lambda: count_text(text) + SUMMARY_TOKENS)
    return Compaction(
        summary=text,
        first_kept_entry_id=plan.first_kept_entry_id,
        tokens_before=plan.tokens_before,
        details=plan.files.details(),
        usage=sum_of(summariser.usages),
        estimated_tokens_after=plan.tokens_kept + round(ratio * tokens),
    )


def _cut(
    meter: ContextMeter,
    messages: Sequence[CountedMessage],
    first: int,
    limits: Limits,
    most_kept: int,
    *,
    must_shrink: bool,
) -> CutPoint | None:
    count = meter.counter.count
    keep_recent = limits.keep_recent
    cut = find_cut(messages, count, first=first, keep_recent=keep_recent, most_kept=most_kept)
    if cut is not None or not must_shrink:
        return cut
    # All of it fits the budget by estimate, and yet it is too large: keep a quarter of it.
    quarter = meter.counter.count_all(messages[first:]) // 4
    return find_cut(messages, count, first=first, keep_recent=quarter, most_kept=most_kept)


def _limits(plan: CompactionPlan, share: float = 1.0) -> SummaryLimits:
    return summary_limits(plan.model, plan.reserve, plan.thinking_level, share)


def _most_kept(model: Model, limits: Limits, around: int, ratio: float) -> int:
    """What may be kept at most, so that with the summary and what stands around it the next
    request is below the threshold.

    Where the system prompt and the tools alone are over it, dropping what the person just said
    would not help: a little is kept in any case, at the cost of the reserve.
    """
    one = summary_limits(model, limits.reserve, "off").summary
    summaries = round(one * (1 + TURN_SHARE)) + SUMMARY_TOKENS
    room = int(limits.threshold / ratio) - around - summaries
    return max(room, min(limits.reserve, limits.window // LEAST_KEPT_SHARE))


def _previous_summary(messages: Sequence[CountedMessage]) -> str | None:
    if not messages:
        return None
    message = messages[0].message
    return without_lists(message["summary"]) if message["role"] == "compactionSummary" else None
