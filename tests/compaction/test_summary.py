from __future__ import annotations

from dataclasses import replace

import pytest

from pi_lsp.compaction.prompts import SYSTEM_PROMPT
from pi_lsp.compaction.summary import (
    Summariser,
    SummaryLimits,
    checked_summary,
    sum_of,
    summary_limits,
)
from pi_lsp.compaction.tokens import TokenCounter
from pi_lsp.errors import ProviderError
from pi_lsp.messages import AssistantMessage
from tests.compaction.conversation import MODEL, ScriptedAsk, answer, used, words

LIMITS = SummaryLimits(summary=1000, answer=1500, conversation=10_000)
TOO_LONG = ProviderError("prompt is too long", overflow=True)
SECTIONS = (
    "## Goal",
    "## Constraints & Preferences",
    "## Progress",
    "### Done",
    "### In Progress",
    "### Blocked",
    "## Key Decisions",
    "## Next Steps",
    "## Critical Context",
)


async def test_the_request_is_one_question_without_tools_and_without_cache_marks(
    counter: TokenCounter,
) -> None:
    ask = ScriptedAsk([answer("the summary", usage=used(100, 10))])
    summariser = Summariser(ask, counter, MODEL, thinking_level="low", instructions="name the port")
    assert await summariser.of_all("history", ["[User]: hello"], LIMITS) == "the summary"
    (request,) = ask.requests
    assert request.system == SYSTEM_PROMPT
    assert request.tools == []
    assert request.cache is False
    assert request.thinking_level == "low"
    assert request.max_tokens == LIMITS.answer
    prompt = ask.prompt(0)
    assert prompt.startswith("<conversation>\n[User]: hello\n</conversation>")
    assert "name the port" in prompt
    assert [prompt.index(section) for section in SECTIONS] == sorted(
        prompt.index(section) for section in SECTIONS
    )
    assert summariser.usages == [used(100, 10)]


async def test_a_conversation_larger_than_a_request_is_summarised_part_by_part(
    counter: TokenCounter,
) -> None:
    ask = ScriptedAsk([answer(f"summary {number}") for number in range(3)])
    summariser = Summariser(ask, counter, MODEL)
    texts = [f"{number}{words(9000)}" for number in range(3)]
    assert await summariser.of_all("history", texts, LIMITS, previous="earlier") == "summary 2"
    for number, before in enumerate(("earlier", "summary 0", "summary 1")):
        prompt = ask.prompt(number)
        assert f"<previous-summary>\n{before}\n</previous-summary>" in prompt
        assert f"<conversation>\n{number} a" in prompt


async def test_of_a_left_branch_only_the_newest_is_summarised(counter: TokenCounter) -> None:
    ask = ScriptedAsk([answer("what was tried")])
    texts = [f"{number}{words(6000)}" for number in range(3)]
    await Summariser(ask, counter, MODEL).of_newest("branch", texts, LIMITS)
    assert "[2 earlier messages are left out]\n\n2 a" in ask.prompt(0)


async def test_a_request_that_proves_too_long_is_halved(counter: TokenCounter) -> None:
    ask = ScriptedAsk([TOO_LONG, answer("first half"), answer("all of it")])
    texts = [words(4000), words(4000)]
    assert await Summariser(ask, counter, MODEL).of_all("history", texts, LIMITS) == "all of it"
    assert len(ask.prompt(1)) < len(ask.prompt(0))
    assert "<previous-summary>\nfirst half" in ask.prompt(2)


async def test_a_request_that_stays_too_long_fails(counter: TokenCounter) -> None:
    ask = ScriptedAsk([TOO_LONG] * 3)
    with pytest.raises(ProviderError, match="too long"):
        await Summariser(ask, counter, MODEL).of_newest("branch", [words(4000)], LIMITS)
    assert len(ask.requests) == 3


async def test_a_model_whose_tokens_are_smaller_gets_less_text(counter: TokenCounter) -> None:
    ask = ScriptedAsk([answer("1"), answer("2")])
    texts = [words(4000), words(4000)]
    await Summariser(ask, counter, MODEL, ratio=2.0).of_all("history", texts, LIMITS)
    assert len(ask.requests) == 2


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (answer("half a sum", stop_reason="length"), "cut off"),
        (answer("I will read", calls=[("t1", "read", {"path": "a"})]), "call a tool"),
        (answer(""), "empty"),
        (answer(" \n "), "empty"),
        (answer(thinking="only thoughts"), "empty"),
        (answer("half", stop_reason="error", error="The service is down."), "service is down"),
        (answer("half", stop_reason="aborted"), "aborted"),
    ],
)
async def test_an_answer_that_is_no_summary_is_refused_with_a_sentence(
    counter: TokenCounter, bad: AssistantMessage, says: str
) -> None:
    ask = ScriptedAsk([bad])
    with pytest.raises(ProviderError, match=says) as refused:
        await Summariser(ask, counter, MODEL).of_all("history", ["[User]: hi"], LIMITS)
    assert refused.value.message.startswith("No summary was written")


def test_lists_of_files_that_a_model_repeats_are_dropped() -> None:
    repeated = "## Goal\nwork\n\n<read-files>\na.py\n</read-files>\n"
    assert checked_summary(answer(repeated)) == "## Goal\nwork"


def test_the_summary_has_four_fifths_of_the_reserve() -> None:
    limits = summary_limits(MODEL, reserve=16384, thinking_level="off")
    assert limits.summary == limits.answer == 13107
    assert limits.conversation < MODEL.context_window - limits.answer - limits.summary


def test_a_model_that_thinks_gets_room_for_it() -> None:
    thinker = replace(MODEL, reasoning=True)
    assert summary_limits(thinker, 16384, "high").answer == 13107 + 25_000
    assert summary_limits(thinker, 16384, "off").answer == 13107


def test_no_answer_is_asked_to_be_longer_than_the_model_can() -> None:
    short = replace(MODEL, max_tokens=4096, reasoning=True)
    limits = summary_limits(short, 16384, "high")
    assert (limits.summary, limits.answer) == (4096, 4096)


@pytest.mark.parametrize("window", [1000, 4000, 32_000, 1_000_000])
def test_request_and_answer_fit_every_window(window: int) -> None:
    model = replace(MODEL, context_window=window, reasoning=True)
    limits = summary_limits(model, min(16384, window // 4), "high")
    assert 0 < limits.conversation <= window - limits.answer
    assert limits.summary > 0


def test_usages_are_added_up() -> None:
    total = sum_of([used(100, 10, dollars=0.5), used(200, 20, cached=5, dollars=0.25)])
    assert total == used(300, 30, cached=5, dollars=0.75)
    assert sum_of([]) == used(0)
