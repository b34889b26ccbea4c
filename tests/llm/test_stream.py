"""Answers as they stream, through the real SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_lsp.errors import ProviderError
from pi_lsp.llm.answer import INVALID_JSON
from pi_lsp.llm.anthropic.provider import AnthropicProvider
from pi_lsp.llm.provider import Delta
from tests.llm.words import READ, answer_of, assistant, model, new_answer, request, thought, user
from tests.messages_api import (
    Comment,
    Event,
    Gate,
    HttpError,
    MessagesApi,
    Ping,
    Raw,
    Redacted,
    Text,
    Thinking,
    ToolCall,
)

HI = request(user("hi"), tools=[READ], thinking_level="medium")


async def test_thinking_text_and_calls_stream_in_their_order(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(
        Thinking("let me see", signature="c2ln"),
        Text("I'll read it."),
        ToolCall("read", {"path": "a.txt"}, id="toolu_a"),
        ToolCall("read", {}, id="toolu_b"),
    )
    answer, deltas = await answer_of(provider, HI)
    message = answer.message()
    assert message["content"] == [
        {"type": "thinking", "thinking": "let me see", "thinkingSignature": "c2ln"},
        {"type": "text", "text": "I'll read it."},
        {"type": "toolCall", "id": "toolu_a", "name": "read", "arguments": {"path": "a.txt"}},
        {"type": "toolCall", "id": "toolu_b", "name": "read", "arguments": {}},
    ]
    assert message["stopReason"] == "toolUse"
    assert message.get("responseId")
    assert joined(deltas) == {
        (0, "thinking"): "let me see",
        (1, "text"): "I'll read it.",
        (2, "toolCall"): '{"path": "a.txt"}',
        (3, "toolCall"): "{}",
    }
    firsts = [d for d in deltas if d.tool_call_id]
    assert [(d.content_index, d.tool_call_id, d.tool_name) for d in firsts] == [
        (2, "toolu_a", "read"),
        (3, "toolu_b", "read"),
    ]


def joined(deltas: list[Delta]) -> dict[tuple[int, str], str]:
    blocks: dict[tuple[int, str], str] = {}
    for delta in deltas:
        key = (delta.content_index, delta.kind)
        blocks[key] = blocks.get(key, "") + delta.text
    return blocks


async def test_what_stands_in_the_start_of_a_block_counts(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(
        Thinking("thought at once", in_start=7),
        Text("said at once", in_start=4),
        ToolCall("read", {"path": "b"}, whole_in_start=True),
    )
    answer, deltas = await answer_of(provider, HI)
    assert list(joined(deltas).values()) == ["thought at once", "said at once", '{"path": "b"}']
    assert answer.message()["content"][2]["arguments"] == {"path": "b"}  # pyright: ignore


async def test_empty_blocks_leave_no_gap(api: MessagesApi, provider: AnthropicProvider) -> None:
    api.reply(Text(""), Thinking("", signature="c2ln"), Redacted("c2VhbGVk"), Text("done"))
    answer, deltas = await answer_of(provider, HI)
    assert [block["type"] for block in answer.message()["content"]] == [
        "thinking",
        "thinking",
        "text",
    ]
    assert {delta.content_index for delta in deltas} == {2}


async def test_pings_comments_and_what_is_not_known_are_passed_over(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    block = {"type": "content_block_start", "index": 7, "content_block": {"type": "hologram"}}
    delta = {"type": "content_block_delta", "index": 7, "delta": {"type": "light", "x": 1}}
    api.reply(
        Ping(),
        Comment(),
        Event("weather", "sunny, no JSON"),
        Event("message_mood", {"type": "message_mood", "mood": "fine"}),
        Event("content_block_start", block),
        Event("content_block_delta", delta),
        Text("done"),
        Ping(),
    )
    answer, _ = await answer_of(provider, HI)
    assert answer.message()["content"] == [{"type": "text", "text": "done"}]


@pytest.mark.parametrize("split", [1, 3, 7])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
async def test_characters_and_line_ends_may_be_split_anywhere(
    api: MessagesApi, provider: AnthropicProvider, split: int, line_end: str
) -> None:
    words = "Grüße 😀, 你好\u2028 and \x85"
    api.reply(
        Text(words, pieces=4), ToolCall("read", {"path": words}), split=split, line_end=line_end
    )
    answer, _ = await answer_of(provider, HI)
    content: Any = answer.message()["content"]
    assert content[0]["text"] == words
    assert content[1]["arguments"] == {"path": words}


async def test_events_without_a_name_are_told_by_their_type(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    deltas = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
    ]
    api.reply(*[Event(None, one) for one in deltas])
    answer, _ = await answer_of(provider, HI)
    assert answer.message()["content"] == [{"type": "text", "text": "hi"}]


async def test_arguments_that_are_no_json_are_kept_as_they_came(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    no_json = ['{"path": "a', '["a"]', '{"limit": NaN}', '{"limit": 1e999}']
    api.reply(*(ToolCall("read", text) for text in no_json))
    answer, _ = await answer_of(provider, HI)
    content: Any = answer.message()["content"]
    assert [call["arguments"] for call in content] == [{INVALID_JSON: text} for text in no_json]


async def test_calls_with_one_id_or_none_are_told_apart(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(ToolCall("read", id="same"), ToolCall("read", id="same"), ToolCall("read", id=""))
    answer, deltas = await answer_of(provider, HI)
    content: Any = answer.message()["content"]
    ids = [block["id"] for block in content]
    assert ids[0] == "same"
    assert len(set(ids)) == 3
    assert all(ids)
    assert [delta.tool_call_id for delta in deltas if delta.tool_call_id] == ids


@pytest.mark.parametrize(
    ("told", "parts", "expected"),
    [
        ("end_turn", [Text("a")], "stop"),
        ("stop_sequence", [Text("a")], "stop"),
        ("tool_use", [ToolCall("read")], "toolUse"),
        ("end_turn", [ToolCall("read")], "toolUse"),
        ("tool_use", [Text("a")], "stop"),
        ("max_tokens", [Text("a"), ToolCall("read", '{"pa')], "length"),
        ("model_context_window_exceeded", [Text("a")], "length"),
    ],
)
async def test_stop_reasons(
    api: MessagesApi, provider: AnthropicProvider, told: str, parts: list[Any], expected: str
) -> None:
    api.reply(*parts, stop_reason=told)
    answer, _ = await answer_of(provider, HI)
    assert answer.message()["stopReason"] == expected


async def test_a_refusal_is_an_error_in_the_services_words(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "this may do harm"}
    api.reply(Text("I"), stop_reason="refusal", stop_details=details)
    with pytest.raises(ProviderError, match="this may do harm") as caught:
        await answer_of(provider, HI)
    assert not caught.value.retryable


async def test_a_stop_for_an_unknown_reason_is_an_error(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(Text("I"), stop_reason="sensitive")
    with pytest.raises(ProviderError, match="sensitive"):
        await answer_of(provider, HI)


async def test_usage_is_merged_and_what_the_end_leaves_out_stays(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    start = {
        "input_tokens": 100,
        "output_tokens": 1,
        "cache_read_input_tokens": 5000,
        "cache_creation_input_tokens": 200,
    }
    api.reply(Text("a"), start_usage=start, usage={"output_tokens": 40, "input_tokens": None})
    usage = (await answer_of(provider, HI))[0].usage
    assert (usage["input"], usage["output"]) == (100, 40)
    assert (usage["cacheRead"], usage["cacheWrite"]) == (5000, 200)
    assert usage["totalTokens"] == 5340
    assert usage["cost"]["total"] == pytest.approx(
        (100 * 2 + 40 * 10 + 5000 * 0.1 + 200 * 2.5) / 1e6
    )


async def test_an_end_without_usage_keeps_that_of_the_start(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(Text("a"), start_usage={"input_tokens": 100, "output_tokens": 1}, usage={})
    usage = (await answer_of(provider, HI))[0].usage
    assert (usage["input"], usage["output"]) == (100, 1)


async def test_whoever_stops_listening_keeps_what_came_and_the_service_is_told(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    gate = Gate()
    api.reply(Text("so far", pieces=1), gate, Text("never"))
    answer = new_answer(HI)
    heard = asyncio.Event()

    async def listen() -> None:
        async for _ in provider.stream(HI, answer):
            heard.set()

    listener = asyncio.create_task(listen())
    await heard.wait()
    listener.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listener
    await api.requests[0].is_abandoned()
    assert answer.message()["content"] == [{"type": "text", "text": "so far"}]
    assert answer.usage["input"] > 0
    assert answer.stop_reason is None


async def test_a_connection_is_used_again(api: MessagesApi, provider: AnthropicProvider) -> None:
    for _ in range(3):
        api.reply(Text("a"))
        await answer_of(provider, HI)
    assert api.connections == 1


async def test_two_answers_may_stream_at_once(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    gate = Gate()
    api.reply(Text("first"), gate)
    api.reply(Text("second"))
    slow = asyncio.create_task(answer_of(provider, HI))
    await gate.reached()
    quick, _ = await answer_of(provider, HI)
    gate.open()
    assert quick.message()["content"] == [{"type": "text", "text": "second"}]
    assert (await slow)[0].message()["content"] == [{"type": "text", "text": "first"}]


async def test_a_long_answer_in_many_pieces_comes_whole(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    words = "".join(f"{number} " for number in range(4000))
    api.reply(Text(words, pieces=5000), ToolCall("read", {"path": words}, pieces=5000))
    answer, deltas = await answer_of(provider, HI)
    assert len(deltas) > 9000
    content: Any = answer.message()["content"]
    assert (content[0]["text"], content[1]["arguments"]["path"]) == (words, words)


async def test_when_earlier_thinking_is_refused_it_is_asked_without(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    asked = request(user("go"), assistant(thought("hm"), "a"), user("on"))
    api.reply(
        HttpError(
            400,
            "invalid_request_error",
            "messages.1.content.0: Invalid `signature` in `thinking` block",
        )
    )
    api.reply(Text("b"))
    answer, _ = await answer_of(provider, asked)
    assert answer.message()["content"] == [{"type": "text", "text": "b"}]
    assert [block["type"] for block in api.requests[1].messages[1]["content"]] == ["text"]


async def test_the_request_holds_the_key_and_the_body_of_the_conversation(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(Text("a"))
    await answer_of(provider, HI)
    sent = api.requests[0]
    assert sent.key.startswith("sk-ant-test")
    assert sent.body["stream"] is True
    assert sent.body["model"] == model().id
    assert sent.system == "Be brief."
    assert sent.tool_names == ["read"]
    assert sent.last_text == "hi"


async def test_bytes_that_are_no_events_are_a_fault_that_may_pass(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    for garbage in (
        Raw(b"event: content_block_delta\ndata: {broken\n\n"),
        Raw(b"event: content_block_delta\ndata: \xff\xfe\n\n"),
        Raw(b'event: content_block_delta\ndata: ["a list"]\n\n'),
        Event("content_block_delta", {"type": "content_block_delta", "index": 0}),
        Event("content_block_start", {"type": "content_block_start"}),
        Event("message_delta", {"type": "message_delta", "delta": None}),
        Event("message_delta", {"type": "message_delta", "delta": {"stop_reason": ["stop"]}}),
        Event("content_block_delta", "[" * 5000),
        *(_delta(delta) for delta in WRONG_DELTAS),
        *(_start(block) for block in WRONG_BLOCKS),
    ):
        api.reply(Text("a"), garbage)
        with pytest.raises(ProviderError, match="cannot be read") as caught:
            await answer_of(provider, HI)
        assert caught.value.retryable


WRONG_DELTAS: list[dict[str, Any]] = [
    {"type": "text_delta", "text": 5},
    {"type": "thinking_delta", "thinking": ["a"]},
    {"type": "signature_delta", "signature": True},
    {"type": "input_json_delta", "partial_json": {}},
]
WRONG_BLOCKS: list[dict[str, Any]] = [
    {"type": "text", "text": 5},
    {"type": "thinking", "thinking": {"a": 1}, "signature": ""},
    {"type": "redacted_thinking", "data": [1]},
    {"type": "tool_use", "id": "toolu_a", "name": 5, "input": {}},
]


def _delta(delta: dict[str, Any]) -> Event:
    return Event("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta})


def _start(block: dict[str, Any]) -> Event:
    data = {"type": "content_block_start", "index": 7, "content_block": block}
    return Event("content_block_start", data)


@pytest.mark.parametrize("wrong", [10**400, -1, True, "many", [1]])
async def test_a_count_that_nobody_can_believe_is_left_out(
    wrong: Any, api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(Text("a"), start_usage={"input_tokens": 100}, usage={"input_tokens": wrong})
    assert (await answer_of(provider, HI))[0].usage["input"] == 100
