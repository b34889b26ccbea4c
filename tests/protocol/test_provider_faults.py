"""When the service fails: what is tried again, what is told, and what stands in the file."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client import Client
from tests.messages_api import (
    Cut,
    ErrorEvent,
    HttpError,
    MessagesApi,
    Text,
    ToolCall,
)
from tests.protocol.conftest import StartClient, stored_messages, text_of

PASSING: dict[str, Any] = {
    "408": [HttpError(408, "timeout_error", "Request timed out")],
    "409": [HttpError(409, "api_error", "Conflict")],
    "429": [HttpError(429, "rate_limit_error", "Number of request tokens has exceeded the limit")],
    "500": [HttpError(500)],
    "502 of a proxy": [HttpError(502, body="<html>Bad gateway</html>")],
    "503": [HttpError(503, "api_error", "Service unavailable")],
    "529": [HttpError(529, "overloaded_error", "Overloaded")],
    "error in the stream": [Text("half"), ErrorEvent("overloaded_error", "Overloaded")],
    "cut connection": [Text("half"), Cut()],
    "cut before the first byte": [Cut()],
}

LASTING: dict[str, tuple[HttpError, str]] = {
    "400": (HttpError(400, "invalid_request_error", "messages: wrong"), "messages: wrong"),
    "401": (HttpError(401, "authentication_error", "invalid x-api-key"), "key"),
    "403": (HttpError(403, "permission_error", "not allowed"), "not allowed"),
    "404": (HttpError(404, "not_found_error", "model: nope"), "nope"),
    "413": (HttpError(413, "request_too_large", "Request too large"), "image"),
    "429 of an empty account": (
        HttpError(429, "rate_limit_error", "Your credit balance is too low"),
        "credit",
    ),
}


async def no_trace_of_the_failure(client: Client) -> None:
    messages = await stored_messages(client)
    assert [(one["role"], one.get("stopReason")) for one in messages] == [
        ("user", None),
        ("assistant", "stop"),
    ]
    assert text_of(messages[-1]) == "Here I am."


@pytest.mark.parametrize("fault", PASSING)
async def test_a_fault_that_may_pass_is_tried_again(
    fault: str, scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(*PASSING[fault])
    api.reply(Text("Here I am."))
    client = await scripted()

    settled = await client.run("talk")

    assert "error" not in settled
    types = client.event_types()
    assert types.count("retry_start") == types.count("retry_end") == 1
    start = next(one["event"] for one in client.events if one["event"]["type"] == "retry_start")
    assert (start["attempt"], start["maxAttempts"]) == (1, 3)
    assert start["error"]
    end = next(one["event"] for one in client.events if one["event"]["type"] == "retry_end")
    assert end["success"] is True
    await no_trace_of_the_failure(client)


async def test_a_stream_without_its_end_is_no_answer_and_its_call_does_not_run(
    scripted: StartClient, api: MessagesApi
) -> None:
    call = ToolCall("bash", {"command": "touch ran"})
    api.reply(Text("I will."), call, message_stop=False)
    api.reply(Text("Here I am."))
    client = await scripted()

    await client.run("talk")

    assert not (client.folder / "ran").exists()
    await no_trace_of_the_failure(client)


async def test_after_the_last_attempt_the_fault_is_told_and_recorded(
    scripted: StartClient, api: MessagesApi
) -> None:
    for _ in range(4):
        api.reply(HttpError(529, "overloaded_error", "Overloaded"))
    client = await scripted()

    settled = await client.run("talk")

    assert len(api.requests) == 4
    assert settled["error"]
    assert settled["aborted"] is False
    delays = [
        one["event"]["delayMs"] for one in client.events if one["event"]["type"] == "retry_start"
    ]
    assert delays == [1, 2, 4]
    messages = await stored_messages(client)
    assert [one.get("stopReason") for one in messages] == [None, "error"]
    assert messages[-1]["errorMessage"] == settled["error"]
    state = await client.request("pi/state")
    assert state["canContinue"] is True
    assert "retry" not in state

    api.reply(Text("Here I am."))
    await client.request("pi/continue")
    await client.wait_for("settled")
    assert text_of((await stored_messages(client))[-1]) == "Here I am."
    assert [one["role"] for one in api.requests[-1].messages] == ["user"]


async def test_each_answer_has_its_own_attempts(scripted: StartClient, api: MessagesApi) -> None:
    for _ in range(3):
        api.reply(HttpError(500))
        api.reply(HttpError(500))
        api.reply(ToolCall("ls", {}))
    api.reply(Text("Done."))
    client = await scripted()

    settled = await client.run("work")

    assert "error" not in settled
    assert len(api.requests) == 10


async def test_the_service_may_say_how_long_to_wait_up_to_a_limit(
    scripted: StartClient, api: MessagesApi
) -> None:
    wait = {"retry-after": "3600"}
    api.reply(HttpError(429, "rate_limit_error", "Too many requests", headers=wait))
    client = await scripted(settings={"retry": {"maxAgentDelayMs": 7}})
    api.reply(Text("Here I am."))

    await client.run("talk")

    start = next(one["event"] for one in client.events if one["event"]["type"] == "retry_start")
    assert start["delayMs"] == 7


async def test_retries_can_be_switched_off(scripted: StartClient, api: MessagesApi) -> None:
    api.reply(HttpError(500))
    client = await scripted(settings={"retry": {"enabled": False}})

    settled = await client.run("talk")

    assert settled["error"]
    assert len(api.requests) == 1


@pytest.mark.parametrize("fault", LASTING)
async def test_a_fault_that_lasts_is_told_at_once_and_says_what_to_do(
    fault: str, scripted: StartClient, api: MessagesApi
) -> None:
    error, expected = LASTING[fault]
    api.reply(error)
    client = await scripted()

    settled = await client.run("talk")

    assert len(api.requests) == 1
    assert expected in settled["error"].lower()
    assert "test-key" not in str(client.received)
    assert "Traceback" not in str(client.received)
    api.reply(Text("Here I am."))
    await client.run("again")
    assert text_of((await stored_messages(client))[-1]) == "Here I am."


async def test_a_dead_network_is_told_as_such(start: StartClient) -> None:
    client = await start(
        settings={
            "providers": {"anthropic": {"baseUrl": "http://127.0.0.1:9", "apiKey": "k"}},
            "retry": {"baseDelayMs": 1},
        }
    )

    settled = await client.run("talk")

    assert "127.0.0.1:9" in settled["error"]
    assert client.event_types().count("retry_start") == 3


async def test_a_call_of_an_answer_that_was_cut_never_runs_and_the_run_goes_on(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(
        ToolCall("bash", {"command": "touch one"}),
        ToolCall("write", '{"path": "two", "content": "ha'),
        stop_reason="max_tokens",
    )
    api.reply(Text("Then in smaller pieces."))
    client = await scripted()

    settled = await client.run("work")

    assert "error" not in settled
    assert {path.name for path in client.folder.iterdir()} == {".pi"}
    messages = await stored_messages(client)
    assert messages[1]["stopReason"] == "length"
    assert [one["isError"] for one in messages[2:4]] == [True, True]
    assert all("length limit" in text_of(one) for one in messages[2:4])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (ToolCall("no_such_tool", {}), "no_such_tool"),
        (ToolCall("read", {"path": 5}), "path"),
        (ToolCall("read", {}), "path"),
        (ToolCall("read", '{"path": "a'), "JSON"),
        (ToolCall("read", "[1]"), "JSON"),
        (ToolCall("read", {"path": "a\ud800"}), ""),
        (ToolCall("edit", {"path": "a\0b", "edits": [{"oldText": "a", "newText": "b"}]}), ""),
        (ToolCall("grep", {"pattern": "a\0b"}), ""),
    ],
)
async def test_a_wrong_call_is_an_error_result_for_the_model(
    call: ToolCall, expected: str, scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(call)
    api.reply(Text("I see."))
    client = await scripted()

    settled = await client.run("work")

    assert "error" not in settled
    result = (await stored_messages(client))[2]
    assert result["isError"] is True
    assert expected in text_of(result)
    assert "unexpectedly" not in text_of(result)


async def test_a_refusal_is_an_error_that_is_told(scripted: StartClient, api: MessagesApi) -> None:
    api.reply(Text("I'd rather"), stop_reason="refusal")
    client = await scripted()

    settled = await client.run("talk")

    assert settled["error"]
    assert (await stored_messages(client))[-1]["stopReason"] == "error"
