from __future__ import annotations

from dataclasses import replace

import pytest

from pi_lsp.compaction.compact import CompactionPlan, plan_compaction, run_compaction
from pi_lsp.compaction.context_size import ContextMeter, MeasuredContext
from pi_lsp.compaction.limits import Limits
from pi_lsp.errors import NothingToCompactError, ProviderError
from pi_lsp.messages import JsonObject, Message
from tests.compaction.conversation import (
    MODEL,
    ScriptedAsk,
    answer,
    branch_summary,
    compaction_summary,
    context,
    result,
    used,
    user,
    words,
)

SMALL = replace(MODEL, context_window=20_000)
LIMITS = Limits(window=20_000, reserve=2000, keep_recent=1000)


def no_details(_entry_id: str) -> JsonObject:
    return {}


async def plan(
    meter: ContextMeter, *messages: Message, must_shrink: bool = False
) -> CompactionPlan:
    measured = MeasuredContext(context(*messages), SMALL, system=words(100))
    return await plan_compaction(meter, measured, LIMITS, no_details, must_shrink=must_shrink)


def long_turns(count: int) -> list[Message]:
    return [
        message
        for number in range(count)
        for message in (user(f"question {number}"), answer(f"answer {number}{words(390)}"))
    ]


async def test_old_turns_are_summarised_and_recent_ones_kept(meter: ContextMeter) -> None:
    planned = await plan(meter, *long_turns(6))
    assert planned.first_kept_entry_id == "e8"
    assert planned.turn == []
    ask = ScriptedAsk([answer("## Goal\nall of it", usage=used(3000, 50, dollars=0.01))])
    done = await run_compaction(planned, meter, ask, instructions="keep the numbers")
    assert done.summary == "## Goal\nall of it"
    assert done.first_kept_entry_id == "e8"
    assert done.usage == used(3000, 50, dollars=0.01)
    assert done.tokens_before > 2400
    assert 900 < done.estimated_tokens_after < 1100
    assert "question 3" in ask.prompt(0)
    assert "question 4" not in ask.prompt(0)
    assert "keep the numbers" in ask.prompt(0)


async def test_tokens_before_are_what_the_service_reported(meter: ContextMeter) -> None:
    turns = long_turns(6)
    turns[-1] = answer(f"last{words(390)}", usage=used(15_000, 500))
    assert (await plan(meter, *turns)).tokens_before == 15_500


async def test_a_split_turn_gets_two_summaries_one_after_the_other(meter: ContextMeter) -> None:
    work: list[Message] = [user("the long piece of work")]
    for number in range(6):
        call = (f"t{number}", "read", {"path": f"{number}.py"})
        work += [answer(calls=[call]), result(f"t{number}", words(390))]
    planned = await plan(meter, *long_turns(2), *work)
    assert len(planned.history) == 4
    assert planned.turn[0] == work[0]
    ask = ScriptedAsk([answer("the history"), answer("the turn so far")])
    done = await run_compaction(planned, meter, ask, instructions="keep the numbers")
    assert ask.most_running == 1
    assert "question 1" in ask.prompt(0)
    assert "the long piece of work" not in ask.prompt(0)
    assert "the long piece of work" in ask.prompt(1)
    assert all("keep the numbers" in ask.prompt(number) for number in (0, 1))
    assert done.summary.index("the history") < done.summary.index("the turn so far")
    assert "0.py" in done.summary
    assert done.details["readFiles"][0] == "0.py"


async def test_a_first_turn_that_is_split_needs_one_summary(meter: ContextMeter) -> None:
    work: list[Message] = [user("the only piece of work")]
    for number in range(6):
        call = (f"t{number}", "read", {"path": f"{number}.py"})
        work += [answer(calls=[call]), result(f"t{number}", words(390))]
    planned = await plan(meter, *work)
    assert planned.history == []
    ask = ScriptedAsk([answer("the turn so far")])
    done = await run_compaction(planned, meter, ask)
    assert "the turn so far" in done.summary


