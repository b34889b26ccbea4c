from __future__ import annotations

import pytest

from pi_lsp.llm import thinking
from pi_lsp.llm.catalogue import DEMO, Catalogue
from pi_lsp.messages import THINKING_LEVELS, ThinkingLevel
from tests.llm.words import model


def test_a_model_that_does_not_think_takes_only_off() -> None:
    assert thinking.levels(DEMO) == ["off"]
    assert thinking.clamp(DEMO, "max") == "off"


def test_a_model_with_budgets_takes_every_level() -> None:
    assert thinking.levels(model("claude-haiku-4-5")) == list(THINKING_LEVELS)


def test_an_effort_that_the_service_does_not_know_is_not_offered() -> None:
    assert "xhigh" not in thinking.levels(model("claude-opus-4-6"))
    assert "max" in thinking.levels(model("claude-opus-4-6"))


@pytest.mark.parametrize(
    ("model_id", "asked", "taken"),
    [
        ("claude-opus-4-6", "xhigh", "high"),
        ("claude-sonnet-5-5", "off", "low"),
        ("claude-sonnet-5-5", "minimal", "low"),
        ("claude-fable-5", "off", "minimal"),
        ("claude-haiku-5-5", "minimal", "low"),
        ("claude-haiku-5-5", "off", "off"),
        ("claude-sonnet-5", "medium", "medium"),
    ],
)
def test_a_level_that_is_not_taken_becomes_the_nearest(
    model_id: str, asked: ThinkingLevel, taken: ThinkingLevel
) -> None:
    assert thinking.clamp(model(model_id), asked) == taken


def test_every_level_of_every_model_is_sent_as_an_effort_that_the_api_knows() -> None:
    for known in Catalogue().models():
        if known.adaptive_thinking:
            efforts = {thinking.effort(known, level) for level in thinking.levels(known)}
            assert efforts - {"off"} <= {"low", "medium", "high", "xhigh", "max"}
