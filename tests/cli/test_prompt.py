"""`pi-lsp prompt` with the demo model, through the real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PI_LSP, Command
from tests.cli.person import Person

ASK = "read README.md and say what this is"
EDIT = 'replace "Hello" with "Goodbye" in src/hello.py'


def sessions(workspace: Path) -> list[Path]:
    return sorted((workspace / ".pi/sessions").glob("*.jsonl"))


def entries(session: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in session.read_text(encoding="utf-8").splitlines()]


def test_it_shows_the_tool_call_the_answer_and_the_session(run: Command, workspace: Path) -> None:
    done = run("prompt", "--trust", ASK)

    assert done.returncode == 0, done.stderr
    assert "→ read README.md\n" in done.stdout
    assert re.search(r"^✓ read README\.md  \d", done.stdout, re.MULTILINE)
    assert "greets people" in done.stdout
    [session] = sessions(workspace)
    assert str(session.relative_to(workspace)) in done.stdout
    assert "demo/demo" in done.stdout
    assert "\x1b" not in done.stdout


def test_quiet_is_the_answer_alone(run: Command) -> None:
    done = run("prompt", "--trust", "--quiet", ASK)

    assert "greets people" in done.stdout
    assert "→" not in done.stdout
    assert ".jsonl" not in done.stdout
    assert done.stderr == ""


def test_the_next_prompt_goes_on_and_new_begins_anew(run: Command, workspace: Path) -> None:
    for arguments, expected in (((), 1), (("--continue",), 1), (("--new",), 2), ((), 2)):
        assert run("prompt", "--trust", *arguments, "ls").returncode == 0
        assert len(sessions(workspace)) == expected


def test_a_session_can_be_chosen(run: Command, workspace: Path) -> None:
    run("prompt", "--trust", "ls")
    run("prompt", "--trust", "--new", "ls")
    first = sessions(workspace)[0]
    before = len(entries(first))

    assert run("prompt", "--trust", "--session", first.stem.split("_")[1], "ls").returncode == 0

    assert len(entries(first)) > before


def test_in_a_folder_that_is_not_trusted_nothing_old_is_read(run: Command, workspace: Path) -> None:
    run("prompt", "ls")
    done = run("prompt", "ls")

    assert done.returncode == 0
    assert "not trusted" in done.stderr
    assert len(sessions(workspace)) == 2


def test_with_nobody_there_the_answer_is_no(run: Command, workspace: Path) -> None:
    done = run("prompt", "--trust", EDIT)

    assert done.returncode == 0
    assert "nobody is there to ask; see --approval" in done.stderr
    assert "✗ edit" in done.stdout
    assert "Hello" in (workspace / "src/hello.py").read_text()


def test_edits_can_be_allowed_at_once_and_show_their_diff(run: Command, workspace: Path) -> None:
    done = run("prompt", "--trust", "--approval", "edits", EDIT)

    assert done.returncode == 0
    assert '+print("Goodbye, world!")' in done.stdout
    assert "Goodbye" in (workspace / "src/hello.py").read_text()


def test_readonly_lets_nothing_change(run: Command, workspace: Path) -> None:
    done = run("prompt", "--trust", "--approval", "readonly", EDIT)

    assert done.returncode == 0
    assert "Hello" in (workspace / "src/hello.py").read_text()


def test_the_text_can_come_from_a_pipe(workspace: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [str(PI_LSP), "prompt", "--trust", "-"],
        input=ASK,
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )

    assert done.returncode == 0
    assert "greets people" in done.stdout


def test_another_folder_can_be_named(run: Command, workspace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "only-here.txt").write_text("x")

    done = run("prompt", "--trust", "--cwd", str(other), "ls")

    assert "only-here.txt" in done.stdout
    assert sessions(workspace) == []


def test_a_model_that_does_not_exist_is_a_usage_error(run: Command) -> None:
    done = run("prompt", "--model", "no-such-model", ASK)

    assert done.returncode == 2
    assert "demo/demo" in done.stderr


def test_without_a_key_a_real_model_is_an_error_that_says_what_to_do(run: Command) -> None:
    done = run("prompt", "--model", "anthropic/claude-sonnet-4-5", ASK)

    assert done.returncode == 1
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_a_service_that_cannot_be_reached_is_an_error(run: Command, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/settings.json").write_text('{"retry": {"enabled": false}}')

    done = run(
        "prompt", ASK, ANTHROPIC_API_KEY="sk-secret", ANTHROPIC_BASE_URL="http://127.0.0.1:9"
    )

    assert done.returncode == 1
    assert done.stderr.strip()
    assert "sk-secret" not in done.stdout + done.stderr


@pytest.fixture
def person(workspace: Path, environment: dict[str, str]) -> Person:
    command = [str(PI_LSP), "prompt", "--trust", EDIT]
    return Person(command, workspace, {**environment, "NO_COLOR": "1"})


@pytest.mark.skipif(os.name == "nt", reason="a terminal of Windows cannot be driven from here")
class TestWithAPerson:
    def test_yes_runs_what_was_shown(self, person: Person, workspace: Path) -> None:
        with person:
            person.sees('-print("Hello, world!")')
            person.sees('+print("Goodbye, world!")')
            person.sees("[n]o: ")
            person.types("y")
            person.sees("✓ edit")
            assert person.waits_for_the_end() == 0

        assert "Goodbye" in (workspace / "src/hello.py").read_text()

    def test_no_with_a_reason_is_told_to_the_model(self, person: Person, workspace: Path) -> None:
        with person:
            person.sees("[n]o: ")
            person.types("what?")
            person.sees("[n]o: ")
            person.types("no")
            person.sees("Why?")
            person.types("the name is fine")
            person.sees("✗ edit")
            assert person.waits_for_the_end() == 0

        assert "Hello" in (workspace / "src/hello.py").read_text()
        [session] = sessions(workspace)
        assert "the name is fine" in session.read_text(encoding="utf-8")

    def test_always_is_kept_in_the_persons_settings(
        self, person: Person, tmp_path: Path, run: Command, workspace: Path
    ) -> None:
        with person:
            person.sees("[n]o: ")
            person.types("a")
            assert person.waits_for_the_end() == 0

        settings = json.loads((tmp_path / "agent/settings.json").read_text())
        [rule] = settings["approval"]["rules"]
        assert rule["tool"] == "edit"
        assert rule["decision"] == "allow"
        run("prompt", "--trust", 'replace "Goodbye" with "Hello" in src/hello.py')
        assert "Hello" in (workspace / "src/hello.py").read_text()

    def test_ctrl_c_while_it_asks_stops_the_run(self, person: Person, workspace: Path) -> None:
        with person:
            person.sees("[n]o: ")
            person.presses_ctrl_c()
            person.sees("Stopp")
            assert person.waits_for_the_end() == 130

        assert "Hello" in (workspace / "src/hello.py").read_text()
        [session] = sessions(workspace)
        assert entries(session)[-1]["type"] == "message"

    def test_a_terminal_gets_colour(self, workspace: Path, environment: dict[str, str]) -> None:
        with Person([str(PI_LSP), "prompt", "--trust", ASK], workspace, environment) as person:
            person.sees("\x1b[32m✓ read README.md")
            assert person.waits_for_the_end() == 0

    def test_serving_in_a_terminal_says_what_it_waits_for(
        self, workspace: Path, environment: dict[str, str]
    ) -> None:
        with Person([str(PI_LSP)], workspace, environment) as person:
            person.sees("waits for an editor")
            person.presses_ctrl_c()
            assert person.waits_for_the_end() == 130


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of POSIX")
def test_a_reader_that_has_seen_enough_ends_it_without_a_word(
    workspace: Path, environment: dict[str, str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [str(PI_LSP), "prompt", "--trust", ASK],
        cwd=workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    os.close(writing)

    assert done.returncode == 1
    assert done.stderr == ""
