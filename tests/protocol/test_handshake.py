"""The handshake, the order of messages, and the end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.client import Client, Editor, RequestFailed
from tests.protocol.conftest import StartClient


async def test_the_server_says_what_it_can_do(start: StartClient) -> None:
    client = await start()
    capabilities = client.info["capabilities"]
    pi = capabilities["experimental"]["pi"]
    assert pi["protocolVersion"] == 1
    assert {"pi/prompt", "pi/state", "pi/health", "pi/setTrust"} <= set(pi["methods"])
    assert {"agent_start", "settled", "message_update", "approval_asked"} <= set(pi["events"])
    assert "event" not in pi["events"]
    commands = capabilities["executeCommandProvider"]["commands"]
    assert sorted(commands) == sorted(method.replace("pi/", "pi-lsp.") for method in pi["methods"])
    assert capabilities["workspace"]["textDocumentContent"] == {"schemes": ["pi"]}
    assert capabilities["workspace"]["workspaceFolders"]["supported"] is True
    sync = capabilities["textDocumentSync"]
    assert (sync["openClose"], sync["change"], sync["save"]) == (True, 2, True)
    assert client.info["serverInfo"]["name"] == "pi-lsp"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_editor_chooses_how_positions_count(start: StartClient, encoding: str) -> None:
    client = await start(editor=Editor(encoding=encoding))
    assert client.info["capabilities"]["positionEncoding"] == encoding


async def test_state_of_a_fresh_folder(start: StartClient) -> None:
    client = await start()
    state = await client.request("pi/state")
    assert state["phase"] == "idle"
    assert state["leafId"] is None
    assert state["model"]["provider"] == "demo"
    assert state["trusted"] is True
    assert state["pendingApprovals"] == []
    assert state["queues"] == {"steer": [], "followUp": [], "nextTurn": []}
    assert state["canContinue"] is False
    assert not (client.folder / ".pi").exists()


@pytest.mark.parametrize("params", [None, {}, []])
async def test_empty_params_may_come_in_any_form(start: StartClient, params: object) -> None:
    client = await start()
    assert await client.request("pi/waitForIdle", params) == {"phase": "idle"}


async def test_nothing_is_answered_before_initialize(folder: Path, home: Path) -> None:
    client = Client(folder, home)
    await client.spawn()
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/state")
    assert refused.value.number == -32002
    await client.initialize()
    assert (await client.request("pi/state"))["phase"] == "idle"
    with pytest.raises(RequestFailed):
        await client.initialize()
    assert await client.quit() == 0


async def test_after_shutdown_only_exit_is_heard(start: StartClient) -> None:
    client = await start()
    # The folder is still being opened; what waits for itself would take all of the 10 s there are.
    await asyncio.wait_for(client.request("shutdown"), 9)
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/state")
    assert refused.value.number == -32600
    client.notify("exit")
    assert await client.exit_code() == 0


async def test_exit_without_shutdown_is_a_fault(start: StartClient) -> None:
    client = await start()
    client.notify("exit")
    assert await client.exit_code() == 1


async def test_an_editor_that_hangs_up_ends_the_server_in_order(start: StartClient) -> None:
    client = await start()
    await client.request("pi/state")
    assert await client.hang_up() == 0


async def test_unknown_values_in_capabilities_stop_nothing(start: StartClient) -> None:
    strange = {"textDocument": {"completion": 7}, "window": [], "workspace": {"applyEdit": "yes"}}
    client = await start(editor=Editor(more_capabilities=strange))
    assert (await client.request("pi/state"))["phase"] == "idle"
