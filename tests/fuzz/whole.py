"""What must hold after anything: the session file is whole, and the agent works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fuzz.watched import WatchedClient

KEY = "test-key"
MODEL = ("anthropic", "claude-sonnet-4-5")


def check_file(file: Path) -> None:
    """Every line is JSON, the tree hangs together, and each tool call has its result."""
    header, *entries = [json.loads(line) for line in file.read_bytes().decode().splitlines()]
    assert header["type"] == "session"
    known: set[str | None] = {None}
    calls: set[str] = set()
    results: set[str] = set()
    for entry in entries:
        assert entry["id"] not in known, f"two entries have the id {entry['id']}"
        assert entry["parentId"] in known, f"{entry} has no parent"
        known.add(entry["id"])
        message: dict[str, Any] = entry.get("message") or {}
        if message.get("role") == "assistant":
            calls |= {one["id"] for one in message["content"] if one["type"] == "toolCall"}
        elif message.get("role") == "toolResult":
            results.add(message["toolCallId"])
    assert calls == results, f"calls and results do not fit: {calls ^ results}"


async def check_all_is_well(client: WatchedClient) -> None:
    """Stop what runs; then the agent is idle, its file whole, and the next prompt works.

    The service must answer by now: whatever the case did to the choice of model is undone.
    """
    await client.request("pi/abort")
    state = await client.request("pi/state")
    assert state["phase"] == "idle"
    await client.request("pi/setApiKey", provider=MODEL[0], key=KEY)
    await client.request("pi/setModel", provider=MODEL[0], modelId=MODEL[1])
    await client.request("pi/setApprovalMode", mode="auto")
    await client.request("pi/clearQueue")
    client.forget()
    settled = await client.run("Are you there?")
    assert "error" not in settled, settled
    assert settled["aborted"] is False
    check_file(Path((await client.request("pi/state"))["file"]))
    client.check()


async def new_session(client: WatchedClient) -> None:
    """Begin with an empty conversation, and nothing heard."""
    await client.request("pi/newSession")
    client.forget()
