"""Messages are well-formed, whatever the file holds."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pi_lsp.messages import Message, StopReason
from pi_lsp.session.shapes import message_of, ms_of

WELL_FORMED = TypeAdapter[Any](Message)

ODD: list[Any] = [
    *(None, True, False, 0, -7, 1.5, 10**400, float("inf"), "", "word", [], {}, [None, 3, "x", []]),
    *("toolUse", "high", {"input": "many", "cost": 5}, {"input": -1, "cost": {"total": "free"}}),
]
odd = st.sampled_from(ODD)

BLOCK_MEMBERS = ("text", "data", "mimeType", "thinking", "thinkingSignature", "id", "name")
block_types = st.sampled_from(["text", "image", "thinking", "toolCall", "video"])
arguments = odd | st.sampled_from(['{"a": 1}', "{not json", "[1]"])
blocks = st.fixed_dictionaries(
    {"type": block_types | odd, "arguments": arguments}, optional=dict.fromkeys(BLOCK_MEMBERS, odd)
)

MESSAGE_MEMBERS = (
    *("timestamp", "usage", "stopReason", "errorMessage", "thinkingLevel", "model", "provider"),
    *("toolCallId", "toolName", "details", "isError", "command", "output", "exitCode"),
    *("cancelled", "truncated", "display", "customType"),
)
ROLES = ["user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage", "system"]
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(ROLES) | odd, "content": st.lists(blocks | odd, max_size=3) | odd},
    optional=dict.fromkeys(MESSAGE_MEMBERS, odd),
)

ENTRY_MEMBERS = ("content", "summary", "fromId", "tokensBefore", "timestamp", "display")
TYPES = ["message", "custom_message", "compaction", "branch_summary"]
entries = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES), "message": messages | odd},
    optional=dict.fromkeys(ENTRY_MEMBERS, odd),
)


@given(entries)
def test_whatever_an_entry_holds_its_message_is_well_formed(data: dict[str, Any]) -> None:
    message = message_of(data)
    if message is not None:
        WELL_FORMED.validate_python(message, strict=True)


@pytest.mark.parametrize("content", [None, 7, {}, "absent"])
def test_missing_content_counts_as_empty(content: Any) -> None:
    for role in ("user", "assistant", "toolResult", "custom"):
        stored = {"role": role} | ({} if content == "absent" else {"content": content})
        message = message_of({"type": "message", "message": stored})
        assert message is not None
        assert message.get("content") == []


def test_what_a_stream_left_in_a_block_does_not_go_on() -> None:
    block = {"type": "toolCall", "id": "1", "name": "read", "arguments": {}, "partialJson": "{"}
    stored = {"role": "assistant", "content": [block]}
    message: Any = message_of({"type": "message", "message": stored})
    assert "partialJson" not in message["content"][0]


def test_arguments_that_were_stored_as_text_are_read() -> None:
    block = {"type": "toolCall", "id": "1", "name": "read", "arguments": '{"path": "a"}'}
    stored = {"role": "assistant", "content": [block]}
    message: Any = message_of({"type": "message", "message": stored})
    assert message["content"][0]["arguments"] == {"path": "a"}


def test_an_answer_that_was_still_streaming_counts_as_aborted() -> None:
    stored = {"role": "assistant", "content": "half", "stopReason": "pending"}
    message: Any = message_of({"type": "message", "message": stored})
    assert message["stopReason"] == "aborted"
    assert message["stopReason"] in get_args(StopReason)
    assert message["content"] == [{"type": "text", "text": "half"}]


def test_a_message_without_a_time_has_its_entrys() -> None:
    stored: dict[str, Any] = {"role": "user", "content": "x"}
    entry = {"type": "message", "timestamp": "2026-01-31T09:15:02.118Z", "message": stored}
    message: Any = message_of(entry)
    assert message["timestamp"] == 1769850902118


@pytest.mark.parametrize("timestamp", [None, "", "yesterday", 5, "9999-99-99T00:00:00Z"])
def test_a_time_that_is_none_is_the_beginning_of_time(timestamp: Any) -> None:
    assert ms_of(timestamp) == 0
