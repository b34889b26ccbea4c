"""What holds for the context after any compaction."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.compact import Compaction, plan_compaction, run_compaction
from pi_lsp.compaction.context_size import ContextMeter, MeasuredContext
from pi_lsp.compaction.limits import limits_for
from pi_lsp.compaction.summary import summary_limits
from pi_lsp.compaction.tokens import TokenCounter
from pi_lsp.errors import NothingToCompactError
from pi_lsp.llm.provider import Request
from pi_lsp.messages import AssistantMessage, Message
from pi_lsp.settings import CompactionSettings
from tests.compaction.conversation import (
    MODEL,
    answer,
    compaction_summary,
    context,
    result,
    user,
    words,
)

SMALL = replace(MODEL, context_window=8000)
LIMITS = limits_for(SMALL, CompactionSettings())
SYSTEM = words(1000)

_sizes = st.integers(0, 3000)
_turns: st.SearchStrategy[list[Message]] = st.one_of(
    _sizes.map(lambda size: [user(f"question{words(size)}"), answer("answer")]),
    st.lists(_sizes, min_size=1, max_size=4).map(
        lambda sizes: [
            user("work"),
            *(
                message
                for number, size in enumerate(sizes)
                for message in (
                    answer(calls=[(f"t{number}", "read", {"path": "a"})]),
                    result(f"t{number}", words(size)),
                )
            ),
        ]
    ),
    st.just([user("unanswered")]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_turns, max_size=6), st.booleans(), st.booleans(), st.sampled_from([0.7, 1, 1.5]))
def test_the_next_request_is_below_the_threshold(
    turns: list[list[Message]], compacted: bool, must_shrink: bool, ratio: float
) -> None:
    messages = [message for turn in turns for message in turn]
    if compacted:
        messages.insert(0, compaction_summary(words(500)))
    calibration = Calibration()
    calibration.observe(SMALL, estimated=1000, reported=int(1000 * ratio))
    compaction = asyncio.run(_compact(messages, calibration, must_shrink=must_shrink))
    if compaction is not None:
        assert compaction.estimated_tokens_after <= LIMITS.threshold
        assert compaction.summary


async def _compact(
    messages: list[Message], calibration: Calibration, *, must_shrink: bool
) -> Compaction | None:
    """A compaction whose summaries are as long as they may be; None when there is none."""
    counter = TokenCounter()
    meter = ContextMeter(counter, calibration)
    measured = MeasuredContext(
        context(*messages), SMALL, after_compaction=len(messages), system=SYSTEM
    )

    async def ask(request: Request) -> AssistantMessage:
        assert request.max_tokens is not None
        assert request.max_tokens <= summary_limits(SMALL, LIMITS.reserve, "off").answer
        return answer(words(int(request.max_tokens / calibration.ratio(SMALL))))

    try:
        plan = await plan_compaction(
            meter, measured, LIMITS, lambda _entry_id: {}, must_shrink=must_shrink
        )
        return await run_compaction(plan, meter, ask)
    except NothingToCompactError:
        return None
    finally:
        counter.close()
