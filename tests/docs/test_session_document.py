"""What docs/session-file.md says of the file is true: its examples run on a real session."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pi_lsp.session import Session, SessionStore
from tests.session.conversation import answer, call, result, user

DOCUMENT = Path(__file__).parents[2] / "docs" / "session-file.md"


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", DOCUMENT.read_text(), re.M | re.S)
    return [str(block) for block in found]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Two questions, a command, and a branch that was left."""
    session = SessionStore(tmp_path).create()
    session.append_model_change("anthropic", "sonnet")
    question = session.append_message(user("first"))
    session.append_message(call("c1", "bash", {"command": "ls -l"}))
    session.append_message(result("c1"))
    session.append_message(answer("left"))
    session.move_leaf(question.id)
    session.append_message(user("second"))
    return session


def test_the_lines_of_the_document_are_a_session(tmp_path: Path) -> None:
    header, _, _, question = map(json.loads, blocks("json")[0].splitlines())
    [leaf_entry] = blocks("json")[1].splitlines()
    directory = tmp_path / ".pi" / "sessions"
    directory.mkdir(parents=True)
    name = f"2026-01-31T09-15-02-118Z_{header['id']}.jsonl"
    moved = leaf_entry.strip().replace("41aa02c7", question["parentId"])
    (directory / name).write_text(blocks("json")[0] + moved + "\n")
    session = SessionStore(tmp_path).open(header["id"])
    assert session.warnings == []
    assert session.leaf_id == question["parentId"]
    assert session.context().model == ("anthropic", "claude-sonnet-4-5")
    assert session.context(question["id"]).messages[0].message == question["message"]


def test_the_program_without_a_library_finds_the_path(session: Session) -> None:
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[0], str(session.file)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == [e.id for e in session.path()]


def test_the_program_with_the_library_draws_the_tree(session: Session) -> None:
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[1]],
        cwd=session.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    shown = [line[2:].split()[0] for line in done.stdout.splitlines()]
    assert shown == [node.id for node in session.tree()]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize(
    ("recipe", "expected"), [(0, ["first", "second"]), (1, ["1.0"]), (2, ["ls -l"])]
)
def test_the_recipes_find_what_they_say(session: Session, recipe: int, expected: list[str]) -> None:
    command = blocks("sh")[recipe].replace("FILE", f"'{session.file}'")
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    found = done.stdout.splitlines()
    assert [str(float(one)) if recipe == 1 else one for one in found] == expected
