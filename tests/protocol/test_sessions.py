"""Sessions, branches and exports, as an editor shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client import RequestFailed
from tests.protocol.conftest import StartClient


async def test_new_switch_rename_list_and_delete(start: StartClient) -> None:
    client = await start()
    await client.run("first question")
    first = (await client.request("pi/state"))["sessionId"]
    state = await client.request("pi/newSession", name="second\none")
    second = state["sessionId"]
    assert (state["name"], state["messageCount"]) == ("second one", 0)
    assert (await client.wait_for("session_changed"))["state"]["sessionId"] == second
    await client.run("other question")
    listed = (await client.request("pi/sessions"))["sessions"]
    assert [one["sessionId"] for one in listed] == [second, first]
    assert [one["current"] for one in listed] == [True, False]
    assert listed[0]["name"] == "second one"
    assert listed[1]["firstMessage"] == "first question"
    assert listed[1]["messageCount"] == 2
    assert "name" not in listed[1]
    with pytest.raises(RequestFailed) as current:
        await client.request("pi/deleteSession", sessionId=second)
    assert current.value.code == "invalid_state"
    back = await client.request("pi/switchSession", sessionId=first)
    assert (back["sessionId"], back["messageCount"]) == (first, 2)
    await client.request("pi/renameSession", name="the first")
    assert (await client.wait_for("session_info_changed"))["name"] == "the first"
    await client.request("pi/deleteSession", sessionId=second)
    listed = (await client.request("pi/sessions"))["sessions"]
    assert [one["sessionId"] for one in listed] == [first]
    with pytest.raises(RequestFailed) as gone:
        await client.request("pi/switchSession", sessionId=second)
    assert gone.value.code == "not_found"


async def test_numbers_of_events_go_on_when_a_session_comes_back(start: StartClient) -> None:
    client = await start()
    await client.run("one")
    first = await client.request("pi/state")
    await client.request("pi/newSession")
    await client.request("pi/switchSession", sessionId=first["sessionId"])
    await client.run("two")
    numbers = [one["seq"] for one in client.events if one["sessionId"] == first["sessionId"]]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_second_server_gets_a_new_session_and_says_so(start: StartClient) -> None:
    client = await start()
    await client.run("hello")
    first = (await client.request("pi/state"))["sessionId"]
    other = await start()
    state = await other.request("pi/state")
    assert state["sessionId"] != first
    assert len(state["warnings"]) == 1
    shown = await other.wait_for_notification("window/showMessage")
    assert state["warnings"][0] in shown["message"]
    listed = (await other.request("pi/sessions"))["sessions"]
    assert listed[0]["locked"] is True
    with pytest.raises(RequestFailed) as locked:
        await other.request("pi/switchSession", sessionId=first)
    assert locked.value.code == "session_locked"


async def test_an_old_message_is_said_again_on_another_branch(start: StartClient) -> None:
    client = await start()
    await client.run("one")
    await client.run("two")
    tree = await client.request("pi/tree", filter="user")
    first, second = tree["nodes"]
    assert [one["text"] for one in (first, second)] == ["one", "two"]
    gone = await client.request("pi/navigate", entryId=second["id"])
    assert gone["editorText"] == "two"
    assert gone["leafId"] == first["id"] or gone["leafId"] != second["id"]
    await client.run("deux", at=None)
    tree = await client.request("pi/tree", filter="user")
    assert [(one["text"], one["onPath"]) for one in tree["nodes"]] == [
        ("one", True),
        ("two", False),
        ("deux", True),
    ]
    assert {one["parentId"] for one in tree["nodes"][1:]} == {first["id"]}
    await client.run("uno", at=first["id"])
    context = await client.request("pi/messages")
    texts = [one["message"]["content"][0]["text"] for one in context["messages"]]
    assert texts[0] == "uno"
    assert len(texts) == 2


async def test_labels(start: StartClient) -> None:
    client = await start()
    await client.run("one")
    (node,) = (await client.request("pi/tree", filter="user"))["nodes"]
    await client.request("pi/label", entryId=node["id"], label="start")
    (labelled,) = (await client.request("pi/tree", filter="labeled"))["nodes"]
    assert labelled["label"] == "start"
    assert (await client.request("pi/state"))["leafId"] != node["id"]
    await client.request("pi/label", entryId=node["id"], label=None)
    assert (await client.request("pi/tree", filter="labeled"))["nodes"] == []
    with pytest.raises(RequestFailed) as missing:
        await client.request("pi/label", entryId="00000000", label="x")
    assert missing.value.code == "not_found"


async def test_fork_and_clone_make_a_new_session(start: StartClient) -> None:
    client = await start()
    await client.run("one")
    await client.run("two")
    original = await client.request("pi/state")
    bytes_before = Path(original["file"]).read_bytes()
    nodes = (await client.request("pi/tree", filter="user"))["nodes"]
    forked = await client.request("pi/fork", entryId=nodes[1]["id"])
    assert forked["editorText"] == "two"
    state = await client.request("pi/state")
    assert state["sessionId"] == forked["sessionId"] != original["sessionId"]
    assert state["messageCount"] == 2
    assert (await client.wait_for("session_changed"))["state"]["sessionId"] == state["sessionId"]
    cloned = await client.request("pi/clone")
    assert "editorText" not in cloned
    assert (await client.request("pi/state"))["messageCount"] == 2
    assert Path(original["file"]).read_bytes() == bytes_before
    listed = (await client.request("pi/sessions"))["sessions"]
    parents = {one["sessionId"]: one.get("parentSession") for one in listed}
    assert parents[forked["sessionId"]] == original["file"]


async def test_entries_come_in_pages(start: StartClient) -> None:
    client = await start()
    for text in ("one", "two", "three"):
        await client.run(text)
    whole = await client.request("pi/entries")
    assert whole["more"] is False
    ids = [one["id"] for one in whole["entries"]]
    page = await client.request("pi/entries", limit=2)
    assert [one["id"] for one in page["entries"]] == ids[-2:]
    assert page["more"] is True
    page = await client.request("pi/entries", before=ids[-2], limit=2)
    assert [one["id"] for one in page["entries"]] == ids[-4:-2]
    page = await client.request("pi/entries", since=ids[1])
    assert [one["id"] for one in page["entries"]] == ids[2:]
    lines = Path((await client.request("pi/state"))["file"]).read_text().splitlines()
    assert [json.loads(line) for line in lines[1:]] == whole["entries"]
    for wrong in ({"limit": -1}, {"since": ids[0], "before": ids[1]}):
        with pytest.raises(RequestFailed) as refused:
            await client.request("pi/entries", wrong)
        assert refused.value.code == "invalid_argument"
    with pytest.raises(RequestFailed) as missing:
        await client.request("pi/entries", since="none")
    assert missing.value.code == "not_found"


@pytest.mark.parametrize(("form", "mark"), [("html", "<html"), ("markdown", "# "), ("jsonl", "{")])
async def test_exports(start: StartClient, folder: Path, form: str, mark: str) -> None:
    client = await start()
    await client.run("say <script>alert(1)</script>")
    exported = await client.request("pi/export", format=form, path=f"out/chat.{form}")
    assert exported["path"] == str(folder / "out" / f"chat.{form}")
    text = Path(exported["path"]).read_text()
    assert mark in text
    if form == "html":
        assert "<script>" not in text
    unnamed = await client.request("pi/export", format=form)
    assert Path(unnamed["path"]).parent == folder


async def test_statistics_of_the_whole_file(start: StartClient, folder: Path) -> None:
    (folder / "a.txt").write_text("x\n")
    client = await start()
    await client.run("read a.txt")
    stats = await client.request("pi/stats")
    assert stats["userMessages"] == 1
    assert stats["assistantMessages"] == 2
    assert (stats["toolCalls"], stats["toolResults"]) == (1, 1)
    assert stats["tokens"]["total"] == sum(
        stats["tokens"][name] for name in ("input", "output", "cacheRead", "cacheWrite")
    )
    assert stats["cost"] == 0
    assert stats["context"]["window"] == 200_000
