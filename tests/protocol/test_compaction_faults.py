"""Overflows, and summaries that fail: nothing half is written, and the session stays usable."""

from __future__ import annotations

import pytest

from tests.client import RequestFailed
from tests.messages_api import (
    Cut,
    ErrorEvent,
    HttpError,
    MessagesApi,
    Text,
    Thinking,
    ToolCall,
)
from tests.messages_api.parts import Part
from tests.protocol.conftest import StartClient
from tests.protocol.long_conversations import (
    TOO_LONG,
    WINDOW,
    asks_for_summary,
    compactions_of,
    entries_of,
    events_of,
    start_small,
    talk,
    used,
)

OVERLOADED = HttpError(529, "overloaded_error", "Overloaded")


async def test_a_request_that_is_too_long_compacts_and_is_asked_again(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(TOO_LONG)
    api.reply(Text("## Goal\nAnswer."))
    api.reply(Text("After all."))
    settled = await client.run("Question 4.")
    assert "error" not in settled
    assert (await client.request("pi/state"))["phase"] == "idle"
    assert [asks_for_summary(request) for request in api.requests[4:]] == [False, True, False]
    assert "Question 4." in api.requests[-1].last_text
    messages = [entry["message"] for entry in entries_of(client) if entry["type"] == "message"]
    assert [message["role"] for message in messages[-2:]] == ["user", "assistant"]
    assert messages[-1]["stopReason"] == "stop"
    assert len(compactions_of(client)) == 1


async def test_an_overflow_voids_what_had_streamed(scripted: StartClient, api: MessagesApi) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(Text("half of an answer"), stop_reason="max_tokens", **used(WINDOW - 5, 5))
    api.reply(Text("## Goal\nAnswer."))
    api.reply(Text("The whole answer."))
    await client.run("Question 4.")
    assert [one["reason"] for one in events_of(client, "compaction_start")] == ["overflow"]
    texts = [
        block["text"]
        for entry in entries_of(client)
        if entry["type"] == "message" and entry["message"]["role"] == "assistant"
        for block in entry["message"]["content"]
    ]
    assert "half of an answer" not in texts
    assert texts[-1] == "The whole answer."


async def test_an_answer_that_is_only_long_is_kept(scripted: StartClient, api: MessagesApi) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(Text("a very long answer"), stop_reason="max_tokens", **used(5000, 4000))
    await client.run("Question 4.")
    assert compactions_of(client) == []
    assert entries_of(client)[-1]["message"]["stopReason"] == "length"


async def test_a_request_that_stays_too_long_stops_and_says_what_to_do(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(TOO_LONG)
    api.reply(Text("## Goal\nAnswer."))
    api.reply(TOO_LONG)
    settled = await client.run("Question 4.")
    assert "too long" in settled["error"]
    assert len(api.requests) == 7
    assert len(compactions_of(client)) == 1
    api.reply(Text("Yes."))
    assert "error" not in await client.run("Still there?")


async def test_when_nothing_can_be_compacted_the_overflow_says_what_to_do(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    api.reply(TOO_LONG)
    settled = await client.run("One question.")
    assert "too long" in settled["error"]
    assert "larger window" in settled["error"]
    assert len(api.requests) == 1
    assert compactions_of(client) == []


async def test_with_compaction_switched_off_an_overflow_says_so(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted, compaction={"enabled": False})
    await talk(client, api, 2)
    api.reply(TOO_LONG)
    settled = await client.run("Question 2.")
    assert "compact" in settled["error"]
    assert compactions_of(client) == []


@pytest.mark.parametrize(
    "fault",
    [
        HttpError(429, "rate_limit_error", "This request would exceed your limit of 40,000 tokens"),
        HttpError(429, "rate_limit_error", "Number of input tokens per minute is too long a queue"),
    ],
)
async def test_a_rate_limit_that_speaks_of_tokens_is_no_overflow(
    scripted: StartClient, api: MessagesApi, fault: HttpError
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(fault)
    api.reply(Text("After a while."))
    settled = await client.run("Question 4.")
    assert "error" not in settled
    assert compactions_of(client) == []
    assert "retry_start" in client.event_types()


async def test_a_body_that_is_too_large_is_no_overflow(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(HttpError(413, "request_too_large", "Request exceeds the maximum size"))
    settled = await client.run("Question 4.")
    assert "image" in settled["error"]
    assert compactions_of(client) == []
    assert len(api.requests) == 5


@pytest.mark.parametrize(
    ("parts", "options", "says"),
    [
        ([Text("half a sum")], {"stop_reason": "max_tokens"}, "cut off"),
        ([Text("I read"), ToolCall("read", {"path": "a"})], {}, "tool"),
        ([ToolCall("read", {"path": "a"})], {}, "tool"),
        ([Text(" ")], {}, "empty"),
        ([Thinking("hm")], {}, "empty"),
        ([HttpError(400, "invalid_request_error", "no such thing")], {}, "no such thing"),
    ],
)
async def test_what_is_no_summary_is_refused_and_nothing_is_written(
    scripted: StartClient,
    api: MessagesApi,
    parts: list[Part | HttpError],
    options: dict[str, str],
    says: str,
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    before = entries_of(client)
    api.reply(*parts, **options)
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/compact")
    assert refused.value.code == "provider"
    assert says in refused.value.message
    assert entries_of(client) == before
    ended = await client.wait_for("compaction_end")
    assert ended["error"] == refused.value.message
    api.reply(Text("Yes."))
    assert "error" not in await client.run("Still there?")


@pytest.mark.parametrize("fault", [OVERLOADED, Cut(), ErrorEvent("overloaded_error", "Overloaded")])
async def test_a_summary_is_retried_as_a_turn_is(
    scripted: StartClient, api: MessagesApi, fault: HttpError | Cut | ErrorEvent
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(fault)
    api.reply(OVERLOADED)
    api.reply(Text("## Goal\nAnswer."))
    result = await client.request("pi/compact")
    assert result["summary"] == "## Goal\nAnswer."
    assert client.event_types().count("retry_start") == 2


async def test_after_the_last_retry_the_compaction_fails(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    for _ in range(4):
        api.reply(OVERLOADED)
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/compact")
    assert refused.value.code == "provider"
    assert compactions_of(client) == []


async def test_a_summary_that_fails_while_recovering_keeps_the_message_and_the_session(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(TOO_LONG)
    api.reply(Text("half"), stop_reason="max_tokens")
    settled = await client.run("Question 4.")
    assert "error" in settled
    assert compactions_of(client) == []
    users = [
        entry["message"]
        for entry in entries_of(client)
        if entry["type"] == "message" and entry["message"]["role"] == "user"
    ]
    assert "Question 4." in str(users[-1]["content"])
    api.reply(Text("Here it is."))
    await client.request("pi/continue")
    assert "error" not in await client.wait_for("settled")


async def test_a_summary_request_that_is_too_long_itself_is_made_shorter(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(TOO_LONG)
    for _ in range(4):
        api.reply(Text("## Goal\nAnswer."))
    result = await client.request("pi/compact")
    assert result["summary"] == "## Goal\nAnswer."


async def test_a_threshold_compaction_that_fails_does_not_stop_the_run(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(ToolCall("ls", {}), **used(WINDOW - 1000, 500))
    api.reply(Text(" "))
    api.reply(Text("The folder is empty."))
    settled = await client.run("What is here?")
    (ended,) = events_of(client, "compaction_end")
    assert "empty" in ended["error"]
    assert compactions_of(client) == []
    assert settled["aborted"] is False
    assert entries_of(client)[-1]["message"]["stopReason"] == "stop"
