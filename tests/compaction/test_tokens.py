from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from pi_lsp.compaction import tokens
from pi_lsp.compaction.encoding import count_text, load_encoding
from pi_lsp.compaction.tokens import (
    MESSAGE_TOKENS,
    SUMMARY_TOKENS,
    TOOL_CALL_TOKENS,
    TOOL_PROMPT_TOKENS,
    TokenCounter,
    count_message,
    count_system,
    guess_message,
    tool_texts,
)
from pi_lsp.llm.provider import ToolSpec
from pi_lsp.messages import Message
from tests.compaction.conversation import (
    Item,
    answer,
    branch_summary,
    command,
    compaction_summary,
    custom,
    result,
    user,
    words,
)
from tests.compaction.test_pictures import png


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (user(words(100)), 100 + MESSAGE_TOKENS),
        (custom(words(100)), 100 + MESSAGE_TOKENS),
        (result("t1", words(100)), 100 + TOOL_CALL_TOKENS),
        (answer(words(100), thinking=words(50)), 150 + MESSAGE_TOKENS),
        (command(words(10), words(90)), 100 + SUMMARY_TOKENS),
        (command("secret", words(90), excluded=True), 0),
        (compaction_summary(words(100)), 100 + SUMMARY_TOKENS),
        (branch_summary(words(100)), 100 + SUMMARY_TOKENS),
        (
            answer(calls=[("t1", "read", {"path": "a"})]),
            MESSAGE_TOKENS + TOOL_CALL_TOKENS + 1 + count_text('{"path":"a"}'),
        ),
        (answer(words(7), calls=[("t1", "bash", {})], stop_reason="aborted"), 7 + MESSAGE_TOKENS),
        (
            user([{"type": "image", "data": png(1000, 1000), "mimeType": "image/png"}]),
            36 * 36 + MESSAGE_TOKENS,
        ),
    ],
)
def test_each_kind_of_message_counts_what_is_sent_of_it(message: Message, expected: int) -> None:
    assert count_message(message) == expected


def test_the_system_prompt_and_the_tools_count_too() -> None:
    tool = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {}})
    (text,) = tool_texts([tool])
    expected = 10 + TOOL_PROMPT_TOKENS + count_text(text) + TOOL_CALL_TOKENS
    assert count_system(words(10), (text,)) == expected
    assert count_system(words(10), ()) == 10


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """The messages that were counted anew."""
    seen: list[Message] = []
    count: Callable[[Message], int] = tokens.count_message

    def counting(message: Message) -> int:
        seen.append(message)
        return count(message)

    monkeypatch.setattr(tokens, "count_message", counting)
    return seen


def test_a_longer_conversation_costs_only_what_is_new(
    counter: TokenCounter, counted: list[Message]
) -> None:
    conversation = [Item(f"e{number}", user(f"message {number}")) for number in range(100)]
    counter.count_all(conversation)
    newest = Item("e100", user("one more"))
    counter.count_all([*conversation, newest])
    assert len(counted) == 101
    assert counted[-1] == newest.message


def test_content_that_a_context_edit_replaced_is_counted_anew(counter: TokenCounter) -> None:
    before = counter.count(Item("e1", user(words(1000))))
    after = counter.count(Item("e1", user("(left out)")))
    assert after < 10 < before


def test_without_waiting_a_message_is_guessed_until_it_was_counted(counter: TokenCounter) -> None:
    item = Item("e1", user(words(1000)))
    assert counter.at_hand(item) == guess_message(item.message)
    counter.count(item)
    assert counter.at_hand(item) == 1000 + MESSAGE_TOKENS


async def test_background_work_runs_beside_the_event_loop(counter: TokenCounter) -> None:
    thread = await counter.in_background(threading.current_thread)
    assert thread is not threading.current_thread()


def test_the_first_count_loads_the_ranks(counter: TokenCounter) -> None:
    load_encoding.cache_clear()
    assert not counter.is_loaded
    counter.count_around("You are pi.", ())
    assert counter.is_loaded
