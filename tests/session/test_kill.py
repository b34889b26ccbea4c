"""Killed at any instant: the session opens again, and all that a save point covered is there."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pi_lsp.session import SessionStore
from tests.session.conversation import FILE_NAME, SESSION_ID, header, lines, user, write_session
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

MIGRATOR = """
import sys
from pathlib import Path
from pi_lsp.session import SessionStore
print("begin", flush=True)
SessionStore(Path(sys.argv[1])).open(sys.argv[2]).close()
"""


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


@pytest.mark.timeout(300)
def test_a_migration_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    chance = random.Random(11)
    old = [header(), *[{"type": "message", "message": user("x" * 5000)} for _ in range(400)]]
    old[0].pop("version")
    original = lines(old)
    finished = 0
    for round_number in range(KILLS):
        folder = tmp_path / str(round_number)
        file = write_session(folder, original)
        migrator = start(MIGRATOR, str(folder), SESSION_ID)
        assert migrator.stdout is not None
        migrator.stdout.readline()
        time.sleep(chance.random() * 0.06)
        migrator.kill()
        migrator.wait()
        backup = file.with_name(f"{FILE_NAME}.v1.bak")
        finished += file.read_bytes() != original
        assert file.read_bytes() == original or backup.read_bytes() == original
        session = SessionStore(folder).open(SESSION_ID)
        assert len(session.context().messages) == 400
        assert backup.read_bytes() == original
        assert [path.name for path in file.parent.glob("*.bak")] == [backup.name]
        session.close()
        shutil.rmtree(folder)
    assert 0 < finished < KILLS
