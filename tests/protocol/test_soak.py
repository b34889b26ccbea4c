"""A server that runs for long keeps nothing of what is over.

A small part of it runs with the other tests; `PI_LSP_SOAK=1` does all of it (`make soak`), and
`PI_LSP_SOAK=0.1` a tenth: 2,000 runs with tools, 200 compactions, 500 branch switches, 500
approvals and 10,000 changes of a document, in one server.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median

import psutil
import pytest

from tests.client import Client, Editor
from tests.messages_api import ApiRequest, MessagesApi, Reply, Text, Thinking, ToolCall
from tests.protocol.conftest import StartClient

SHARE = float(os.environ.get("PI_LSP_SOAK", "0.02"))

ROUNDS = max(4, round(40 * SHARE))
"""Each is one session."""
RUNS, COMPACTIONS, SWITCHES, CHANGES = (
    max(1, ceil(whole * SHARE / ROUNDS)) for whole in (2_000, 200, 500, 10_000)
)
"""In each round; there may be a few more runs, for each compaction and switch is gone on from."""

MORE_MEMORY_BYTES = 8 * 1024 * 1024
"""What memory may grow by from the second quarter of the rounds to the last: less than one
forgotten request or event of a few KB in each run would add."""

PARAGRAPH = "The quick brown fox jumps over the lazy dog, again and again, all day long. " * 20
SETTINGS = {"approval": {"mode": "ask"}, "compaction": {"keepRecentTokens": 300}}


def model(request: ApiRequest) -> Reply:
    """Calls the tool that the prompt names, then answers; summarises when it is asked to."""
    if "tools" not in request.body:
        return Reply((Text("What was done so far. " * 20, pieces=10),))
    if request.messages[-1]["content"][0]["type"] == "tool_result":
        return Reply((Thinking("It worked.", pieces=5), Text("Done. " * 50, pieces=40)))
    if "run" in request.last_text:
        return Reply((ToolCall("bash", {"command": "seq 50"}),))
    return Reply((Text("I read it."), ToolCall("read", {"path": "open.txt"}), ToolCall("ls")))


def editor() -> Editor:
    """An editor that says yes and no in turn."""
    said: list[str] = ["deny"]

    def decide(_params: object) -> dict[str, str]:
        said[0] = "allow" if said[0] == "deny" else "deny"
        return {"decision": said[0]}

    return Editor(answers={"pi/approve": decide})


@dataclass
class Use:
    """What the server holds after each round."""

    memory: list[int] = field(default_factory=list[int])
    handles: list[int] = field(default_factory=list[int])
    threads: list[int] = field(default_factory=list[int])

    def measure(self, server: psutil.Process) -> None:
        self.memory.append(server.memory_info().rss)
        self.handles.append(server.num_fds())
        self.threads.append(server.num_threads())

    def growth(self) -> int:
        """Bytes by which memory grew from the second quarter to the last."""
        quarter = len(self.memory) // 4
        second, last = self.memory[quarter : 2 * quarter], self.memory[-quarter:]
        return round(median(last) - median(second))


async def talk(client: Client, number: int) -> None:
    """A run with tools; every fourth asks for an approval."""
    words = "run a command" if number % 4 == 0 else "read the file"
    settled = await client.run(f"{number}: {words}. {PARAGRAPH}")
    assert settled["aborted"] is False
    assert "error" not in settled


async def switch_branch(client: Client, number: int) -> None:
    """Go back to an earlier message; every fifth time with a summary of what is left."""
    nodes = (await client.request("pi/tree", filter="user"))["nodes"]
    on_path = [node["id"] for node in nodes if node["onPath"]]
    target = on_path[-2 if number % 2 else -1]
    await client.request("pi/navigate", entryId=target, summarize=number % 5 == 0)


async def play_round(client: Client, file: Path) -> None:
    """A session in which all of it happens, spread over its runs."""
    await client.request("pi/newSession")
    buffer = client.open(file)
    for number in range(CHANGES):
        client.type(buffer, f"{number}\n" * 20)
    switched = compacted = 0
    for number in range(RUNS):
        await talk(client, number)
        if compacted < COMPACTIONS * (number + 1) // RUNS:
            compacted += 1
            await client.request("pi/compact")
            await talk(client, number)
        while switched < SWITCHES * (number + 1) // RUNS and number > 1:
            switched += 1
            await switch_branch(client, switched)
            await talk(client, number)
        client.forget()
        client.received.clear()
    client.notify("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})


@pytest.mark.timeout(3600 if SHARE > 0.05 else 120)
async def test_memory_handles_and_threads_stay_flat(
    scripted: StartClient, api: MessagesApi, folder: Path
) -> None:
    file = folder / "open.txt"
    file.write_text("text\n" * 20)
    api.otherwise(model)
    client = await scripted(editor=editor(), settings=SETTINGS)
    server = psutil.Process(client.pid)
    use = Use()
    for _ in range(ROUNDS):
        await play_round(client, file)
        api.requests.clear()
        use.measure(server)
    await client.request("pi/newSession")

    told = f"{ROUNDS} rounds: {use}"
    print(told)
    assert use.growth() <= MORE_MEMORY_BYTES, told
    assert max(use.handles[-ROUNDS // 4 :]) <= max(use.handles[: ROUNDS // 2]), told
    assert max(use.threads[-ROUNDS // 4 :]) <= max(use.threads[: ROUNDS // 2]), told
    assert "Traceback" not in client.stderr
