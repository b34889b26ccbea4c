"""A conversation with a real model, which says what it likes."""

from __future__ import annotations

import pytest

from tests.client import Client, JsonObject
from tests.local.conftest import Service, StartClient, documented
from tests.protocol.conftest import stored_messages, text_of

TALK_ONLY: JsonObject = {"defaultTools": []}
"""For a model that is too small to leave tools alone."""


async def test_a_prompt_is_answered_and_kept(service: Service, start: StartClient) -> None:
    editor = await start({**documented("llama.cpp", service), **TALK_ONLY})
    settled = await editor.run("Say hello in one short sentence.")
    assert settled["aborted"] is False
    question, answer = await stored_messages(editor)
    assert text_of(question) == "Say hello in one short sentence."
    assert text_of(answer).strip() == streamed(editor).strip() != ""
    assert answer["provider"] == "llama"
    assert answer["model"] == service.model
    assert answer["stopReason"] in ("stop", "length")
    assert answer["usage"]["input"] + answer["usage"]["cacheRead"] > 0
    assert answer["usage"]["output"] > 0


async def test_the_conversation_goes_on(service: Service, start: StartClient) -> None:
    editor = await start({**documented("llama.cpp", service), **TALK_ONLY})
    await editor.run("My name is Ada.")
    await editor.run("What is my name?")
    messages = await stored_messages(editor)
    assert [one["role"] for one in messages] == ["user", "assistant"] * 2
    first, second = (used(one) for one in messages[1::2])
    assert second > first


async def test_the_tools_are_taken(service: Service, start: StartClient) -> None:
    """Whether it uses them is the model's affair: the service takes their description."""
    editor = await start(documented("llama.cpp", service))
    await editor.run("Say hello.")
    answer = (await stored_messages(editor))[1]
    assert answer["stopReason"] != "error", answer.get("errorMessage")


async def test_an_answer_is_stopped(service: Service, start: StartClient) -> None:
    settings = {**documented("llama.cpp", service), **TALK_ONLY}
    settings["models"][0]["maxTokens"] = 4096
    editor = await start(settings)
    await editor.request("pi/prompt", text="Count from one to one thousand, in words.")
    await editor.wait_for(lambda event: event.get("kind") == "text")
    report = await editor.request("pi/abort")
    assert report["aborted"] is True
    assert (await editor.wait_for("settled"))["aborted"] is True
    messages = await stored_messages(editor)
    assert messages[-1]["stopReason"] == "aborted"
    assert text_of(messages[-1]) != ""
    # The only slot of the service is free again, and the conversation goes on.
    await editor.run("Stop counting.")
    assert (await stored_messages(editor))[-1]["stopReason"] in ("stop", "length")


@pytest.mark.parametrize("heading", ["Ollama", "LM Studio"])
async def test_the_settings_for_other_services_work_alike(
    heading: str, service: Service, start: StartClient
) -> None:
    settings = documented(heading, service)
    editor = await start({**settings, **TALK_ONLY})
    await editor.run("Say hello.")
    answer = (await stored_messages(editor))[-1]
    assert [answer["provider"]] == list(settings["providers"])
    assert answer["stopReason"] in ("stop", "length")


def streamed(editor: Client) -> str:
    """The text that came in pieces."""
    events = (one["event"] for one in editor.events)
    return "".join(event["delta"] for event in events if event.get("kind") == "text")


def used(answer: JsonObject) -> int:
    """Tokens of what was sent for an answer."""
    usage = answer["usage"]
    return usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
