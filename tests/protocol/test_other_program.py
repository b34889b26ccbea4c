"""Another program (pi in a terminal) writes the session that the server holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.client import Client
from tests.messages_api import Gate, MessagesApi, Text
from tests.protocol.conftest import StartClient, stored


async def appended(client: Client, entry_id: str, text: str, parent: str | None) -> None:
    """Append a user message as another program would, with its own order of keys."""
    file = Path((await client.request("pi/state"))["file"])
    message = {"role": "user", "content": text, "timestamp": 1}
    line: dict[str, Any] = {
        "id": entry_id,
        "parentId": parent,
        "type": "message",
        "message": message,
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    with file.open("a") as stream:
        stream.write(json.dumps(line) + "\n")


async def leaf(client: Client) -> str | None:
    return (await client.request("pi/state"))["leafId"]


async def test_what_continues_from_our_leaf_is_taken_in_and_the_leaf_follows(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(Text("first"))
    client = await scripted()
    await client.run("one")
    await appended(client, "aaaaaaaa", "from the terminal", await leaf(client))

    assert await leaf(client) == "aaaaaaaa"
    assert (await client.wait_for("leaf_changed"))["leafId"] == "aaaaaaaa"
    api.reply(Text("second"))
    await client.run("two")

    assert api.requests[-1].texts("user") == ["one", "from the terminal\ntwo"]


async def test_another_branch_does_not_move_our_leaf_and_pi_finds_ours_again(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(Text("first"))
    client = await scripted()
    await client.run("one")
    ours = await leaf(client)
    await appended(client, "bbbbbbbb", "elsewhere", None)

    assert await leaf(client) == ours
    api.reply(Text("second"))
    await client.run("two")

    assert api.requests[-1].texts("user") == ["one", "two"]
    lines = await stored(client)
    place = next(n for n, line in enumerate(lines) if line.get("id") == "bbbbbbbb")
    assert lines[place + 1]["customType"] == "pi-lsp.leaf"
    assert lines[place + 1]["data"] == {"targetId": ours}
    assert lines[place + 2]["parentId"] == ours


async def test_in_the_middle_of_a_run_both_write_and_nothing_is_lost(
    scripted: StartClient, api: MessagesApi
) -> None:
    gate = Gate()
    api.reply(gate, Text("half and half"))
    client = await scripted()
    await client.request("pi/prompt", text="one")
    await gate.reached()
    await appended(client, "cccccccc", "meanwhile", await leaf(client))
    gate.open()
    await client.wait_for("settled")

    texts = {node["text"] for node in (await client.request("pi/tree"))["nodes"]}
    assert texts == {"one", "meanwhile", "half and half"}
    state = await client.request("pi/state")
    messages = (await client.request("pi/messages"))["messages"]
    assert [one["message"]["role"] for one in messages] == ["user", "assistant"]
    assert messages[-1]["entryId"] == state["leafId"]
