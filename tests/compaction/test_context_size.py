from __future__ import annotations

import pytest

from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.context_size import (
    ContextMeter,
    MeasuredContext,
    is_valid,
    left_no_room,
)
from pi_lsp.compaction.tokens import MESSAGE_TOKENS, SUMMARY_TOKENS
from pi_lsp.messages import AssistantMessage
from tests.compaction.conversation import (
    MODEL,
    answer,
    compaction_summary,
    context,
    result,
    used,
    user,
    words,
)


async def test_before_the_first_answer_all_is_estimated(meter: ContextMeter) -> None:
    measured = MeasuredContext(context(user(words(100))), MODEL, system=words(50))
    assert await meter.measure(measured) == 150 + MESSAGE_TOKENS


async def test_after_an_answer_its_usage_counts_and_what_follows_is_estimated(
    meter: ContextMeter,
) -> None:
    measured = MeasuredContext(
        context(
            user("hello"),
            answer("hi", usage=used(1000, 20, cached=5000)),
            user(words(100)),
        ),
        MODEL,
        system=words(50),
    )
    assert await meter.measure(measured) == 6020 + 100 + MESSAGE_TOKENS


@pytest.mark.parametrize(
    "failed",
    [
        answer("half", usage=used(9, 9), stop_reason="aborted"),
        answer("", usage=used(9, 9), stop_reason="error"),
        answer("no usage at all"),
    ],
)
async def test_an_answer_that_failed_or_reports_nothing_says_nothing(
    meter: ContextMeter, failed: AssistantMessage
) -> None:
    assert not is_valid(failed)
    conversation = context(user("hello"), answer("hi", usage=used(1000, 20)), failed)
    tokens = await meter.measure(MeasuredContext(conversation, MODEL))
    assert 1020 < tokens < 1040


async def test_usage_from_before_the_compaction_never_counts(meter: ContextMeter) -> None:
    conversation = context(
        compaction_summary(words(100)),
        user("kept"),
        answer("kept too", usage=used(190_000, 1000)),
    )
    measured = MeasuredContext(conversation, MODEL, after_compaction=3)
    assert await meter.measure(measured) < 200 + SUMMARY_TOKENS


async def test_usage_from_after_the_compaction_counts(meter: ContextMeter) -> None:
    conversation = context(
        compaction_summary(words(100)),
        answer("kept", usage=used(190_000, 1000)),
        user("go on"),
        answer("yes", usage=used(3000, 5)),
    )
    assert await meter.measure(MeasuredContext(conversation, MODEL, after_compaction=2)) == 3005


async def test_the_figure_without_waiting_is_the_measured_one_once_it_was_measured(
    meter: ContextMeter,
) -> None:
    conversation = context(user("Ungewöhnliche Wörter zählen anders."))
    measured = MeasuredContext(conversation, MODEL, system="You are pi, an agent. " * 100)
    guessed = meter.at_hand(measured)
    exact = await meter.measure(measured)
    assert guessed != exact
    assert meter.at_hand(measured) == exact


async def test_what_the_service_reports_calibrates_the_next_estimates(meter: ContextMeter) -> None:
    asked = MeasuredContext(context(user(words(996))), MODEL)
    await meter.learn(asked, answer("yes", usage=used(200, 7, cached=1000)))
    assert meter.calibration.ratio(MODEL) == pytest.approx(1.2)
    unanswered = MeasuredContext(context(user(words(496))), MODEL)
    assert await meter.measure(unanswered) == 600


async def test_a_failed_answer_teaches_nothing(meter: ContextMeter) -> None:
    asked = MeasuredContext(context(user(words(996))), MODEL)
    await meter.learn(asked, answer("ye", usage=used(1900), stop_reason="aborted"))
    assert meter.calibration.ratio(MODEL) == 1


def test_the_ratio_follows_the_answers_slowly() -> None:
    calibration = Calibration()
    calibration.observe(MODEL, estimated=1000, reported=1000)
    calibration.observe(MODEL, estimated=1000, reported=2000)
    assert calibration.ratio(MODEL) == pytest.approx(1.3)


@pytest.mark.parametrize("reported", [0, 499, 2001, 1_000_000])
def test_a_ratio_that_cannot_be_is_not_believed(reported: int) -> None:
    calibration = Calibration()
    calibration.observe(MODEL, estimated=1000, reported=reported)
    assert calibration.ratio(MODEL) == 1


def test_an_estimate_of_nothing_teaches_nothing() -> None:
    calibration = Calibration()
    calibration.observe(MODEL, estimated=0, reported=10)
    assert calibration.ratio(MODEL) == 1


@pytest.mark.parametrize(
    ("cut", "full"),
    [
        (answer("long", usage=used(199_000, 1000), stop_reason="length"), True),
        (answer("", usage=used(150_000, 0), stop_reason="length"), True),
        (answer("long", usage=used(50_000, 64_000), stop_reason="length"), False),
        (answer("whole", usage=used(199_999, 100)), False),
    ],
)
def test_an_answer_was_cut_by_the_window_or_by_its_own_limit(
    cut: AssistantMessage, full: bool
) -> None:
    assert left_no_room(cut, MODEL) is full


async def test_a_tool_result_after_the_answer_is_part_of_the_context(meter: ContextMeter) -> None:
    conversation = context(
        user("read it"),
        answer(calls=[("t1", "read", {"path": "a"})], usage=used(1000, 10)),
        result("t1", words(5000)),
    )
    assert await meter.measure(MeasuredContext(conversation, MODEL)) > 6000
