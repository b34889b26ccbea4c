"""`pi-lsp doctor`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Command


def test_a_person_without_a_key_is_told_and_nothing_is_wrong(run: Command, workspace: Path) -> None:
    done = run("doctor")

    assert done.returncode == 0
    assert f"in {workspace}" in done.stdout
    assert "ok     server" in done.stdout
    assert "warn   key" in done.stdout
    assert "ANTHROPIC_API_KEY" in done.stdout


def test_looking_leaves_nothing_behind(run: Command, workspace: Path) -> None:
    run("doctor")

    assert not (workspace / ".pi").exists()


def test_a_key_is_never_shown(run: Command) -> None:
    done = run("doctor", ANTHROPIC_API_KEY="sk-ant-secret")

    assert "warn   key" not in done.stdout
    assert "sk-ant-secret" not in done.stdout + done.stderr


def test_what_is_wrong_with_the_settings_is_named(run: Command, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/settings.json").write_text('{"approval": {"mode": "yolo"}}')

    assert "approval.mode" in run("doctor").stdout


def test_sessions_that_cannot_be_written_are_an_error(run: Command, workspace: Path) -> None:
    (workspace / ".pi").write_text("a file where the folder should be")

    done = run("doctor")

    assert done.returncode == 1
    assert "error" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
