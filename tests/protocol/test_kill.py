"""A server that is killed at any moment of its work loses nothing that a save point covered.

A few moments run with the other tests; `PI_LSP_KILLS=200` tries as many as that (`make kill`).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, RequestFailed
from tests.messages_api import ApiRequest, MessagesApi, Reply, Text, ToolCall
from tests.protocol.conftest import StartClient

KILLS = int(os.environ.get("PI_LSP_KILLS", "8"))
LONGEST_LIFE_S = 1.5

SETTINGS = {"compaction": {"keepRecentTokens": 200}}

OLD = [
    {"type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/"},
    *(
        {
            "type": "message",
            "timestamp": "2025-01-01T00:00:01.000Z",
            "message": {"role": "user", "content": f"old {number} " * 50, "timestamp": number},
        }
        for number in range(2000)
    ),
]
"""A session of version 1, large enough to be killed while it is migrated."""


def work_and_talk(random_moments: random.Random) -> Any:
    """A model that calls tools, answers, and summarises when it is asked to."""
    numbers = itertools.count(1)

    def script(request: ApiRequest) -> Reply:
        delay = random_moments.choice([0, 1, 5])
        if "tools" not in request.body:
            return Reply((Text("A summary. " * 20, pieces=10),), delay_ms=delay)
        if request.messages[-1]["content"][0]["type"] == "tool_result":
            return Reply((Text("Done. " * 100, pieces=20),), delay_ms=delay)
        number = next(numbers)
        calls = (
            ToolCall("bash", {"command": f"echo {number} >> ran"}),
            ToolCall("write", {"path": f"file{number % 5}", "content": "x" * 1000}),
        )
        return Reply((Text("I will. " * 10), *calls), delay_ms=delay)

    return script


async def load(client: Client) -> None:
    """Work without an end: runs, steers, branches, forks, compactions."""
    for number in itertools.count():
        await client.request("pi/prompt", text=f"work {number} " * 30)
        await client.request("pi/prompt", text="and this", whenBusy="steer")
        await client.wait_for("settled")
        with contextlib.suppress(RequestFailed):  # nothing to compact yet
            await client.request("pi/compact")
        if number % 3 == 2:
            await client.request("pi/clone")
        if number % 2 == 1:
            tree = await client.request("pi/tree", filter="user")
            target = tree["nodes"][len(tree["nodes"]) // 2]["id"]
            await client.request("pi/navigate", entryId=target, summarize=number % 4 == 3)


def covered(client: Client) -> dict[str, set[str]]:
    """The entries of each session that the last save point, as the editor heard it, covers."""
    found: dict[str, set[str]] = {}
    heard: dict[str, set[str]] = {}
    for one in client.events:
        event, session = one["event"], one["sessionId"]
        if event["type"] == "message_end":
            heard.setdefault(session, set()).add(event["entryId"])
        elif event["type"] == "entry_appended":
            heard.setdefault(session, set()).add(event["entry"]["id"])
        elif event["type"] == "save_point":
            found.setdefault(session, set()).update(heard.get(session, set()))
    return found


def ids_by_session(folder: Path) -> dict[str, set[str]]:
    """The entries of each session file; a line that was torn by the kill counts as none."""
    found: dict[str, set[str]] = {}
    for file in (folder / ".pi" / "sessions").glob("*.jsonl"):
        ids: set[str] = set()
        for line in file.read_bytes().split(b"\n"):
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                ids.add(entry["id"])
        found[file.stem.partition("_")[2]] = ids
    return found


async def killed_after(client: Client, seconds: float) -> None:
    """Put the server under load, and kill it after so long."""
    working = asyncio.ensure_future(load(client))
    await asyncio.sleep(seconds)
    client.kill()
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError, ConnectionError):
        await working
    await client.exit_code()


@pytest.mark.parametrize("seed", range(KILLS))
async def test_what_a_save_point_covered_is_there_and_no_tool_runs_again(
    seed: int, folder: Path, scripted: StartClient, api: MessagesApi
) -> None:
    moments = random.Random(seed)
    api.otherwise(work_and_talk(moments))
    first = await scripted(settings=SETTINGS)
    await killed_after(first, moments.uniform(0.05, LONGEST_LIFE_S))

    on_disk = ids_by_session(folder)
    for session, ids in covered(first).items():
        assert ids <= on_disk[session], "an entry that a save point covered is gone"
    second = await scripted(settings=SETTINGS)
    state = await second.request("pi/state")
    nodes = (await second.request("pi/tree", filter="all"))["nodes"]
    known = {node["id"] for node in nodes}
    assert all(node["parentId"] is None or node["parentId"] in known for node in nodes)
    api.otherwise(lambda _request: Reply((Text("Here I am."),)))
    if state["canContinue"]:
        await second.request("pi/continue")
        await second.wait_for("settled")
    settled = await second.run("are you there?")

    assert "error" not in settled, "the next request is valid"
    ran = (folder / "ran").read_text().split() if (folder / "ran").exists() else []
    assert len(ran) == len(set(ran)), "a command ran twice"


@pytest.mark.parametrize("seed", range(max(1, KILLS // 8)))
async def test_a_migration_that_is_killed_loses_nothing(
    seed: int, folder: Path, scripted: StartClient, api: MessagesApi
) -> None:
    sessions = folder / ".pi" / "sessions"
    sessions.mkdir(parents=True)
    old = sessions / "2025-01-01T00-00-00-000Z_old.jsonl"
    content = "".join(json.dumps(line) + "\n" for line in OLD).encode()
    old.write_bytes(content)
    first = await scripted()
    asked = first.send_request("pi/state")
    await asyncio.sleep(random.Random(seed).uniform(0, 0.2))
    first.kill()
    await first.exit_code()
    assert asked

    second = await scripted()

    assert (await second.request("pi/state"))["messageCount"] == len(OLD) - 1
    assert old.with_name(f"{old.name}.v1.bak").read_bytes() == content
