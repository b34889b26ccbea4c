"""Stopping: wherever the agent is, it is idle at once, and what was done is in the file."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from tests.client import Client
from tests.messages_api import Gate, HttpError, MessagesApi, Text, Thinking, ToolCall
from tests.protocol.conftest import StartClient, stored_messages, text_of


async def aborted(client: Client) -> dict[str, object]:
    """Abort, and check that it is settled as aborted."""
    report = await client.request("pi/abort")
    assert report["aborted"] is True
    settled = await client.wait_for("settled")
    assert settled["aborted"] is True
    assert (await client.request("pi/state"))["phase"] == "idle"
    return report


async def goes_on(client: Client, api: MessagesApi) -> None:
    """Whatever was stopped, the next request is valid and the conversation goes on."""
    api.reply(Text("On we go."))
    await client.run("go on")
    assert text_of((await stored_messages(client))[-1]) == "On we go."


async def test_in_a_stream(scripted: StartClient, api: MessagesApi) -> None:
    gate = Gate()
    api.reply(Thinking("Hm."), Text("Half an "), gate, Text("answer"))
    client = await scripted()
    await client.request("pi/prompt", text="talk")
    await gate.reached()
    await client.wait_for(lambda event: event.get("kind") == "text")

    await aborted(client)

    answer = (await stored_messages(client))[-1]
    assert answer["stopReason"] == "aborted"
    assert text_of(answer) == "Half an "
    assert api.requests[0].abandoned.wait(5), "the service still streams to nobody"
    await goes_on(client, api)
    assert "Half an " in str(api.requests[-1].messages)
    assert "Hm." not in str(api.requests[-1].messages)


async def test_before_the_first_byte(scripted: StartClient, api: MessagesApi) -> None:
    gate = Gate()
    api.reply(gate, Text("never"))
    client = await scripted()
    await client.request("pi/prompt", text="talk")
    await gate.reached()

    await aborted(client)

    messages = await stored_messages(client)
    assert [one["role"] for one in messages] == ["user", "assistant"]
    assert messages[-1]["stopReason"] == "aborted"
    assert messages[-1]["content"] == []
    await goes_on(client, api)


async def test_in_a_call_that_is_still_streaming(scripted: StartClient, api: MessagesApi) -> None:
    gate = Gate()
    api.reply(Text("Now."), ToolCall("bash", {"command": "touch ran"}), gate)
    client = await scripted()
    await client.request("pi/prompt", text="work")
    await gate.reached()
    await client.wait_for(lambda event: event.get("kind") == "toolCall")

    await aborted(client)

    messages = await stored_messages(client)
    assert [one["role"] for one in messages] == ["user", "assistant"]
    assert messages[1]["stopReason"] == "aborted"
    assert [block["type"] for block in messages[1]["content"]] == ["text"]
    assert not (client.folder / "ran").exists()
    await goes_on(client, api)


async def test_in_a_tool_with_the_whole_tree_of_processes(
    scripted: StartClient, api: MessagesApi
) -> None:
    command = "sleep 300 & setsid sleep 301 & echo $$ > pids; pgrep -P $$ >> pids; echo on; wait"
    api.reply(ToolCall("bash", {"command": command}), ToolCall("ls", {}))
    client = await scripted()
    await client.request("pi/prompt", text="work")
    await client.wait_for(lambda event: event.get("type") == "tool_execution_update")
    pids = [int(line) for line in (client.folder / "pids").read_text().split()]
    assert len(pids) >= 3

    await aborted(client)

    assert not [pid for pid in pids if _runs(pid)]
    messages = await stored_messages(client)
    bash, ls = messages[2:]
    assert bash["isError"] is True
    assert text_of(bash).startswith("on\n"), "what it printed is lost"
    assert "aborted" in text_of(bash)
    assert ls["isError"] is False, "a call that had ended has its own result"
    await goes_on(client, api)


async def test_while_it_waits_for_a_retry(scripted: StartClient, api: MessagesApi) -> None:
    api.reply(HttpError(529, "overloaded_error", "Overloaded"))
    client = await scripted(settings={"retry": {"baseDelayMs": 60_000}})
    await client.request("pi/prompt", text="talk")
    waiting = await client.wait_for("retry_start")
    assert (waiting["attempt"], waiting["delayMs"]) == (1, 60_000)
    assert (await client.request("pi/state"))["retry"]["attempt"] == 1

    await aborted(client)

    assert len(api.requests) == 1
    assert "retry" not in await client.request("pi/state")
    assert (await stored_messages(client))[-1]["stopReason"] == "aborted"
    await goes_on(client, api)


async def test_while_the_person_is_asked(scripted: StartClient, api: MessagesApi) -> None:
    api.reply(ToolCall("write", {"path": "new.txt", "content": "x"}))
    client = await scripted(settings={"approval": {"mode": "ask"}})
    client.editor.answers["pi/approve"] = _never
    await client.request("pi/prompt", text="write it")
    await client.wait_for("approval_asked")
    assert len((await client.request("pi/state"))["pendingApprovals"]) == 1

    await aborted(client)

    assert (await client.request("pi/state"))["pendingApprovals"] == []
    assert not (client.folder / "new.txt").exists()
    await goes_on(client, api)


async def test_what_was_queued_is_given_back_but_for_the_next_turn(
    scripted: StartClient, api: MessagesApi
) -> None:
    gate = Gate()
    api.reply(Text("working"), gate)
    client = await scripted()
    await client.request("pi/prompt", text="work")
    await gate.reached()
    await client.request("pi/steer", text="s")
    await client.request("pi/followUp", text="f")
    await client.request("pi/nextTurn", text="n")

    report = await client.request("pi/abort")

    assert [item["text"] for item in report["steer"]] == ["s"]
    assert [item["text"] for item in report["followUp"]] == ["f"]
    queues = (await client.request("pi/state"))["queues"]
    assert [item["text"] for item in queues["nextTurn"]] == ["n"]
    assert queues["steer"] == queues["followUp"] == []


async def test_an_aborted_answer_can_be_continued(scripted: StartClient, api: MessagesApi) -> None:
    gate = Gate()
    api.reply(Text("Half"), gate)
    client = await scripted()
    await client.request("pi/prompt", text="talk")
    await gate.reached()
    await client.wait_for("message_update")
    await aborted(client)
    assert (await client.request("pi/state"))["canContinue"] is True

    api.reply(Text(" an answer."))
    await client.request("pi/continue")
    await client.wait_for("settled")

    roles = [one["role"] for one in await stored_messages(client)]
    assert roles == ["user", "assistant", "assistant"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
async def test_the_end_of_the_editor_stops_everything_and_writes_it_down(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(ToolCall("bash", {"command": "echo $$ > pid; echo on; sleep 300"}))
    client = await scripted()
    await client.request("pi/prompt", text="work")
    await client.wait_for("tool_execution_update")
    pid = int((client.folder / "pid").read_text())
    file = Path((await client.request("pi/state"))["file"])

    await client.hang_up()

    assert not _runs(pid)
    assert '"role":"toolResult"' in file.read_text().splitlines()[-1]


async def _never(_params: object) -> None:
    import asyncio

    await asyncio.Event().wait()


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
