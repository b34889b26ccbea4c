"""`pi-lsp sessions`, `tree` and `export`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_lsp.messages import UserMessage
from pi_lsp.session import Session, SessionStore
from tests.cli.conftest import Command

LISTED = re.compile(r"^([0-9a-f-]{36})  (\d{4}-\d\d-\d\d \d\d:\d\d) +(\d+)  (.*)$")


def says(text: str) -> UserMessage:
    return {"role": "user", "content": text, "timestamp": 1}


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    """A conversation with a branch: one, then two; back at one, then three."""
    session = SessionStore(workspace).create()
    first = session.append_message(says("one"))
    session.append_message(says("two"))
    session.move_leaf(first.id)
    session.append_message(says("three"))
    session.append_label(first.id, "start")
    yield session
    session.close()


def test_sessions_are_listed_with_name_or_first_words(
    run: Command, workspace: Path, session: Session
) -> None:
    other = SessionStore(workspace).create()
    other.append_message(says("something else"))
    other.append_name("The other one")
    other.close()

    lines = run("sessions").stdout.splitlines()

    found = {match[1]: match for match in map(LISTED.match, lines) if match}
    assert len(found) == len(lines) == 2
    assert found[session.id][3] == "3"
    assert found[session.id][4] == "one  (in use)"
    assert found[other.id][4] == "The other one"


def test_an_empty_folder_says_so(run: Command) -> None:
    done = run("sessions")

    assert done.returncode == 0
    assert done.stdout == ""
    assert "no sessions" in done.stderr


def test_the_tree_sets_branches_in_and_marks_the_leaf(run: Command, session: Session) -> None:
    lines = [line[9:] for line in run("tree").stdout.splitlines()[1:]]

    assert lines == ["| user: one  [start]", "    user: two", "●   user: three"]


def test_a_line_of_conversation_is_not_set_in(run: Command, workspace: Path) -> None:
    session = SessionStore(workspace).create()
    for number in range(50):
        session.append_message(says(f"message {number}"))
    session.close()

    lines = run("tree").stdout.splitlines()[1:]

    assert len(lines) == 50
    assert all(line[9:].startswith(("| user", "● user")) for line in lines)


def test_an_older_session_is_found_by_the_end_of_its_id(
    run: Command, workspace: Path, session: Session
) -> None:
    newer = SessionStore(workspace).create()
    newer.append_message(says("newer"))
    newer.close()

    assert "three" in run("tree", "--session", session.id[-8:]).stdout
    assert "newer" in run("tree").stdout


@pytest.mark.parametrize("command", [("tree",), ("export", "--format", "jsonl")])
def test_a_session_that_does_not_exist_is_a_failure_in_one_sentence(
    command: tuple[str, ...], run: Command, session: Session
) -> None:
    done = run(*command, "--session", "no-such-id")

    assert done.returncode == 1
    assert "pi-lsp sessions" in done.stderr


@pytest.mark.parametrize(("format", "suffix"), [("html", ".html"), ("markdown", ".md")])
def test_an_export_says_where_it_lies(
    format: str, suffix: str, run: Command, session: Session
) -> None:
    done = run("export", "--format", format)

    path = Path(done.stdout.strip())
    assert path.suffix == suffix
    assert "three" in path.read_text(encoding="utf-8")


def test_an_export_goes_where_it_is_told(run: Command, tmp_path: Path, session: Session) -> None:
    target = tmp_path / "out.jsonl"

    done = run("export", "--format", "jsonl", "-o", str(target))

    assert done.stdout.strip() == str(target)
    assert json.loads(target.read_text(encoding="utf-8").splitlines()[0])["type"] == "session"


def test_an_export_that_cannot_be_written_is_an_error(
    run: Command, tmp_path: Path, session: Session
) -> None:
    (tmp_path / "file").write_text("in the way")

    done = run("export", "-o", str(tmp_path / "file" / "out.html"))

    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_words_of_others_cannot_drive_the_terminal(run: Command, workspace: Path) -> None:
    session = SessionStore(workspace).create()
    session.append_message(says("hello \x1b[2J\x1b]0;evil\x07"))
    session.close()

    assert "\x1b" not in run("sessions").stdout + run("tree").stdout


@pytest.mark.parametrize("command", ["tree", "export"])
def test_a_folder_without_sessions_is_a_failure_in_one_sentence(command: str, run: Command) -> None:
    done = run(command)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "no sessions" in done.stderr
