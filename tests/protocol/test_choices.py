"""Models, thinking, queue modes, keys, health, commands of one's own, and cancelling."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.client import RequestFailed
from tests.protocol.conftest import StartClient


async def test_models_and_what_a_missing_key_means(start: StartClient) -> None:
    client = await start()
    models = (await client.request("pi/models"))["models"]
    by_id = {one["id"]: one for one in models}
    assert by_id["demo"]["available"] is True
    sonnets = [one for one in models if one["provider"] == "anthropic"]
    assert sonnets
    assert not any(one["available"] for one in sonnets)
    with pytest.raises(RequestFailed) as keyless:
        await client.request("pi/setModel", provider="anthropic", modelId=sonnets[0]["id"])
    assert keyless.value.code == "auth"
    assert "no API key" in keyless.value.message
    with pytest.raises(RequestFailed) as unknown:
        await client.request("pi/setModel", provider="anthropic", modelId="gpt")
    assert unknown.value.code == "not_found"


async def test_a_key_makes_the_models_available_at_once(start: StartClient) -> None:
    client = await start()
    await client.request("pi/state")
    assert await client.request("pi/setApiKey", provider="anthropic", key="sk-test") == {}
    models = (await client.request("pi/models"))["models"]
    assert any(one["available"] for one in models if one["provider"] == "anthropic")
    wanted = {"provider": "anthropic", "modelId": "claude-sonnet-4-5"}
    chosen = (await client.request("pi/setModel", wanted))["model"]
    assert chosen["id"] == "claude-sonnet-4-5"
    assert (await client.wait_for(lambda event: event.get("model") == chosen))["type"] == (
        "model_changed"
    )


async def test_thinking_levels_are_held_to_what_the_model_takes(start: StartClient) -> None:
    client = await start()
    assert await client.request("pi/setThinkingLevel", level="high") == {"level": "off"}
    with pytest.raises(RequestFailed) as unknown:
        await client.request("pi/setThinkingLevel", level="hard")
    assert unknown.value.number == -32602


async def test_modes(start: StartClient) -> None:
    client = await start()
    modes = await client.request("pi/setQueueMode", steering="all")
    assert modes == {"steering": "all", "followUp": "one-at-a-time"}
    assert await client.request("pi/setAutoCompaction", enabled=False) == {"enabled": False}
    state = await client.request("pi/state")
    assert (state["steeringMode"], state["autoCompaction"]) == ("all", False)


async def test_health_of_a_fresh_folder(start: StartClient, folder: Path) -> None:
    (folder / ".git").mkdir()
    client = await start()
    await client.run("hello")
    health = await client.request("pi/health")
    status = {one["name"]: one["status"] for one in health["checks"]}
    assert status == {
        "server": "ok",
        "model": "warn",
        "key": "warn",
        "settings": "ok",
        "trust": "ok",
        "session file": "ok",
        "lock": "ok",
        "git-ignore": "ok",
        "position encoding": "ok",
    }
    assert health["log"] is None
    assert all(one.get("hint") for one in health["checks"] if one["status"] != "ok")


async def test_a_command_of_ones_own(start: StartClient) -> None:
    client = await start()
    done = await client.request("pi/bash", command="echo out; exit 3")
    assert (done["output"], done["exitCode"]) == ("out\n", 3)
    assert (done["cancelled"], done["truncated"]) == (False, False)
    assert (await client.wait_for("bash_update"))["delta"] == "out\n"


async def test_what_a_stopped_command_printed_is_kept(start: StartClient, folder: Path) -> None:
    ready = folder / "ready"
    os.mkfifo(ready)
    client = await start()
    waiting = client.send_request("pi/bash", command=f"echo part; echo up > {ready}; sleep 60")
    assert await asyncio.to_thread(ready.read_text) == "up\n"
    await client.wait_for("bash_update")
    assert (await client.request("pi/abort"))["aborted"] is True
    with pytest.raises(RequestFailed) as stopped:
        await client.answer_to(waiting)
    assert stopped.value.number == -32800
    (kept,) = (await client.request("pi/messages"))["messages"]
    assert kept["message"]["output"] == "part\n"
    assert (kept["message"]["cancelled"], kept["message"]["exitCode"]) == (True, None)


async def test_what_is_cancelled_says_so(start: StartClient, folder: Path) -> None:
    ready = folder / "ready"
    os.mkfifo(ready)
    client = await start()
    running = client.send_request("pi/bash", command=f"echo up > {ready}; sleep 60")
    assert await asyncio.to_thread(ready.read_text) == "up\n"
    idle = client.send_request("pi/waitForIdle")
    for waiting in (idle, running):
        client.notify("$/cancelRequest", {"id": waiting})
        with pytest.raises(RequestFailed) as cancelled:
            await client.answer_to(waiting)
        assert cancelled.value.number == -32800
    state = await client.request("pi/state")
    assert state["phase"] == "idle"
    assert state["messageCount"] == 1


async def test_an_abort_cannot_be_cancelled(start: StartClient) -> None:
    client = await start()
    waiting = client.send_request("pi/abort")
    client.notify("$/cancelRequest", {"id": waiting})
    assert await client.answer_to(waiting) == {"aborted": False, "steer": [], "followUp": []}
