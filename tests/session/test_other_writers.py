"""Locks between programs, and what programs without our lock append or do to the file."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.errors import InvalidStateError, SessionLockedError
from pi_lsp.session import Session, SessionStore
from tests.session.conversation import answer, entry, lines, stored, texts, user

HOLDER = """
import sys
from pathlib import Path
from pi_lsp.session import SessionStore
session = SessionStore(Path(sys.argv[1])).open(sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""

APPENDER = """
import sys
for n in range(200):
    line = f'{{"type":"custom","id":"x{n:07d}","parentId":null,"customType":"t"}}\\n'
    with open(sys.argv[1], "ab", buffering=0) as file:
        file.write(line.encode())
"""


def append_by_hand(session: Session, *objects: dict[str, object]) -> None:
    """What pi in a terminal does: it appends without asking for a lock."""
    with session.file.open("ab") as file:
        file.write(lines(objects))


def test_another_process_keeps_a_session_until_it_dies(
    session: Session, store: SessionStore, folder: Path
) -> None:
    session.close()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), session.id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(SessionLockedError, match="another program"):
            store.open(session.id)
        assert [info.locked for info in store.list()] == [True]
        assert texts(store.open(session.id, for_reading=True).context()) == ["first"]
        fallback, warnings = store.continue_newest()
        assert (fallback.id != session.id, len(warnings)) == (True, 1)
    finally:
        holder.kill()
        holder.wait()
    assert [info.locked for info in store.list()] == [False]
    again = store.open(session.id)
    again.append_message(answer("mine now"))
    again.close()


def test_a_closed_session_can_be_opened_again(session: Session, store: SessionStore) -> None:
    with pytest.raises(SessionLockedError):
        store.open(session.id)
    session.close()
    session.close()
    with pytest.raises(InvalidStateError, match="closed"):
        session.append_message(user("too late"))
    again = store.open(session.id)
    again.close()
    assert texts(session.context()) == ["first"]


def test_the_leaf_follows_what_continues_from_it(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    append_by_hand(session, entry("11111111", session.leaf_id), entry("22222222", "11111111"))
    assert [one.id for one in session.take_in()] == ["11111111", "22222222"]
    assert session.leaf_id == "22222222"
    assert session.take_in() == []
    mine = session.append_message(answer("mine"))
    assert mine.parent_id == "22222222"
    assert texts(reopened(session).context()) == ["first", "11111111", "22222222", "mine"]


def test_what_continues_from_above_our_bookkeeping_is_followed(session: Session) -> None:
    visible = session.visible_leaf_id
    session.append_queues({"steer": [], "followUp": [], "nextTurn": []})
    append_by_hand(session, entry("11111111", visible))
    session.take_in()
    assert session.leaf_id == "11111111"


def test_what_branches_off_elsewhere_leaves_the_leaf(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    reply = session.append_message(answer("ours"))
    append_by_hand(session, entry("11111111", reply.parent_id))
    session.take_in()
    assert session.leaf_id == reply.id
    next_one = session.append_message(user("next"))
    *_, theirs, switch, ours = stored(session)
    assert (theirs["id"], ours["id"]) == ("11111111", next_one.id)
    assert switch["data"] == {"targetId": reply.id}
    assert ours["parentId"] == reply.id
    assert texts(reopened(session).context()) == ["first", "ours", "next"]


def test_while_it_works_nothing_moves_the_leaf(session: Session) -> None:
    leaf = session.leaf_id
    session.idle = False
    append_by_hand(session, entry("11111111", leaf))
    mine = session.append_message(answer("mine"))
    assert mine.parent_id == leaf
    assert stored(session)[-2]["customType"] == "pi-lsp.leaf"
    assert texts(session.context()) == ["first", "mine"]
    assert {node.id for node in session.tree()} == {leaf, "11111111", mine.id}


def test_a_line_that_is_still_being_written_is_waited_for(session: Session) -> None:
    line = lines([entry("11111111", session.leaf_id)])
    with session.file.open("ab") as file:
        file.write(line[:30])
        file.flush()
        assert session.take_in() == []
        file.write(line[30:])
    assert [one.id for one in session.take_in()] == ["11111111"]
    assert session.warnings == []


def test_a_torn_line_of_another_program_is_isolated(session: Session) -> None:
    with session.file.open("ab") as file:
        file.write(b'{"type":"message","id":"torn')
    mine = session.append_message(answer("whole"))
    assert session.file.read_bytes().split(b"\n")[-3:-1] == [
        b'{"type":"message","id":"torn',
        mine.line,
    ]
    assert "line 5" in session.warnings[0]


def test_a_whole_line_without_its_end_counts(session: Session) -> None:
    with session.file.open("ab") as file:
        file.write(lines([entry("11111111", session.leaf_id)])[:-1])
    mine = session.append_message(answer("next"))
    assert mine.parent_id == "11111111"
    assert session.warnings == []
    assert mine.line_number == 6


def test_a_touched_file_is_still_the_same(session: Session) -> None:
    file = session.file
    file.touch()
    session.append_message(answer("one"))
    assert (session.file, session.warnings) == (file, [])


def test_names_and_labels_of_others_are_taken_in(session: Session) -> None:
    leaf = session.leaf_id
    append_by_hand(
        session,
        entry("11111111", leaf, "session_info", name="theirs"),
        entry("22222222", "11111111", "label", targetId=leaf, label="seen"),
    )
    session.take_in()
    assert session.name == "theirs"
    assert session.label_of(leaf or "") == "seen"


def test_lines_that_come_between_look_and_write_are_not_lost(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look and the write are two steps; here another program writes in between."""
    look = Session.take_in

    def look_and_be_overtaken(self: Session) -> list[object]:
        taken = look(self)
        append_by_hand(self, entry("11111111", self.leaf_id))
        return list(taken)

    monkeypatch.setattr(Session, "take_in", look_and_be_overtaken)
    mine = session.append_message(answer("mine"))
    monkeypatch.undo()
    assert mine.data["message"]["content"][0]["text"] == "mine"
    assert session.entry("11111111").data["message"]["content"][0]["text"] == "11111111"
    assert texts(session.context()) == ["first", "mine"]


def test_two_writers_lose_no_line(session: Session, folder: Path) -> None:
    """A second program appends as fast as it can while we do."""
    other = subprocess.Popen([sys.executable, "-c", APPENDER, str(session.file)])
    mine = 0
    deadline = time.monotonic() + 60
    while other.poll() is None or mine < 200:
        session.append_message(user(f"mine {mine}"))
        mine += 1
        assert time.monotonic() < deadline
    session.take_in()
    entries = session.entries().entries
    assert sum(one.id.startswith("x") for one in entries) == 200
    asked = [one.data["message"]["content"][0]["text"] for one in entries if one.role == "user"]
    assert asked == ["first", *[f"mine {n}" for n in range(mine)]]
    assert session.warnings == []
