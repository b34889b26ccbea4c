"""What only our server writes, and how the real pi takes it up."""

from __future__ import annotations

import asyncio

from tests.editor import Editor, JsonObject
from tests.messages_api import ApiRequest, Text, Thinking, ToolCall
from tests.pi.same_conversation import conversation, missing_result
from tests.pi.shared_folder import ADAPTIVE, SETTINGS, SharedFolder, long, texts


async def test_of_models_that_think_by_themselves_only_pi_sends_thinking_from_before_a_compaction(
    shared: SharedFolder,
) -> None:
    """Its signature is bound to what the compaction took away, so we leave it out."""
    shared.keep("settings.json", {**SETTINGS, "defaultModel": ADAPTIVE})
    client = await shared.ours()
    await shared.talk(client, (long("one"), "1"), (long("two"), "2"))
    shared.api.reply(Thinking("Six?"), Text("6"))
    await client.run(long("six"))
    shared.api.reply(Text("## Goal\nTo count."))
    await client.request("pi/compact")
    shared.api.reply(Thinking("Ten?"), Text("10"))
    await client.run(long("ten"))

    theirs, ours = await shared.next_requests()

    assert texts(conversation(ours)) == texts(conversation(theirs))
    assert thoughts(ours) == ["Ten?"]
    assert thoughts(theirs) == ["Six?", "Ten?"]


def thoughts(request: ApiRequest) -> list[str]:
    blocks = [block for message in conversation(request) for block in message["content"]]
    return [block["thinking"] for block in blocks if block["type"] == "thinking"]


async def test_what_waits_for_the_next_prompt_waits_for_ours(shared: SharedFolder) -> None:
    """pi has no such queue, and sees nothing of it."""
    client = await shared.ours()
    await shared.talk(client, ("one", "first"))
    await client.request("pi/nextTurn", text="By the way")

    async with shared.pi() as pi:
        await shared.talk(pi, ("two", "second"))
    assert texts(conversation(shared.api.requests[-1])) == ["one", "first", "two"]

    await shared.talk(client, ("three", "third"))
    told = texts(conversation(shared.api.requests[-1]))
    assert told == ["one", "first", "two", "second", "By the way", "three"]


async def test_an_open_call_of_a_server_that_was_killed(shared: SharedFolder) -> None:
    asked = asyncio.Event()

    async def no_answer(_params: JsonObject) -> None:
        asked.set()
        await asyncio.Event().wait()

    client = await shared.ours(Editor(answers={"pi/approve": no_answer}))
    shared.api.reply(Thinking("It is safe."), ToolCall("bash", {"command": "true"}, id="call_1"))
    await client.request("pi/prompt", text="Run it")
    await asked.wait()
    await shared.end_ours(kill=True)

    told = await shared.conversation_in_both()

    assert [block["type"] for block in told[1]["content"]] == ["thinking", "tool_use"]
    assert told[2]["content"] == [missing_result("call_1"), {"type": "text", "text": "And now?"}]
