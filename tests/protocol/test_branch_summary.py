"""Leaving a branch with a summary."""

from __future__ import annotations

import pytest

from tests.client import Client, JsonObject, RequestFailed
from tests.messages_api import Gate, MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient
from tests.protocol.long_conversations import (
    asks_for_summary,
    entries_of,
    start_small,
    talk,
    used,
)


def entry_saying(client: Client, text: str) -> JsonObject:
    return next(entry for entry in entries_of(client) if text in str(entry.get("message")))


async def test_what_is_left_behind_is_summarised_at_the_new_leaf(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 1, "")
    here = entry_saying(client, "Answer 0.")
    api.reply(ToolCall("write", {"path": "b.txt", "content": "b"}))
    api.reply(Text("I wrote b.txt."))
    await client.run("Try it with b.txt.")
    old_leaf = (await client.request("pi/state"))["leafId"]

    api.reply(Text("b.txt was tried."), **used(700, 20))
    moved = await client.request(
        "pi/navigate", entryId=here["id"], summarize=True, instructions="say why"
    )
    request = api.requests[-1]
    assert asks_for_summary(request)
    assert "Try it with b.txt." in request.last_text
    assert "Question 0" not in request.last_text
    assert "say why" in request.last_text

    summary = entries_of(client)[-1]
    assert summary["type"] == "branch_summary"
    assert summary["id"] == moved["summaryEntryId"] == moved["leafId"]
    assert summary["parentId"] == here["id"]
    assert summary["fromId"] == old_leaf
    assert summary["summary"].startswith("b.txt was tried.")
    assert summary["details"] == {"readFiles": [], "modifiedFiles": ["b.txt"]}
    assert summary["usage"]["input"] == 700

    api.reply(Text("Yes."))
    await client.run("Go on without it.")
    sent = str(api.requests[-1].messages)
    assert "b.txt was tried." in sent
    assert "Try it with b.txt." not in sent


async def test_going_to_a_persons_message_gives_its_text_back_beside_the_summary(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 2, "")
    question = entry_saying(client, "Question 1.")
    api.reply(Text("Something was asked."))
    moved = await client.request("pi/navigate", entryId=question["id"], summarize=True)
    assert moved["editorText"].startswith("Question 1.")
    assert entries_of(client)[-1]["parentId"] == question["parentId"]


async def test_back_to_the_root_the_summary_is_the_first_entry(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 1, "")
    api.reply(Text("It began."))
    moved = await client.request("pi/navigate", entryId=None, summarize=True)
    summary = entries_of(client)[-1]
    assert summary["parentId"] is None
    assert moved["leafId"] == summary["id"]


async def test_leaving_nothing_behind_needs_no_summary(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 1, "")
    leaf = (await client.request("pi/state"))["leafId"]
    moved = await client.request("pi/navigate", entryId=leaf, summarize=True)
    assert "summaryEntryId" not in moved
    assert len(api.requests) == 1


async def test_only_the_active_path_is_summarised(scripted: StartClient, api: MessagesApi) -> None:
    client = await start_small(scripted)
    await talk(client, api, 1, "")
    here = entry_saying(client, "Answer 0.")
    api.reply(Text("ok"))
    await client.run("The first way.")
    await client.request("pi/navigate", entryId=here["id"])
    api.reply(Text("ok"))
    await client.run("The second way.")
    api.reply(Text("The second was tried."))
    await client.request("pi/navigate", entryId=here["id"], summarize=True)
    assert "The second way." in api.requests[-1].last_text
    assert "The first way." not in api.requests[-1].last_text


async def test_a_summary_that_fails_leaves_the_leaf_where_it_was(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 2, "")
    before = entries_of(client)
    leaf = (await client.request("pi/state"))["leafId"]
    api.reply(Text("half"), stop_reason="max_tokens")
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/navigate", entryId=before[2]["id"], summarize=True)
    assert refused.value.code == "provider"
    assert entries_of(client) == before
    state = await client.request("pi/state")
    assert (state["leafId"], state["phase"]) == (leaf, "idle")
    assert (await client.wait_for("branch_summary_end"))["error"] == refused.value.message


async def test_a_summary_that_is_stopped_leaves_the_leaf_and_the_session_usable(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 2, "")
    before = entries_of(client)
    gate = Gate()
    api.reply(Text("half"), gate)
    asked = client.send_request("pi/navigate", entryId=before[2]["id"], summarize=True)
    await gate.reached()
    assert (await client.request("pi/state"))["phase"] == "branch_summary"
    await client.request("pi/abort")
    with pytest.raises(RequestFailed) as stopped:
        await client.answer_to(asked)
    assert stopped.value.number == -32800
    assert entries_of(client) == before
    assert (await client.wait_for("branch_summary_end"))["aborted"] is True
    api.reply(Text("Yes."))
    assert "error" not in await client.run("Still there?")


async def test_what_is_typed_meanwhile_runs_on_the_new_branch(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 2, "")
    here = entry_saying(client, "Answer 0.")
    gate = Gate()
    api.reply(Text("It was"), gate, Text("tried."))
    api.reply(Text("Yes."))
    asked = client.send_request("pi/navigate", entryId=here["id"], summarize=True)
    await gate.reached()
    await client.request("pi/steer", text="go on here")
    gate.open()
    await client.answer_to(asked)
    await client.wait_for("settled")
    sent = str(api.requests[-1].messages)
    assert "go on here" in sent
    assert "Question 1" not in sent


async def test_the_newest_of_a_branch_that_is_too_long_is_summarised(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted, compaction={"enabled": False})
    await talk(client, api, 1, "")
    here = entry_saying(client, "Answer 0.")
    await talk(client, api, 3, "long words " * 8000)
    api.reply(Text("Long words were said."))
    await client.request("pi/navigate", entryId=here["id"], summarize=True)
    prompt = api.requests[-1].last_text
    assert "earlier messages are left out" in prompt
    assert "Answer 2." in prompt
    assert "Question 0. long" not in prompt
