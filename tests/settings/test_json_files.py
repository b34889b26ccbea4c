"""The person's files, changed without losing anything."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.settings import ApprovalRule, keep_rule, load_settings
from pi_lsp.settings.json_files import change_object
from tests.settings.conftest import WriteJson

RULE = ApprovalRule(tool="bash", pattern="make test", decision="allow")


def put_new(members: JsonObject) -> None:
    members["new"] = True


def test_always_is_kept_in_the_persons_settings_and_found_again(directory: Path) -> None:
    keep_rule(RULE)

    assert load_settings().settings.approval.rules == [RULE]
    assert stat.S_IMODE((directory / "settings.json").stat().st_mode) == 0o600


def test_what_else_is_in_the_settings_stays_in_its_order(
    directory: Path, write_json: WriteJson
) -> None:
    before = {
        "theme": "dark",
        "approval": {"note": "mine", "rules": [{"tool": "read", "decision": "ask"}]},
        "packages": ["npm:ümlaut"],
        "retry": {"provider": {"timeoutMs": 1}},
    }
    path = write_json(directory / "settings.json", before)
    path.chmod(0o640)

    keep_rule(RULE)

    after = json.loads(path.read_text(encoding="utf-8"))
    assert list(after) == list(before)
    assert after["approval"]["rules"].pop() == RULE.model_dump(exclude_none=True)
    assert after == before
    assert "ümlaut" in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_same_always_twice_is_one_rule(directory: Path) -> None:
    keep_rule(RULE)
    keep_rule(RULE)

    assert load_settings().settings.approval.rules == [RULE]


def test_settings_that_are_a_link_stay_a_link(directory: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (directory / "settings.json").symlink_to(real)

    keep_rule(RULE)

    assert (directory / "settings.json").is_symlink()
    assert "make test" in real.read_text()


@pytest.mark.parametrize("content", ["{broken", '{"approval": 1}', '{"approval": {"rules": {}}}'])
def test_a_file_that_is_not_understood_is_not_touched(content: str, directory: Path) -> None:
    path = directory / "settings.json"
    path.write_text(content)

    with pytest.raises(StorageError, match=r"settings\.json"):
        keep_rule(RULE)

    assert path.read_text() == content
    assert os.listdir(directory) == ["settings.json"]


def test_many_programs_that_keep_rules_at_once_lose_none(directory: Path) -> None:
    script = (
        "import sys; from pi_lsp.settings import ApprovalRule, keep_rule\n"
        "for n in range(5): keep_rule(ApprovalRule("
        "tool='bash', pattern=f'{sys.argv[1]}{n}', decision='allow'))"
    )
    programs = [subprocess.Popen([sys.executable, "-c", script, name]) for name in "abc"]

    assert [program.wait(timeout=60) for program in programs] == [0, 0, 0]
    assert len(load_settings().settings.approval.rules) == 15
    assert os.listdir(directory) == ["settings.json"]


def test_the_lock_of_a_dead_program_is_taken_over(directory: Path) -> None:
    lock = directory / "settings.json.lock"
    lock.mkdir()
    os.utime(lock, (0, 0))

    keep_rule(RULE)

    assert not lock.exists()


def test_the_lock_of_a_living_program_is_respected(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_lsp.settings.json_files._LOCK_WAIT_S", 0)
    (directory / "settings.json.lock").mkdir()

    with pytest.raises(StorageError, match="another program"):
        keep_rule(RULE)

    assert not (directory / "settings.json").exists()


def test_a_change_that_fails_leaves_nothing_behind(directory: Path) -> None:
    path = directory / "settings.json"
    path.write_text("{}")

    def fail(members: JsonObject) -> None:
        members["half"] = True
        raise KeyError("half")

    with pytest.raises(KeyError):
        change_object(path, fail)

    assert path.read_text() == "{}"
    assert os.listdir(directory) == ["settings.json"]


def test_a_directory_in_the_files_place_is_an_error_and_stays(directory: Path) -> None:
    (directory / "settings.json").mkdir()

    with pytest.raises(StorageError, match="cannot be read"):
        change_object(directory / "settings.json", put_new)


def test_a_lone_surrogate_survives(directory: Path) -> None:
    path = directory / "settings.json"
    path.write_text('{"odd": "\\ud800", "fine": "ü"}', encoding="utf-8")

    change_object(path, put_new)

    assert json.loads(path.read_text(encoding="utf-8")) == {
        "odd": "\ud800",
        "fine": "ü",
        "new": True,
    }


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in its folders")
@pytest.mark.parametrize("device", [None, "/dev/zero"])
def test_a_pipe_or_a_device_in_the_place_of_the_settings_is_told_and_not_read(
    directory: Path, device: str | None
) -> None:
    path = directory / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if device is None:
        os.mkfifo(path)
    else:
        path.symlink_to(device)

    loaded = load_settings()

    assert "no regular file" in " ".join(loaded.warnings)
