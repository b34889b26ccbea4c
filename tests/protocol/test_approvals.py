"""Nothing is written or run without a yes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, Editor
from tests.protocol.conftest import StartClient

WRITE = 'create hello.txt with "hi"'
RUN = "run `echo done > made.txt`"


def answering(decision: str, **members: str) -> Editor:
    return Editor(answers={"pi/approve": lambda _: {"decision": decision, **members}})


def last_tool_end(client: Client) -> dict[str, Any]:
    ends = [one["event"] for one in client.events]
    return [event for event in ends if event["type"] == "tool_execution_end"][-1]


async def test_a_yes_lets_it_run(start: StartClient, folder: Path) -> None:
    client = await start()
    await client.run(WRITE)
    assert (folder / "hello.txt").read_text() == "hi\n"
    asked = await client.wait_for_request("pi/approve")
    assert asked["toolName"] == "write"
    assert "+hi" in asked["diff"]
    assert asked["outsideWorkspace"] is False
    types = client.event_types()
    assert types.index("approval_asked") < types.index("approval_answered")


async def test_a_no_is_told_to_the_model_with_its_reason(start: StartClient, folder: Path) -> None:
    client = await start(editor=answering("deny", reason="use another name"))
    await client.run(WRITE)
    assert not (folder / "hello.txt").exists()
    end = last_tool_end(client)
    assert end["isError"]
    assert "use another name" in json.dumps(end["result"])


async def test_a_yes_for_the_session_is_not_asked_again(start: StartClient) -> None:
    client = await start(editor=answering("allowSession"))
    await client.run(RUN)
    await client.run(RUN)
    assert [method for method, _ in client.requests].count("pi/approve") == 1


async def test_an_always_is_kept_in_the_persons_own_settings(
    start: StartClient, folder: Path, home: Path
) -> None:
    client = await start(editor=answering("allowAlways"))
    await client.run(RUN)
    kept = json.loads((home / ".pi" / "agent" / "settings.json").read_text())
    assert kept["approval"]["rules"][0]["tool"] == "bash"
    assert not (folder / ".pi" / "settings.json").exists()
    await client.quit()
    again = await start(editor=answering("deny"))
    await again.run(RUN)
    assert not last_tool_end(again)["isError"]


@pytest.mark.parametrize(("mode", "written"), [("auto", True), ("readonly", False)])
async def test_modes_that_ask_nobody(
    start: StartClient, folder: Path, mode: str, written: bool
) -> None:
    client = await start(settings={"approval": {"mode": mode}})
    await client.run(WRITE)
    assert (folder / "hello.txt").exists() is written
    assert "pi/approve" not in [method for method, _ in client.requests]


async def test_the_mode_can_be_changed_while_running(start: StartClient, folder: Path) -> None:
    client = await start(editor=answering("deny"))
    assert await client.request("pi/setApprovalMode", mode="edits") == {"mode": "edits"}
    assert (await client.wait_for("approval_mode_changed"))["mode"] == "edits"
    await client.run(WRITE)
    assert (folder / "hello.txt").exists()
    assert (await client.request("pi/state"))["approvalMode"] == "edits"


async def test_an_open_question_is_in_the_state_and_an_abort_withdraws_it(
    start: StartClient, folder: Path
) -> None:
    withdrawn = asyncio.Event()

    async def think(_params: Any) -> Any:
        await withdrawn.wait()
        return {"decision": "allow"}

    client = await start(editor=Editor(answers={"pi/approve": think}))
    await client.request("pi/prompt", text=WRITE)
    asked = await client.wait_for("approval_asked")
    (pending,) = (await client.request("pi/state"))["pendingApprovals"]
    assert pending == {name: value for name, value in asked.items() if name != "type"}
    aborted = await client.request("pi/abort")
    assert aborted["aborted"] is True
    await client.wait_for_notification("$/cancelRequest")
    assert (await client.request("pi/state"))["pendingApprovals"] == []
    withdrawn.set()
    await client.run("hello")
    assert not (folder / "hello.txt").exists()


async def test_an_editor_that_goes_away_has_said_no(
    start: StartClient, folder: Path, home: Path
) -> None:
    async def never(_params: Any) -> Any:
        await asyncio.Event().wait()

    client = await start(editor=Editor(answers={"pi/approve": never}))
    await client.request("pi/prompt", text=WRITE)
    await client.wait_for("approval_asked")
    assert await client.hang_up() == 0
    assert not (folder / "hello.txt").exists()
    again = await start()
    context = await again.request("pi/messages")
    roles = [one["message"]["role"] for one in context["messages"]]
    assert roles[:3] == ["user", "assistant", "toolResult"]
    assert context["messages"][2]["message"]["isError"]


async def test_outside_the_folder_is_asked_for_even_to_read(
    start: StartClient, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("s3cret")
    client = await start(editor=answering("deny"))
    await client.run(f"read {outside}")
    asked = await client.wait_for_request("pi/approve")
    assert asked["outsideWorkspace"] is True
    assert "s3cret" not in json.dumps(client.events)
