"""Killed at any instant: the session opens again, and all that a save point covered is there."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pi_lsp.session import Session, SessionInfo, SessionStore
from tests.session.conversation import (
    FILE_NAME,
    SESSION_ID,
    header,
    lines,
    texts,
    user,
    write_session,
)
from tests.session.test_damaged_files import look_at_everything

KILLS = 25

WRITER = """
import sys
from pathlib import Path
from pi_lsp.session import SessionStore
from tests.session.conversation import answer, user
store = SessionStore(Path(sys.argv[1]))
session = store.create()
number = 0
while True:
    number += 1
    asked = session.append_message(user(f"{number}" * 3000))
    session.append_message(answer("x" * 20000))
    if number % 3 == 0:
        session.move_leaf(asked.id)
    if number % 5 == 0:
        session.append_compaction(summary="s", first_kept_entry_id=asked.id, tokens_before=1)
    session.sync()
    print(session.id, session.leaf_id, flush=True)
    if number % 4 == 0:
        child = session.clone()
        print(child.id, child.leaf_id, flush=True)
        session.close()
        session = child
"""

KILLED_AT_A_STEP = """
import os, signal, sys
from pathlib import Path
from pi_lsp.session import SessionStore
from tests.session.conversation import answer, user

steps = int(sys.argv[3])

def deadly(name):
    real = getattr(os, name)
    def call(*arguments, **options):
        global steps
        steps -= 1
        if steps < 0:
            if name == "write":
                real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    setattr(os, name, call)

for name in ("open", "mkdir", "write", "fsync", "link", "replace", "unlink"):
    deadly(name)
store = SessionStore(Path(sys.argv[1]))
"""
MIGRATE = "store.open(sys.argv[2]).close()"
CONVERSE = """
session = store.create()
session.append_message(user("first"))
session.sync()
print("first", flush=True)
session.append_message(answer("one"))
session.sync()
print("one", flush=True)
session.clone().close()
session.move_leaf(None)
session.append_message(user("second"))
session.sync()
print("second", flush=True)
"""


@dataclass(frozen=True)
class Killed:
    """A folder in which a story was killed, and what it had printed."""

    path: Path
    printed: list[str]


def killed_at_each_step(
    story: str, place: Path, prepare: Callable[[Path], object]
) -> Iterator[Killed]:
    """Tells a story again and again, each time in a new folder, killed at the first, the second,
    ... call that changes the disk (a write: when half of it is done), until it comes to its end."""
    for step in range(200):
        folder = place / str(step)
        folder.mkdir()
        prepare(folder)
        teller = start(KILLED_AT_A_STEP + story, str(folder), SESSION_ID, str(step))
        printed, _ = teller.communicate()
        yield Killed(folder, printed.split())
        if teller.returncode == 0:
            return
        assert teller.returncode == -signal.SIGKILL
    raise AssertionError("the story never ends")


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.timeout(300)
def test_what_was_synced_is_there_after_a_kill(tmp_path: Path) -> None:
    """One writer is started again and again in one folder and killed at a random moment."""
    chance = random.Random(7)
    for round_number in range(KILLS):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        writer = start(WRITER, str(folder))
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(chance.random() * 0.05)
        writer.kill()
        synced: dict[str, str] = {}
        for line in (first + writer.stdout.read()).splitlines():
            if len(words := line.split()) == 2:
                synced[words[0]] = words[1]
        writer.wait()
        store = SessionStore(folder)
        infos = {info.session_id: info for info in store.list()}
        assert synced.keys() <= infos.keys()
        for session_id in infos:
            session = store.open(session_id)
            look_at_everything(session)
            if session_id in synced:
                session.entry(synced[session_id])
            leaf = session.leaf_id
            assert session.append_message(user("on")).parent_id == leaf
            session.close()


def test_a_migration_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    old = [header(), *[{"type": "message", "message": user("x" * 5000)} for _ in range(400)]]
    old[0].pop("version")
    original = lines(old)
    outcomes: set[bool] = set()
    for killed in killed_at_each_step(
        MIGRATE, tmp_path, lambda folder: write_session(folder, original)
    ):
        file = killed.path / ".pi" / "sessions" / FILE_NAME
        backup = file.with_name(f"{FILE_NAME}.v1.bak")
        migrated = file.read_bytes() != original
        outcomes.add(migrated)
        assert not migrated or backup.read_bytes() == original
        session = SessionStore(killed.path).open(SESSION_ID)
        assert len(session.context().messages) == 400
        assert backup.read_bytes() == original
        assert [path.name for path in file.parent.glob("*.bak")] == [backup.name]
        session.close()
    assert outcomes == {False, True}


def test_a_conversation_that_is_killed_at_any_step_goes_on(tmp_path: Path) -> None:
    for killed in killed_at_each_step(CONVERSE, tmp_path, lambda folder: None):
        store = SessionStore(killed.path)
        told = [texts(opened(store, info).context()) for info in store.list()]
        said = {text for one in told for text in one}
        assert set(killed.printed) <= said
        assert all(one in ([], ["first"], ["first", "one"], ["second"]) for one in told)
        session, warnings = store.continue_newest()
        assert warnings == []
        session.append_message(user("and on"))
        session.close()


def opened(store: SessionStore, info: SessionInfo) -> Session:
    session = store.open(info.session_id, for_reading=True)
    look_at_everything(session)
    return session
