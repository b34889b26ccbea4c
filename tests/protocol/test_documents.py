"""The agent works on what the editor shows, and through the editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, Editor
from tests.protocol.conftest import StartClient

REPLACE = 'replace "two" with "2" in a.txt'


def result_of(client: Client, tool: str) -> dict[str, Any]:
    """The end of the last call of a tool."""
    starts = {
        one["event"]["toolCallId"]
        for one in client.events
        if one["event"]["type"] == "tool_execution_start" and one["event"]["toolName"] == tool
    }
    return [
        one["event"]
        for one in client.events
        if one["event"]["type"] == "tool_execution_end" and one["event"]["toolCallId"] in starts
    ][-1]


def text(end: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in end["result"]["content"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_an_edit_of_an_open_file_is_made_by_the_editor_and_saved(
    start: StartClient, folder: Path, encoding: str
) -> None:
    file = folder / "a.txt"
    file.write_text("é😀 one\n漢😀 two 😀\nthree\n")
    client = await start(editor=Editor(encoding=encoding))
    buffer = client.open(file)
    await client.run(REPLACE)
    assert buffer.text == "é😀 one\n漢😀 2 😀\nthree\n"
    assert buffer.version == 2
    assert not buffer.dirty
    assert file.read_text() == buffer.text
    edit = await client.wait_for_request("workspace/applyEdit")
    (change,) = edit["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": file.as_uri(), "version": 1}
    assert [one["newText"] for one in change["edits"]] == ["2"]
    assert not result_of(client, "edit")["isError"]


async def test_a_buffer_with_unsaved_text_is_edited_and_left_unsaved(
    start: StartClient, folder: Path
) -> None:
    file = folder / "a.txt"
    file.write_text("old\n")
    client = await start()
    buffer = client.open(file, "mine, and two\n")
    await client.run(REPLACE)
    assert buffer.text == "mine, and 2\n"
    assert file.read_text() == "old\n"
    assert "pi/save" not in [method for method, _ in client.requests]
    assert "unsaved" in text(result_of(client, "edit"))


async def test_the_agent_reads_what_the_editor_shows(start: StartClient, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text("on the disk\n")
    client = await start()
    client.open(file, "on the screen\n")
    await client.run("read a.txt")
    assert "on the screen" in text(result_of(client, "read"))
    await client.run('search for "on the" in a.txt')
    found = text(result_of(client, "grep"))
    assert "on the screen" in found
    assert "on the disk" not in found


async def test_a_closed_file_is_read_and_changed_on_the_disk(
    start: StartClient, folder: Path
) -> None:
    file = folder / "a.txt"
    file.write_text("two\n")
    client = await start()
    client.open(file, "typed two\n")
    client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
    await client.run(REPLACE)
    assert file.read_text() == "2\n"
    assert "workspace/applyEdit" not in [method for method, _ in client.requests]


async def test_a_refused_edit_is_told_to_the_model(start: StartClient, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text("one two\n")
    refuse = {"workspace/applyEdit": lambda _: {"applied": False, "failureReason": "locked"}}
    client = await start(editor=Editor(answers=refuse))
    client.open(file)
    await client.run(REPLACE)
    end = result_of(client, "edit")
    assert end["isError"]
    assert "locked" in text(end)
    assert file.read_text() == "one two\n"


async def test_an_edit_that_the_person_types_into_is_noticed(
    start: StartClient, folder: Path
) -> None:
    file = folder / "a.txt"
    file.write_text("one two\n")
    editor = Editor()
    client = await start(editor=editor)
    buffer = client.open(file)

    def type_first(_params: Any) -> Any:
        client.type(buffer, "one two, typed\n")
        return {"applied": False, "failureReason": "the document has changed"}

    editor.answers["workspace/applyEdit"] = type_first
    await client.run(REPLACE)
    assert result_of(client, "edit")["isError"]
    assert buffer.text == "one two, typed\n"


async def test_a_formatter_at_saving_is_told_to_the_model(start: StartClient, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text("one two\n")
    client = await start(editor=Editor(on_save=str.upper))
    client.open(file)
    await client.run('replace "two" with "tea" in a.txt')
    assert file.read_text() == "ONE TEA\n"
    assert "ONE TEA" in text(result_of(client, "edit"))


async def test_the_diagnostics_tool_gives_what_the_editors_servers_found(
    start: StartClient, folder: Path
) -> None:
    file = folder / "a.py"
    file.write_text("x = y\n")
    item = {
        "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}},
        "message": "undefined name 'y'",
        "severity": 1,
    }
    answer = {"diagnostics": [{"uri": file.as_uri(), "items": [item]}]}
    client = await start(editor=Editor(answers={"pi/diagnostics": lambda _: answer}))
    await client.run("what are the problems here?")
    assert "undefined name 'y'" in text(result_of(client, "diagnostics"))


async def test_an_attachment_comes_from_the_buffer(start: StartClient, folder: Path) -> None:
    file = folder / "a.py"
    file.write_text("saved\n")
    client = await start()
    client.open(file, "one\ntwo\nthree\n")
    where = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}
    await client.run("look", attachments=[{"uri": file.as_uri(), "range": where}])
    context = await client.request("pi/messages")
    content = context["messages"][0]["message"]["content"]
    assert content[0] == {"type": "text", "text": "look"}
    assert content[1]["text"] == '<file path="a.py" lines="2-2">\ntwo\n</file>'


async def test_before_and_after_of_an_edit_can_be_opened(start: StartClient, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text("one two\n")
    client = await start()
    await client.run(REPLACE)
    asked = await client.wait_for_request("pi/approve")
    before = await client.request("workspace/textDocumentContent", {"uri": asked["beforeUri"]})
    after = await client.request("workspace/textDocumentContent", {"uri": asked["afterUri"]})
    assert (before["text"], after["text"]) == ("one two\n", "one 2\n")
    transcript = f"pi:/transcript/{client.events[0]['sessionId']}/chat.md"
    shown = await client.request("workspace/textDocumentContent", {"uri": transcript})
    assert REPLACE in shown["text"]
