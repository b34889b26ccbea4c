"""Whatever a history holds, the API takes the request that is made of it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.llm.anthropic.request import build
from pi_lsp.llm.provider import Request
from pi_lsp.llm.transcript import GO_ON, plain
from pi_lsp.messages import THINKING_LEVELS
from tests.llm.histories import HISTORIES
from tests.llm.words import OLDER, READ, model, text_of_user, user
from tests.messages_api import problems_of

MODELS = [model(), model(OLDER), model("claude-haiku-5-5"), model("claude-opus-4-6")]


@settings(max_examples=200, deadline=None)
@given(
    history=HISTORIES,
    asked=st.sampled_from(MODELS),
    level=st.sampled_from(THINKING_LEVELS),
    max_tokens=st.sampled_from([None, 1, 1024, 3000, 10_000_000]),
    with_tools=st.booleans(),
    cache=st.booleans(),
    replay=st.booleans(),
)
def test_any_history_gives_a_request_that_the_api_takes(
    history: list[Any],
    asked: Any,
    level: Any,
    max_tokens: int | None,
    with_tools: bool,
    cache: bool,
    replay: bool,
) -> None:
    request = Request(
        asked, "Be brief.", history, [READ] if with_tools else [], level, max_tokens, cache
    )
    body = json.loads(json.dumps(build(request, replay_thinking=replay), allow_nan=False))
    assert problems_of(body) == []
    assert body["max_tokens"] <= asked.max_tokens


@settings(max_examples=100, deadline=None)
@given(history=HISTORIES)
def test_the_next_prompt_changes_nothing_of_what_was_told_before(history: list[Any]) -> None:
    before = plain(history, model())
    if text_of_user(before[-1]) == GO_ON:
        before.pop()
    after = plain([*history, user("and now?")], model())
    if history and len(before) > 1:
        assert after[: len(before)] == before


@settings(max_examples=100, deadline=None)
@given(history=HISTORIES)
def test_a_plain_conversation_is_plain_already(history: list[Any]) -> None:
    once = plain(history, model())
    assert plain(once, model()) == once
