"""Health is asked where something fails, so it answers there; bad files hold up nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, RequestFailed
from tests.protocol.conftest import StartClient

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and links")


async def checks(client: Client) -> dict[str, Any]:
    return {one["name"]: one for one in (await client.request("pi/health"))["checks"]}


async def test_without_a_folder_it_says_to_open_one(start: StartClient) -> None:
    client = await start(folders=[])
    found = await checks(client)
    assert found["folder"]["status"] == "error"
    assert "Open a folder" in found["folder"]["hint"]
    assert found["server"]["status"] == "ok"


@pytest.mark.parametrize("trusted", [True, False])
async def test_a_file_in_the_way_of_the_sessions_is_an_error(
    start: StartClient, folder: Path, trusted: bool
) -> None:
    (folder / ".pi").write_text("in the way")
    client = await start(settings={"trusted": trusted})
    session = (await checks(client))["session file"]
    assert session["status"] == "error"
    assert session["hint"]


@on_posix
@pytest.mark.parametrize("trusted", [True, False])
async def test_a_link_out_of_the_folder_is_an_error(
    start: StartClient, folder: Path, tmp_path: Path, trusted: bool
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / ".pi").symlink_to(tmp_path / "elsewhere")
    client = await start(settings={"trusted": trusted})
    session = (await checks(client))["session file"]
    assert session["status"] == "error"
    assert "leads out" in session["message"]


@pytest.mark.parametrize("uri", ["file:///a%00b", "file:///no/such/folder", "untitled:x"])
async def test_a_folder_that_is_none_is_an_error(start: StartClient, uri: str) -> None:
    client = await start(folders=[])
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": uri, "name": "x"}], "removed": []}},
    )
    assert (await checks(client))["folder"]["status"] == "error"
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/state")
    assert refused.value.code == "not_found"


async def test_a_name_that_no_directory_of_sessions_can_have_is_a_warning(
    start: StartClient,
) -> None:
    client = await start(settings={"session": {"dir": "a\0b"}})
    assert (await checks(client))["session file"]["status"] == "ok"
    (warning,) = (await client.request("pi/state"))["warnings"]
    assert "session.dir" in warning


async def test_a_name_that_no_file_can_have_is_no_place_to_export_to(start: StartClient) -> None:
    client = await start()
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/export", format="html", path="a\0b")
    assert refused.value.code == "invalid_argument"


@on_posix
@pytest.mark.parametrize(
    "name",
    [
        "project/.pi/settings.json",
        "home/.pi/agent/settings.json",
        "home/.pi/agent/models.json",
        "home/.pi/agent/auth.json",
        "home/.pi/agent/trust.json",
        "project/.pi/.gitignore",
    ],
)
async def test_a_pipe_in_the_place_of_a_file_holds_up_nothing(
    start: StartClient, folder: Path, tmp_path: Path, name: str
) -> None:
    (folder / ".git").mkdir()
    pipe = tmp_path / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    client = await start()
    assert (await client.request("pi/state"))["phase"] == "idle"
    assert len(await checks(client)) > 1
    assert await client.quit() == 0
