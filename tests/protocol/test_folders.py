"""Several folders at once, coming and going."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client import Client, RequestFailed
from tests.protocol.conftest import StartClient


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "one two", tmp_path / "three"]
    for path in made:
        path.mkdir()
    return made


def change(
    client: Client, *, added: list[Path] | None = None, removed: list[Path] | None = None
) -> None:
    event = {
        name: [{"uri": path.as_uri(), "name": path.name} for path in paths or []]
        for name, paths in (("added", added), ("removed", removed))
    }
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


async def test_each_folder_has_its_own_agent(start: StartClient, folders: list[Path]) -> None:
    client = await start(folders=folders, settings={"approval": {"mode": "auto"}})
    for path in folders:
        await client.run('create here.txt with "x"', workspace=path.as_uri())
        assert (path / "here.txt").exists()
        assert list((path / ".pi" / "sessions").glob("*.jsonl"))
    by_folder = {one["workspace"] for one in client.events}
    assert by_folder == {path.as_uri() for path in folders}
    for uri in by_folder:
        numbers = [one["seq"] for one in client.events if one["workspace"] == uri]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_with_several_folders_one_must_be_named(
    start: StartClient, folders: list[Path]
) -> None:
    client = await start(folders=folders)
    with pytest.raises(RequestFailed) as unnamed:
        await client.request("pi/state")
    assert unnamed.value.code == "invalid_argument"
    with pytest.raises(RequestFailed) as unknown:
        await client.request("pi/state", workspace="file:///elsewhere")
    assert unknown.value.code == "not_found"


async def test_a_folder_is_given_back_as_it_was_spelled(
    start: StartClient, folders: list[Path]
) -> None:
    client = await start(folders=[])
    spelled = folders[0].as_uri().replace("%20", " ")
    event = {"added": [{"uri": spelled, "name": "x"}], "removed": []}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await client.run("hello", workspace=folders[0].as_uri() + "/")
    assert {one["workspace"] for one in client.events} == {spelled}


async def test_without_a_folder_the_server_says_so(start: StartClient, folders: list[Path]) -> None:
    client = await start(folders=[])
    with pytest.raises(RequestFailed) as missing:
        await client.request("pi/state")
    assert missing.value.code == "invalid_state"
    change(client, added=[folders[1]])
    assert (await client.request("pi/state"))["phase"] == "idle"


async def test_a_folder_that_is_closed_lets_go_of_its_session(
    start: StartClient, folders: list[Path]
) -> None:
    client = await start(folders=folders)
    first, second = (path.as_uri() for path in folders)
    await client.run("hello", workspace=first)
    session = (await client.request("pi/state", workspace=first))["sessionId"]
    change(client, removed=[folders[0]])
    with pytest.raises(RequestFailed):
        await client.request("pi/state", workspace=first)
    assert (await client.request("pi/state"))["phase"] == "idle"
    other = await start(folders=[folders[0]])
    state = await other.request("pi/state")
    assert (state["sessionId"], state["readOnly"]) == (session, False)
    change(client, added=[folders[0]])
    again = await client.request("pi/state", workspace=first)
    assert again["sessionId"] != session
    assert again["warnings"]
    assert (await client.request("pi/state", workspace=second))["phase"] == "idle"


async def test_a_folder_that_is_none_is_refused_and_the_others_work(
    start: StartClient, folders: list[Path], tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    client = await start(folders=[gone, folders[0]])
    with pytest.raises(RequestFailed) as missing:
        await client.request("pi/state", workspace=gone.as_uri())
    assert missing.value.code == "not_found"
    assert (await client.request("pi/state", workspace=folders[0].as_uri()))["phase"] == "idle"
    gone.mkdir()
    assert (await client.request("pi/state", workspace=gone.as_uri()))["phase"] == "idle"


async def test_an_editor_that_only_knows_one_root(
    start: StartClient, folder: Path, home: Path
) -> None:
    client = Client(folder, home)
    await client.spawn()
    await client.initialize(workspaceFolders=None, rootUri=folder.as_uri())
    assert (await client.request("pi/state"))["phase"] == "idle"
    assert await client.quit() == 0


async def test_twenty_folders_work_at_the_same_time(start: StartClient, tmp_path: Path) -> None:
    many = [tmp_path / f"folder {number}" for number in range(20)]
    for path in many:
        path.mkdir()
        (path / "a.txt").write_text(f"this is {path.name}\n")
    client = await start(folders=many)
    for path in many:
        client.send_request("pi/prompt", workspace=path.as_uri(), text="read a.txt")
    for _ in many:
        assert (await client.wait_for("settled", timeout=60))["aborted"] is False
    for path in many:
        events = [one for one in client.events if one["workspace"] == path.as_uri()]
        assert [one["seq"] for one in events] == list(range(1, len(events) + 1))
        told = [one["event"] for one in events]
        (end,) = [event for event in told if event["type"] == "tool_execution_end"]
        assert f"this is {path.name}" in end["result"]["content"][0]["text"]
