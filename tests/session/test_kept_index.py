"""The kept index of a long session: opening by it is opening by every line, or it is not used."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.session import Session, SessionStore, index, journal, kept_index
from pi_lsp.session.kept_index import index_path, keep_index
from tests.session.conversation import SESSION_ID, entry, lines, texts, user, write_session
from tests.session.test_damaged_files import CORPUS, look_at_everything
from tests.session.test_laws import SessionLaws, snapshot


@pytest.fixture(autouse=True)
def every_session_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_index, "SMALLEST", 0)
    monkeypatch.setattr(journal, "SMALLEST", 0)


def kept() -> None:
    """Wait until what is being kept is kept."""
    for thread in threading.enumerate():
        if thread.name == "pi-lsp index":
            thread.join()


class TestLawsHoldWithKeptIndexes(SessionLaws.TestCase):
    """A session that is closed and opened again at any moment, by its kept index."""

    @pytest.fixture(autouse=True)
    def kept_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def keep(*arguments: Any) -> None:
            keep_index(*arguments)
            kept()

        monkeypatch.setattr(journal, "keep_index", keep)


def worked_with(store: SessionStore) -> Session:
    """A session with branches, labels, a name and a queue, closed and kept."""
    session = store.create()
    session.append_model_change("anthropic", "sonnet")
    first = session.append_message(user("first"))
    session.append_message(user("second"), queue_id="q1")
    session.move_leaf(first.id)
    session.append_label(first.id, "here")
    session.append_name("A long story")
    session.append_queues({"steer": [], "followUp": [], "nextTurn": []})
    session.append_message(user("third"))
    session.close()
    kept()
    return session


def seen(session: Session) -> object:
    return snapshot(session), session.warnings, session.queues(), session.delivered()


def test_a_session_that_was_closed_is_opened_without_looking_at_its_lines(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = worked_with(store)
    before = seen(session)

    def fail(_line: bytes) -> None:
        raise AssertionError("a line was looked at")

    monkeypatch.setattr(index, "read_head", fail)
    again = store.open(session.id)
    assert seen(again) == before
    again.close()


@pytest.mark.parametrize("name", CORPUS)
def test_a_damaged_file_is_the_same_session_by_its_index(
    store: SessionStore, folder: Path, name: str
) -> None:
    content, expected = CORPUS[name]
    file = write_session(folder, content)
    session = store.open(SESSION_ID)
    before = seen(session)
    session.close()
    kept()

    again = store.open(SESSION_ID)
    assert seen(again) == before
    look_at_everything(again)
    added = again.append_message(user("and on"))
    again.close()
    kept()

    third = store.open(SESSION_ID)
    assert texts(third.context()) == [*expected, "and on"]
    assert third.leaf_id == added.id
    third.close()
    assert file.read_bytes().startswith(content)


def test_what_another_program_appended_is_seen(store: SessionStore) -> None:
    session = worked_with(store)
    with session.file.open("ab") as file:
        file.write(lines([entry("theirs", session.leaf_id)]))
    again = store.open(session.id)
    assert again.leaf_id == "theirs"
    again.close()


def test_a_file_that_was_changed_in_place_is_read_anew(store: SessionStore) -> None:
    """Same size, and its old time set again, as a program that restores a backup does."""
    session = worked_with(store)
    status = session.file.stat()
    content = session.file.read_bytes()
    with session.file.open("r+b") as file:
        file.write(content.replace(b"third", b"3rd!!"))
    os.utime(session.file, ns=(status.st_atime_ns, status.st_mtime_ns))
    again = store.open(session.id)
    assert texts(again.context())[-1] == "3rd!!"
    again.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: b"\0" * len(data),
        lambda data: data[:40] + b"x" + data[41:],
        lambda data: data + b"more",
    ],
)
def test_an_index_that_is_damaged_is_not_used(
    store: SessionStore, damage: Callable[[bytes], bytes]
) -> None:
    session = worked_with(store)
    before = seen(session)
    path = index_path(session.file)
    path.write_bytes(damage(path.read_bytes()))
    again = store.open(session.id)
    assert seen(again) == before
    again.close()


def test_an_index_of_another_version_is_not_used(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "__version__", "0.0.1")
    session = worked_with(store)
    before = seen(session)
    assert kept_index.load_index(session.file, session.file.stat()) is None
    again = store.open(session.id)
    assert seen(again) == before
    again.close()


def test_a_folder_that_takes_no_index_takes_the_session(store: SessionStore, folder: Path) -> None:
    write_session(folder, [entry("a", None)])
    (folder / ".pi" / "sessions" / ".indexes").write_text("in the way")
    session = store.open(SESSION_ID)
    session.append_message(user("and on"))
    session.close()
    kept()
    assert texts(store.open(SESSION_ID, for_reading=True).context()) == ["a", "and on"]


def test_an_index_holds_no_words_is_private_and_goes_with_its_session(store: SessionStore) -> None:
    session = worked_with(store)
    path = index_path(session.file)
    data = path.read_bytes()
    assert not any(word in data for word in (b"first", b"third", b"long story", b"here"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    store.delete(session.id)
    assert not path.exists()


def test_the_index_of_a_session_that_another_program_deleted_goes_with_the_next_one(
    store: SessionStore,
) -> None:
    gone = worked_with(store)
    gone.file.unlink()
    session = worked_with(store)
    assert [path.name for path in index_path(session.file).parent.iterdir()] == [
        index_path(session.file).name
    ]


def test_a_session_that_is_only_read_keeps_nothing(store: SessionStore, folder: Path) -> None:
    write_session(folder, [entry("a", None)])
    store.open(SESSION_ID, for_reading=True).close()
    kept()
    assert not (folder / ".pi" / "sessions" / ".indexes").exists()
