"""An editor without any plugin of ours: code actions, messages, edits, progress, a document."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, Editor, RequestFailed
from tests.protocol.conftest import StartClient


def plain(**answers: Any) -> Editor:
    shown = {
        "window/showDocument": lambda _: {"success": True},
        "window/showMessageRequest": lambda _: {"title": "Allow"},
    }
    return Editor(
        pi=None,
        answers={**shown, **answers},
        more_capabilities={
            "window": {"workDoneProgress": True, "showDocument": {"support": True}},
            "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {}}}},
        },
    )


def progress_kinds(client: Client) -> list[str]:
    return [
        params["value"]["kind"] for method, params in client.notifications if method == "$/progress"
    ]


async def test_a_fix_from_a_code_action_to_the_edit_in_the_buffer(
    start: StartClient, folder: Path
) -> None:
    file = folder / "a.txt"
    file.write_text("good\nbaad\n")
    client = await start(editor=plain())
    buffer = client.open(file)
    diagnostic = {
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 4}},
        "message": 'replace "baad" with "bad" in a.txt',
    }
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": file.as_uri()},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        },
    )
    fix = next(one for one in actions if one["title"] == "Fix with pi")
    answer = await client.request("workspace/executeCommand", fix["command"])
    assert answer["disposition"] == "started"
    document = await client.wait_for_request("window/showDocument")
    question = await client.wait_for_request("window/showMessageRequest")
    assert "-baad" in question["message"]
    assert [one["title"] for one in question["actions"]][:2] == ["Allow", "Allow for This Session"]
    assert buffer.text == "good\nbad\n"
    shown = Path(document["uri"].removeprefix("file://")).read_text()
    assert "- `edit a.txt`" in shown
    assert progress_kinds(client)[0] == "begin"
    assert progress_kinds(client)[-1] == "end"
    assert not any(method.startswith("pi/") for method, _ in client.requests)


async def test_a_closed_question_is_a_no(start: StartClient, folder: Path) -> None:
    client = await start(editor=plain(**{"window/showMessageRequest": lambda _: None}))
    await client.request(
        "workspace/executeCommand",
        {"command": "pi-lsp.prompt", "arguments": [{"text": 'create a.txt with "x"'}]},
    )
    await client.wait_for_request("window/showDocument")
    assert not (folder / "a.txt").exists()


async def test_progress_can_be_cancelled(start: StartClient) -> None:
    async def think(_params: Any) -> None:
        await asyncio.Event().wait()

    client = await start(editor=plain(**{"window/showMessageRequest": think}))
    await client.request("pi/prompt", text='create a.txt with "x"')
    progress = await client.wait_for_notification("$/progress")
    await client.wait_for_request("window/showMessageRequest")
    client.notify("window/workDoneProgress/cancel", {"token": progress["token"]})
    settled = await client.wait_for("settled")
    assert settled["aborted"] is True


async def test_every_method_is_a_command(start: StartClient) -> None:
    client = await start(editor=plain())
    for arguments in ([], None, [{}], [[]], [None]):
        command = {"command": "pi-lsp.state", "arguments": arguments}
        if arguments is None:
            del command["arguments"]
        state = await client.request("workspace/executeCommand", command)
        assert state["phase"] == "idle"
    with pytest.raises(RequestFailed) as unknown:
        await client.request("workspace/executeCommand", {"command": "pi-lsp.nothing"})
    assert unknown.value.code == "not_found"
    with pytest.raises(RequestFailed) as wrong:
        await client.request(
            "workspace/executeCommand", {"command": "pi-lsp.label", "arguments": [{"label": 1}]}
        )
    assert wrong.value.number == -32602


@pytest.mark.parametrize("nothing", [None, {}, [], {"pi": {}}])
async def test_the_empty_settings_that_editors_send_after_a_start_change_nothing(
    nothing: object, start: StartClient
) -> None:
    client = await start(editor=plain(), settings={"approval": {"mode": "readonly"}})
    client.notify("workspace/didChangeConfiguration", {"settings": nothing})
    assert (await client.request("pi/state"))["approvalMode"] == "readonly"