async def test_the_next_compaction_builds_on_the_last_and_takes_in_what_that_kept(
    meter: ContextMeter,
) -> None:
    details = {
        "e0": {"readFiles": ["old.py"], "modifiedFiles": ["done.py"]},
        "e2": {"readFiles": [], "modifiedFiles": ["tried.py"]},
    }
    previous = compaction_summary("## Goal\nbefore\n\n<read-files>\nold.py\n</read-files>")
    measured = MeasuredContext(
        context(
            previous,
            user("what the last compaction kept"),
            branch_summary("an attempt"),
            answer("read", calls=[("t1", "read", {"path": "new.py"})]),
            result("t1", words(600)),
            *long_turns(4),
        ),
        SMALL,
        after_compaction=2,
    )
    planned = await plan_compaction(meter, measured, LIMITS, lambda entry_id: details[entry_id])
    ask = ScriptedAsk([answer("## Goal\nboth")])
    done = await run_compaction(planned, meter, ask)
    prompt = ask.prompt(0)
    assert "<previous-summary>\n## Goal\nbefore\n</previous-summary>" in prompt
    assert "what the last compaction kept" in prompt
    assert done.summary.startswith("## Goal\nboth\n\n<read-files>\nold.py\nnew.py\n")
    assert done.details == {
        "readFiles": ["old.py", "new.py"],
        "modifiedFiles": ["done.py", "tried.py"],
    }


async def test_a_split_turn_right_after_a_compaction_keeps_the_previous_summary(
    meter: ContextMeter,
) -> None:
    work: list[Message] = [compaction_summary("what was before"), user("go on")]
    for number in range(6):
        call = (f"t{number}", "bash", {"command": "make"})
        work += [answer(calls=[call]), result(f"t{number}", words(390))]
    ask = ScriptedAsk([answer("the turn so far")])
    done = await run_compaction(await plan(meter, *work), meter, ask)
    assert done.summary.startswith("what was before")
    assert "the turn so far" in done.summary


async def test_a_recent_conversation_leaves_nothing_to_compact(meter: ContextMeter) -> None:
    for messages in (
        [],
        long_turns(1),
        [compaction_summary("s")],
        [compaction_summary("s"), user("hi")],
    ):
        with pytest.raises(NothingToCompactError, match="nothing to compact"):
            await plan(meter, *messages)


async def test_a_recent_conversation_that_is_too_large_all_the_same_is_cut(
    meter: ContextMeter,
) -> None:
    with pytest.raises(NothingToCompactError):
        await plan(meter, *long_turns(2))
    planned = await plan(meter, *long_turns(2), must_shrink=True)
    assert planned.first_kept_entry_id == "e3"


async def test_a_result_that_fills_the_window_is_not_kept(meter: ContextMeter) -> None:
    planned = await plan(
        meter,
        user("read the log"),
        answer(calls=[("t1", "bash", {"command": "cat log"})]),
        result("t1", words(19_000)),
    )
    assert planned.first_kept_entry_id is None
    ask = ScriptedAsk([answer("the log was read")])
    done = await run_compaction(planned, meter, ask)
    assert len(ask.prompt(0)) < 5000
    assert done.estimated_tokens_after < LIMITS.threshold


async def test_what_the_person_just_said_is_kept_however_large_the_system_prompt_is(
    meter: ContextMeter,
) -> None:
    measured = MeasuredContext(context(user("hello")), SMALL, system=words(19_000))
    with pytest.raises(NothingToCompactError):
        await plan_compaction(meter, measured, LIMITS, no_details, must_shrink=True)


async def test_a_summary_that_fails_ends_the_compaction(meter: ContextMeter) -> None:
    planned = await plan(meter, *long_turns(6))
    ask = ScriptedAsk([answer("half", stop_reason="length")])
    with pytest.raises(ProviderError):
        await run_compaction(planned, meter, ask)


async def test_what_says_nothing_is_not_summarised(meter: ContextMeter) -> None:
    failed = [answer(words(500), stop_reason="error", error="overloaded") for _ in range(4)]
    planned = await plan(meter, *failed)
    ask = ScriptedAsk([])
    with pytest.raises(NothingToCompactError):
        await run_compaction(planned, meter, ask)
    assert ask.requests == []
