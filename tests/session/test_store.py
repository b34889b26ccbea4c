"""The folder's list of sessions, and which one a start continues."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pi_lsp.errors import NotFoundError, ReadOnlyError, SessionInvalidError, SessionLockedError
from pi_lsp.session import SessionStore, trash
from tests.session.conversation import (
    FILE_NAME,
    SESSION_ID,
    answer,
    chain,
    entry,
    header,
    lines,
    texts,
    user,
    write_session,
)


def written(folder: Path, number: int, last_message: str, **members: str) -> Path:
    """A session with one question, asked at the given time."""
    question = entry("q", None, message=user(f"question {number}")) | {"timestamp": last_message}
    content = lines([header(id=f"id-{number}", **members), question])
    return write_session(folder, content, f"2026-01-0{number}T00-00-00-000Z_id-{number}.jsonl")


def test_the_list_tells_all_about_each_session(store: SessionStore, folder: Path) -> None:
    session = store.create()
    session.append_model_change("demo", "demo")
    session.append_message(user("  what is\nthis? " + "x" * 500))
    session.append_message(answer("a project"))
    session.append_name("Explaining")
    [info] = store.list()
    assert info.session_id == session.id
    assert info.file == session.file
    assert info.name == "Explaining"
    assert info.created == session.created
    assert info.message_count == 2
    assert info.first_message.startswith("what is this? xxx")
    assert len(info.first_message) == 200
    assert info.locked
    assert not info.read_only
    session.close()
    assert not store.list()[0].locked


def test_last_used_comes_first_by_messages_and_not_by_file_times(
    store: SessionStore, folder: Path
) -> None:
    old = written(folder, 1, "2026-02-01T00:00:00.000Z")
    written(folder, 2, "2026-02-03T00:00:00.000Z")
    written(folder, 3, "2026-02-02T00:00:00.000Z")
    renamed = store.open("id-1")
    renamed.append_name("renamed just now")
    renamed.close()
    assert [info.session_id for info in store.list()] == ["id-2", "id-3", "id-1"]
    assert store.list()[2].modified == "2026-02-01T00:00:00.000Z"
    assert store.newest() is not None
    assert store.newest() != old


def test_what_is_no_session_is_left_out(store: SessionStore, folder: Path) -> None:
    written(folder, 1, "2026-02-01T00:00:00.000Z")
    directory = folder / ".pi" / "sessions"
    (directory / "log.jsonl").write_text('{"level":"info"}\n')
    (directory / "garbage.jsonl").write_bytes(b"\x00\xff" * 100)
    (directory / "folder.jsonl").mkdir()
    (directory / "notes.txt").write_text("x")
    if hasattr(os, "mkfifo"):
        os.mkfifo(directory / "pipe.jsonl")
    assert [info.session_id for info in store.list()] == ["id-1"]
    session, warnings = store.continue_newest()
    assert (session.id, warnings) == ("id-1", [])


def test_a_start_continues_the_newest_that_can_be_written(
    store: SessionStore, folder: Path
) -> None:
    written(folder, 1, "2026-02-01T00:00:00.000Z")
    newer = lines([header(id="future", version=4), entry("q", None)])
    write_session(folder, newer, "2026-09-01T00-00-00-000Z_future.jsonl")
    session, warnings = store.continue_newest()
    assert (session.id, warnings) == ("id-1", [])


def test_the_newest_is_found_behind_files_that_were_only_touched(
    store: SessionStore, folder: Path
) -> None:
    now = time.time()
    for number in range(1, 6):
        file = written(folder, number, f"2026-02-0{number}T00:00:00.000Z")
        os.utime(file, (now, now - number))
    session, _ = store.continue_newest()
    assert session.id == "id-5"


def test_an_empty_folder_begins_a_session(store: SessionStore, folder: Path) -> None:
    session, warnings = store.continue_newest()
    assert (session.on_disk, warnings) == (False, [])
    assert store.newest() is None
    assert store.list() == []
    assert list(folder.iterdir()) == []


def test_a_fork_that_was_just_made_is_the_newest(store: SessionStore, folder: Path) -> None:
    written(folder, 1, "2026-02-01T00:00:00.000Z")
    session = store.open("id-1")
    child = session.clone()
    child.close()
    session.close()
    assert store.newest() == child.file
    assert store.list()[0].session_id == child.id
    assert store.list()[0].parent_session == str(session.file)


def test_a_locked_newest_session_makes_a_new_one_and_says_so(
    store: SessionStore, folder: Path
) -> None:
    written(folder, 1, "2026-02-01T00:00:00.000Z")
    first, _ = store.continue_newest()
    second, warnings = SessionStore(folder).continue_newest()
    assert second.id != first.id
    assert len(warnings) == 1
    assert "another program" in warnings[0]


def test_two_files_of_one_id_are_both_reachable(store: SessionStore, folder: Path) -> None:
    write_session(folder, chain("old"))
    copy = write_session(folder, chain("old", "new"), "copy.jsonl")
    copy.write_bytes(copy.read_bytes().replace(b"09:15:02", b"10:15:02"))
    infos = store.list()
    assert [info.session_id for info in infos] == [SESSION_ID, FILE_NAME.removesuffix(".jsonl")]
    opened = [store.open(info.session_id) for info in infos]
    assert [session.file.name for session in opened] == ["copy.jsonl", FILE_NAME]


def test_a_file_that_is_no_session_is_refused_by_name(store: SessionStore, folder: Path) -> None:
    file = write_session(folder, b'{"type":"log"}\n', "log.jsonl")
    with pytest.raises(SessionInvalidError, match=r"log\.jsonl"):
        store.open("log")
    assert file.read_bytes() == b'{"type":"log"}\n'
    with pytest.raises(NotFoundError):
        store.open("../../etc/passwd")


def test_an_empty_file_becomes_a_fresh_session(store: SessionStore, folder: Path) -> None:
    file = write_session(folder, b"")
    session = store.open(SESSION_ID)
    assert (session.id, session.on_disk) == (SESSION_ID, False)
    session.append_message(user("hello"))
    session.append_message(answer("hi"))
    session.close()
    assert file.read_bytes().count(b'"type":"session"') == 1
    assert texts(store.open(SESSION_ID).context()) == ["hello", "hi"]


def test_a_session_of_a_newer_program_is_only_read(store: SessionStore, folder: Path) -> None:
    content = lines([header(version=4), *chain("a", "b"), entry("c", "b", "brand_new")])
    file = write_session(folder, content)
    session = store.open(SESSION_ID)
    assert session.read_only
    assert texts(session.context()) == ["a", "b"]
    for write in (
        lambda: session.append_message(user("x")),
        lambda: session.append_name("x"),
        lambda: session.move_leaf("a"),
        session.require_writable,
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert file.read_bytes() == content
    assert store.list()[0].read_only
    child = session.clone()
    assert texts(child.context()) == ["a", "b"]


def test_deleting_puts_the_file_and_its_backup_into_the_trash(
    store: SessionStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(folder, 1, "2026-02-01T00:00:00.000Z")
    backup = file.with_name(f"{file.name}.v1.bak")
    backup.write_text("old")
    thrown: list[str] = []

    def throw(path: str) -> None:
        thrown.append(path)
        os.unlink(path)

    monkeypatch.setattr("send2trash.send2trash", throw)
    store.delete("id-1")
    assert thrown == [str(file), str(backup)]
    assert store.list() == []
    with pytest.raises(NotFoundError):
        store.delete("id-1")


def test_without_a_trash_the_file_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x"
    file.write_text("x")

    def refuse(path: str) -> None:
        raise OSError("no trash here")

    monkeypatch.setattr("send2trash.send2trash", refuse)
    trash.throw_away(file)
    assert not file.exists()


def test_a_session_in_use_is_not_deleted(store: SessionStore, folder: Path) -> None:
    file = written(folder, 1, "2026-02-01T00:00:00.000Z")
    session = store.open("id-1")
    with pytest.raises(SessionLockedError):
        store.delete("id-1")
    assert file.exists()
    session.close()
