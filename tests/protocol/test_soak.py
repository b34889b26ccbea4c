"""A server that runs for long keeps nothing of what is over.

A small part of it runs with the other tests; `PI_LSP_SOAK=1` runs all of it (`make soak`).
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from tests.client import Client, Editor
from tests.protocol.conftest import StartClient

FULL = os.environ.get("PI_LSP_SOAK") == "1"
SHARE = 1.0 if FULL else 0.01

CHANGES = int(10_000 * SHARE)
PROMPTS = int(2_000 * SHARE)
APPROVALS = int(500 * SHARE)
PROMPTS_PER_SESSION = 50
MORE_MEMORY_BYTES = 20 * 1024 * 1024


def answer_by_turns() -> Editor:
    """An editor that says yes and no in turn."""
    answers = iter(["allow", "deny"] * (APPROVALS + 2))
    return Editor(answers={"pi/approve": lambda _: {"decision": next(answers)}})


async def work(client: Client, file: Path, *, changes: int, prompts: int, approvals: int) -> None:
    """Type, ask and be asked, many times, in one server."""
    buffer = client.open(file)
    for number in range(changes):
        client.type(buffer, f"{number}\n" * 20)
    for number in range(prompts):
        if number % PROMPTS_PER_SESSION == 0:
            await client.request("pi/newSession")
        asks = number < approvals
        await client.run("run `true`" if asks else "read open.txt")
        client.forget()
    client.notify("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})
    await client.request("pi/newSession")


@pytest.mark.timeout(3600 if FULL else 120)
async def test_memory_and_handles_stay_flat(start: StartClient, folder: Path) -> None:
    file = folder / "open.txt"
    file.write_text("text\n" * 20)
    client = await start(editor=answer_by_turns())
    server = psutil.Process(client.pid)
    await work(client, file, changes=10, prompts=4, approvals=2)
    memory, handles = server.memory_info().rss, server.num_fds()
    await work(client, file, changes=CHANGES, prompts=PROMPTS, approvals=APPROVALS)
    assert server.num_fds() <= handles
    assert server.memory_info().rss - memory <= MORE_MEMORY_BYTES
