"""Disks that are full, refuse, or lose the file: a clear error, memory and file in step, and it
goes on when the cause is gone."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pi_lsp.errors import StorageError
from pi_lsp.session import Session, SessionStore, disk_file
from tests.session.conversation import answer, header, lines, stored, texts, user, write_session

posix = pytest.mark.skipif(os.name == "nt", reason="limits, modes and links are POSIX's")

Reopened = Callable[[Session], Session]


@contextmanager
def disk_full_after(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def plain_user(tmp_path: Path) -> Iterator[Path]:
    """A folder of a user who has no more rights than its modes give."""
    folder = Path(tempfile.mkdtemp(prefix="pi-lsp-"))
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        for directory in (folder, folder / ".pi", folder / ".pi" / "sessions"):
            if directory.exists():
                directory.chmod(0o700)
        shutil.rmtree(folder)


def in_step(session: Session) -> bool:
    """Whether memory holds exactly the entries that the file holds."""
    known = [entry.data for entry in session.entries().entries]
    return known == stored(session)[1:]


@posix
@pytest.mark.parametrize("room", [0, 1, 40, 200])
def test_a_full_disk_adds_nothing_and_is_tried_again(
    session: Session, reopened: Reopened, room: int
) -> None:
    session.append_message(answer("one"))
    before = session.file.read_bytes(), session.leaf_id
    with disk_full_after(len(before[0]) + room):
        with pytest.raises(StorageError, match="File too large"):
            session.append_message(user("x" * 1000))
        assert (session.file.read_bytes(), session.leaf_id) == before
        assert in_step(session)
    later = session.append_message(user("two"))
    assert later.parent_id == before[1]
    assert in_step(session)
    assert texts(reopened(session).context()) == ["first", "one", "two"]


@posix
def test_a_full_disk_at_the_first_question_leaves_no_file(store: SessionStore) -> None:
    session = store.create()
    session.append_model_change("demo", "demo")
    with disk_full_after(100):
        with pytest.raises(StorageError):
            session.append_message(user("hello"))
        assert not session.on_disk
        assert not session.file.exists()
        assert [entry.type for entry in session.path()] == ["model_change"]
    session.append_message(user("hello"))
    assert [line["type"] for line in stored(session)] == ["session", "model_change", "message"]


@posix
def test_a_full_disk_stops_a_fork_and_leaves_no_half_file(
    session: Session, store: SessionStore
) -> None:
    session.append_message(answer("x" * 5000))
    with disk_full_after(1000), pytest.raises(StorageError):
        session.clone()
    assert [info.session_id for info in store.list()] == [session.id]
    assert list(session.file.parent.glob(".*.tmp")) == []
    assert texts(session.clone().context()) == texts(session.context())


def test_a_torn_write_that_cannot_be_undone_is_isolated(
    session: Session, reopened: Reopened, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_write, calls = os.write, 0

    def half(descriptor: int, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(5, "Input/output error")
        return real_write(descriptor, bytes(data)[: len(data) // 2])

    def refuse(descriptor: int, size: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(disk_file.os, "write", half)
        broken.setattr(disk_file.os, "ftruncate", refuse)
        with pytest.raises(StorageError, match="Input/output error"):
            session.append_message(answer("lost"))
    assert texts(session.context()) == ["first"]
    session.append_message(answer("kept"))
    again = reopened(session)
    assert texts(again.context()) == ["first", "kept"]
    assert "line 5" in again.warnings[0]


def test_a_sync_that_fails_is_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(disk_file.os, "fsync", refuse)
    with pytest.raises(StorageError, match="synced"):
        session.sync()


@posix
def test_a_read_only_file_can_be_read_and_later_written(plain_user: Path) -> None:
    store = SessionStore(plain_user)
    session = store.create()
    session.append_message(user("first"))
    session.close()
    session.file.chmod(0o400)
    assert store.list()[0].read_only
    again = store.open(session.id)
    with pytest.raises(StorageError, match="Permission denied"):
        again.append_message(answer("x"))
    assert texts(again.context()) == ["first"]
    session.file.chmod(0o600)
    again.append_message(answer("x"))
    assert texts(again.context()) == ["first", "x"]


@posix
def test_a_read_only_folder_can_be_read_and_later_written(plain_user: Path) -> None:
    store = SessionStore(plain_user)
    file = write_session(plain_user, lines([header()]))
    file.parent.chmod(0o500)
    session = store.open(store.list()[0].session_id)
    with pytest.raises(StorageError, match="locked: Permission denied"):
        session.append_message(user("x"))
    with pytest.raises(StorageError, match="Permission denied"):
        session.clone().append_message(user("x"))
    file.parent.chmod(0o700)
    session.append_message(user("x"))
    assert in_step(session)


@posix
def test_an_old_session_in_a_read_only_folder_is_left_alone(plain_user: Path) -> None:
    store = SessionStore(plain_user)
    file = write_session(plain_user, lines([header(version=2)]))
    before = file.read_bytes()
    file.parent.chmod(0o500)
    started, warnings = store.continue_newest()
    assert not started.on_disk
    assert "cannot be migrated" in warnings[0]
    assert file.read_bytes() == before


@posix
def test_a_workspace_that_cannot_be_written_says_so(plain_user: Path) -> None:
    plain_user.chmod(0o500)
    session = SessionStore(plain_user).create()
    with pytest.raises(StorageError, match="folder for sessions"):
        session.append_message(user("x"))
    assert session.path() == []
    plain_user.chmod(0o700)
    session.append_message(user("x"))
    assert session.on_disk


@pytest.mark.parametrize("name", [".pi", ".pi/sessions"])
def test_a_file_in_place_of_the_directory_says_so(
    store: SessionStore, folder: Path, name: str
) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("in the way")
    session, warnings = store.continue_newest()
    assert len(warnings) == 1
    with pytest.raises(StorageError):
        session.append_message(user("x"))
    assert session.path() == []
    (folder / name).unlink()
    session.append_message(user("x"))
    assert in_step(session)


def deleted(file: Path) -> None:
    file.unlink()


def deleted_with_its_folder(file: Path) -> None:
    shutil.rmtree(file.parents[1])


@pytest.mark.parametrize("lose", [deleted, deleted_with_its_folder])
def test_a_deleted_file_is_written_again(
    session: Session, reopened: Reopened, lose: Callable[[Path], None]
) -> None:
    session.append_message(answer("one"))
    file = session.file
    lose(file)
    session.append_message(user("two"))
    assert session.file == file
    assert "deleted" in session.warnings[0]
    assert in_step(session)
    session.append_message(answer("three"))
    assert len(session.warnings) == 1
    assert texts(reopened(session).context()) == ["first", "one", "two", "three"]


def truncated(file: Path) -> None:
    os.truncate(file, 100)


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def rewritten(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"first", b"worst"))


def rewritten_longer(file: Path) -> None:
    file.write_bytes(b"{}\n" + file.read_bytes())


def replaced_by_another_file(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(file.read_bytes() + b"{}\n")
    other.replace(file)


def replaced_by_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "x").write_text("x")


@pytest.mark.parametrize(
    "lose",
    [
        *(truncated, emptied, rewritten, rewritten_longer, replaced_by_another_file),
        replaced_by_a_folder,
    ],
)
def test_a_changed_file_is_left_and_the_session_goes_on_in_a_new_one(
    session: Session, store: SessionStore, lose: Callable[[Path], None]
) -> None:
    session.append_message(answer("one"))
    old = session.file
    lose(old)
    left = old.read_bytes() if old.is_file() else None
    session.append_message(user("two"))
    assert session.file != old
    assert (old.read_bytes() if old.is_file() else None) == left
    assert str(session.file) in session.warnings[-1]
    assert in_step(session)
    assert texts(session.context()) == ["first", "one", "two"]
    session.append_message(answer("three"))
    session.close()
    assert texts(store.open(session.id).context()) == ["first", "one", "two", "three"]


def test_what_the_disk_refuses_at_the_move_is_tried_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = session.file
    os.truncate(old, 100)

    def refuse(path: Path, blocks: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("pi_lsp.session.journal.write_whole", refuse)
        with pytest.raises(StorageError, match="No space left"):
            session.append_message(answer("x"))
        assert (session.file, texts(session.context())) == (old, ["first"])
    session.append_message(answer("x"))
    assert in_step(session)


def test_a_large_file_survives_being_cut(folder: Path, store: SessionStore) -> None:
    """Beyond the size that is held in memory, the copy lies on disk, without a name."""
    session = store.create()
    session.append_message(user("x" * 17_000_000))
    session.close()
    again = store.open(session.id)
    os.truncate(again.file, 1000)
    again.append_message(answer("one"))
    assert len(texts(again.context())[0]) == 17_000_000
    assert in_step(again)
    names = sorted(path.name for path in again.file.parent.iterdir())
    assert names[:2] == [".indexes", ".locks"]
    assert [Path(name).suffix for name in names[2:]] == [".jsonl", ".jsonl"]
