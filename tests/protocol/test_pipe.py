"""Editors that read slowly, quit without a word, or die."""

from __future__ import annotations

import asyncio
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.client import Editor
from tests.messages_api import Gate, MessagesApi, Reply, Text
from tests.protocol.conftest import StartClient

AUTO = {"approval": {"mode": "auto"}}


def fifo(path: Path) -> Path:
    """A pipe that a command can write to, so that a test can wait for it."""
    os.mkfifo(path)
    return path


def messages_in(folder: Path) -> list[dict[str, Any]]:
    """The messages of the folder's only session, read as any program would."""
    (file,) = (folder / ".pi" / "sessions").glob("*.jsonl")
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    return [entry["message"] for entry in entries if entry["type"] == "message"]


async def test_an_editor_that_does_not_read_does_not_stop_the_run(
    start: StartClient, folder: Path
) -> None:
    done = fifo(folder / "done")
    client = await start(settings=AUTO)
    await client.request("pi/state")
    client.stop_reading()
    client.send_request("pi/prompt", {"text": f"run `seq 1 400000; echo done > {done}`"})
    assert await asyncio.to_thread(done.read_text) == "done\n"
    client.read_on()
    await client.wait_for("settled")
    numbers = [one["seq"] for one in client.events]
    assert numbers == list(range(1, len(numbers) + 1))
    output = "".join(
        one["event"]["delta"]
        for one in client.events
        if one["event"]["type"] == "tool_execution_update"
    )
    assert output.splitlines()[-1] == "400000"
    updates = client.event_types().count("tool_execution_update")
    assert updates < 200


BOOK = "A line of some length, in a book that nobody reads now.\n" * 8_000
"""About 0.4 MB; an answer of it is told twice, as it streams and when it ends."""

MOST_TOLD_BYTES = 40 * 1024 * 1024
"""What may wait for an editor that does not read: the server's 32 MB, and what was on its way."""


def seq_faults(events: list[dict[str, Any]]) -> list[str]:
    """Where the numbers of a folder's events do not follow each other, and no new state says so."""
    return [
        f"{before['seq']}, then {after['seq']}: {after['event']['type']}"
        for before, after in pairwise(events)
        if after["seq"] <= before["seq"]
        or (after["seq"] > before["seq"] + 1 and after["event"]["type"] != "session_changed")
    ]


async def test_twenty_folders_work_for_an_editor_that_does_not_read(
    start: StartClient, scripted: StartClient, api: MessagesApi, tmp_path: Path
) -> None:
    """Nobody waits for the editor, an abort works, memory is bounded, and then all is told."""
    folders = [tmp_path / f"folder {number}" for number in range(20)]
    for path in folders:
        path.mkdir()
    uris = [path.as_uri() for path in folders]
    client = await scripted(folders=folders, settings={"compaction": {"enabled": False}})
    await asyncio.gather(*(client.request("pi/state", workspace=uri) for uri in uris))
    api.otherwise(lambda _request: Reply((Text(BOOK, pieces=50),)))

    client.stop_reading()
    for uri in uris:
        client.send_request("pi/prompt", workspace=uri, text="tell me a book")
        for _ in range(2):
            client.send_request("pi/prompt", workspace=uri, text="more", whenBusy="followUp")
    await api.received(3 * len(uris))
    other = await start(folders=[tmp_path])
    assert (await other.run("hello"))["aborted"] is False
    gate = Gate()
    api.otherwise(lambda _request: Reply((Text("It goes on and on"), gate)))
    client.send_request("pi/prompt", workspace=uris[0], text="talk", whenBusy="followUp")
    await gate.reached()
    client.send_request("pi/abort", workspace=uris[0])
    await api.requests[-1].is_abandoned()
    before = len(client.received)

    client.read_on()
    for uri in uris:
        assert await client.request("pi/waitForIdle", workspace=uri) == {"phase": "idle"}
    waited = sum(len(json.dumps(message)) for message in client.received[before:])
    assert waited <= MOST_TOLD_BYTES
    for uri in uris:
        state = await client.request("pi/state", workspace=uri)
        assert state["messageCount"] == (8 if uri == uris[0] else 6)
        told = [one for one in client.events if one["workspace"] == uri]
        assert seq_faults(told) == []
        assert told[-1]["seq"] >= state["seq"]
    assert "session_changed" in client.event_types(), "not all was told, and that was told"


async def test_a_run_is_recorded_when_the_editor_hangs_up(start: StartClient, folder: Path) -> None:
    ready = fifo(folder / "ready")
    client = await start(settings=AUTO)
    await client.request("pi/prompt", text=f"run `echo up > {ready}; sleep 60`")
    assert await asyncio.to_thread(ready.read_text) == "up\n"
    assert await client.hang_up() == 0
    _, call, result = messages_in(folder)
    assert call["stopReason"] == "toolUse"
    assert result["role"] == "toolResult"
    assert result["isError"] is True


@pytest.mark.parametrize("end", ["shutdown", "sigterm"])
async def test_every_orderly_end_stops_what_runs(
    start: StartClient, folder: Path, end: str
) -> None:
    ready = fifo(folder / "ready")
    client = await start(settings=AUTO)
    await client.request("pi/prompt", text=f"run `echo $$ > {ready}; sleep 60`")
    shell = int(await asyncio.to_thread(ready.read_text))
    if end == "shutdown":
        assert await client.quit() == 0
    else:
        os.kill(client.pid, 15)
        assert await client.exit_code() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(shell, 0)
    assert messages_in(folder)[-1]["role"] == "toolResult"


async def test_the_next_start_goes_on_where_the_last_ended(start: StartClient) -> None:
    client = await start()
    await client.run("hello")
    before = await client.request("pi/state")
    await client.hang_up()
    again = await start(editor=Editor(encoding="utf-8"))
    after = await again.request("pi/state")
    for name in ("sessionId", "leafId", "messageCount", "model", "usage"):
        assert after[name] == before[name]
    assert after["seq"] == 0


async def test_nothing_else_reaches_the_editors_pipe(start: StartClient) -> None:
    """A command that reads standard input gets nothing; one that prints garbles nothing."""
    client = await start(settings=AUTO)
    await client.run("run `cat; echo out; echo err >&2`")
    assert (await client.request("pi/state"))["phase"] == "idle"


async def test_an_editor_that_reloads_in_mid_run_finds_its_own_session(
    start: StartClient, folder: Path
) -> None:
    ready = fifo(folder / "ready")
    client = await start(settings=AUTO)
    await client.request("pi/prompt", text=f"run `echo up > {ready}; sleep 60`")
    assert await asyncio.to_thread(ready.read_text) == "up\n"
    session = client.events[0]["sessionId"]
    await client.request("pi/nextTurn", text="later")
    ending = asyncio.ensure_future(client.hang_up())
    again = await start(settings=AUTO)
    state = await again.request("pi/state")
    assert (state["sessionId"], state["warnings"]) == (session, [])
    assert state["canContinue"] is True
    assert [item["text"] for item in state["queues"]["nextTurn"]] == ["later"]
    assert await ending == 0
