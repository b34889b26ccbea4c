"""Going back to any point of the conversation, and on from there; nothing is ever lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, RequestFailed
from tests.messages_api import Gate, MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient, stored, stored_messages, text_of


async def talk(client: Client, api: MessagesApi, *turns: tuple[str, str]) -> None:
    for question, answer in turns:
        api.reply(Text(answer))
        await client.run(question)


async def node(client: Client, text: str) -> str:
    """The id of the entry with this text."""
    tree = await client.request("pi/tree", filter="all")
    return next(one["id"] for one in tree["nodes"] if one["text"] == text)


def said(request: Any) -> list[str]:
    return [*request.texts("user"), *request.texts("assistant")]


async def test_going_to_a_persons_message_gives_its_text_back_and_leaves_it_behind(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"), ("two", "second"))
    before = await stored(client)

    moved = await client.request("pi/navigate", entryId=await node(client, "two"))

    assert moved == {"leafId": await node(client, "first"), "editorText": "two"}
    assert (await client.wait_for("leaf_changed"))["leafId"] == moved["leafId"]
    after = await stored(client)
    assert after[: len(before)] == before, "what was written is never changed"
    switch = after[len(before) :]
    assert [line["customType"] for line in switch] == ["pi-lsp.leaf"]
    assert switch[0]["parentId"] == switch[0]["data"]["targetId"] == moved["leafId"]
    await talk(client, api, ("another two", "other"))
    assert said(api.requests[-1]) == ["one", "another two", "first"]


async def test_going_to_an_answer_makes_it_the_leaf(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"), ("two", "second"))

    moved = await client.request("pi/navigate", entryId=await node(client, "first"))

    assert moved == {"leafId": await node(client, "first")}
    assert (await client.request("pi/messages"))["messages"][-1]["entryId"] == moved["leafId"]


async def test_the_empty_root_is_a_place_too(scripted: StartClient, api: MessagesApi) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"))

    moved = await client.request("pi/navigate", entryId=None)

    assert moved["leafId"] is None
    state = await client.request("pi/state")
    assert (state["leafId"], state["messageCount"], state["canContinue"]) == (None, 0, False)
    await talk(client, api, ("afresh", "yes"))
    assert said(api.requests[-1]) == ["afresh"]


async def test_a_switch_survives_a_restart(scripted: StartClient, api: MessagesApi) -> None:
    first = await scripted()
    await talk(first, api, ("one", "first"), ("two", "second"))
    leaf = (await first.request("pi/navigate", entryId=await node(first, "two")))["leafId"]
    await first.quit()

    second = await scripted()

    assert (await second.request("pi/state"))["leafId"] == leaf
    tree = await second.request("pi/tree")
    assert [one["text"] for one in tree["nodes"] if one["onPath"]] == ["one", "first"]
    assert len(tree["nodes"]) == 4


async def test_an_old_message_is_edited_in_one_step(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"), ("two", "second"))

    api.reply(Text("third"))
    await client.run("a better one", at=await node(client, "one"))

    assert said(api.requests[-1]) == ["a better one"]
    state = await client.request("pi/state")
    assert state["messageCount"] == 2
    assert len((await client.request("pi/tree"))["nodes"]) == 6


async def test_a_place_that_is_not_there_changes_nothing(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"))
    before = await stored(client)
    for method, params in [
        ("pi/navigate", {"entryId": "nowhere"}),
        ("pi/prompt", {"text": "x", "at": "nowhere"}),
        ("pi/fork", {"entryId": "nowhere"}),
        ("pi/label", {"entryId": "nowhere", "label": "x"}),
        ("pi/messages", {"leafId": "nowhere"}),
        ("pi/entries", {"since": "nowhere"}),
    ]:
        with pytest.raises(RequestFailed) as refused:
            await client.request(method, params)
        assert refused.value.code == "not_found", method
    assert await stored(client) == before
    assert (await client.request("pi/state"))["phase"] == "idle"


async def test_a_fork_takes_the_path_and_gives_the_text_back(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"), ("two", "second"))
    old = await client.request("pi/state")
    before = Path(old["file"]).read_bytes()
    await client.request("pi/label", entryId=await node(client, "first"), label="here")

    forked = await client.request("pi/fork", entryId=await node(client, "two"))

    assert forked["editorText"] == "two"
    state = await client.request("pi/state")
    assert forked["sessionId"] == state["sessionId"] != old["sessionId"]
    header, *entries = await stored(client)
    assert header["parentSession"] == old["file"]
    assert [text_of(one) for one in await stored_messages(client)] == ["one", "first"]
    assert entries[-1]["type"] == "label"
    assert Path(old["file"]).read_bytes().startswith(before)
    await talk(client, api, ("another two", "other"))
    assert said(api.requests[-1]) == ["one", "another two", "first"]
    changed = [one for one in client.events if one["event"]["type"] == "session_changed"]
    assert changed[0]["sessionId"] == state["sessionId"]


async def test_a_clone_goes_on_from_the_leaf(scripted: StartClient, api: MessagesApi) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"))

    await client.request("pi/clone")
    await talk(client, api, ("two", "second"))

    assert said(api.requests[-1]) == ["one", "two", "first"]
    assert len((await client.request("pi/sessions"))["sessions"]) == 2


async def test_the_model_and_the_thinking_level_follow_the_path(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"))
    await client.request("pi/setModel", provider="anthropic", modelId="claude-opus-4-5")
    await client.request("pi/setThinkingLevel", level="high")
    await talk(client, api, ("two", "second"))

    await client.request("pi/navigate", entryId=await node(client, "first"))

    state = await client.request("pi/state")
    assert (state["model"]["id"], state["thinkingLevel"]) == ("claude-sonnet-4-5", "medium")
    await client.request("pi/navigate", entryId=await node(client, "second"))
    state = await client.request("pi/state")
    assert (state["model"]["id"], state["thinkingLevel"]) == ("claude-opus-4-5", "high")


async def test_labels_come_and_go(scripted: StartClient, api: MessagesApi) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"))
    target = await node(client, "first")

    await client.request("pi/label", entryId=target, label="good")
    tree = await client.request("pi/tree", filter="labeled")
    assert [(one["id"], one["label"]) for one in tree["nodes"]] == [(target, "good")]

    await client.request("pi/label", entryId=target, label=None)
    assert (await client.request("pi/tree", filter="labeled"))["nodes"] == []


async def test_a_label_on_the_way_is_put_on_the_entry_that_was_gone_to(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    await talk(client, api, ("one", "first"))

    await client.request("pi/navigate", entryId=await node(client, "one"), label="again")

    tree = await client.request("pi/tree", filter="labeled")
    assert [(one["text"], one["label"]) for one in tree["nodes"]] == [("one", "again")]


async def test_a_run_that_crashed_in_its_tools_goes_on_without_running_them_again(
    scripted: StartClient, api: MessagesApi
) -> None:
    first = await scripted()
    api.reply(ToolCall("bash", {"command": "echo again >> ran; echo on; sleep 60"}))
    await first.request("pi/prompt", text="work")
    await first.wait_for("tool_execution_update")
    first.kill()
    await first.exit_code()

    second = await scripted()
    assert (await second.request("pi/state"))["canContinue"] is True
    api.reply(Text("I see."))
    await second.request("pi/continue")
    await second.wait_for("settled")

    assert (second.folder / "ran").read_text() == "again\n"
    roles = [one["role"] for one in await stored_messages(second)]
    assert roles == ["user", "assistant", "toolResult", "assistant"]
    assert (await stored_messages(second))[2]["isError"] is True


async def test_there_is_nothing_to_continue_after_a_whole_answer(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    for _ in range(2):
        with pytest.raises(RequestFailed) as refused:
            await client.request("pi/continue")
        assert refused.value.code == "invalid_state"
        await talk(client, api, ("one", "first"))


async def test_a_reload_in_mid_answer_draws_what_is_there(
    scripted: StartClient, api: MessagesApi
) -> None:
    gate = Gate()
    api.reply(Text("Half an "), gate, Text("answer"))
    client = await scripted()
    await client.request("pi/prompt", text="talk")
    await gate.reached()
    await client.wait_for("message_update")

    state = await client.request("pi/state")

    assert state["phase"] == "turn"
    assert state["streaming"]["message"]["content"] == [{"type": "text", "text": "Half an "}]
    assert state["seq"] == client.events[-1]["seq"]
    gate.open()
    await client.wait_for("settled")
    assert "streaming" not in await client.request("pi/state")
