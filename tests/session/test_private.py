"""Sessions are private, and stay in the workspace."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pi_lsp.errors import NotFoundError, StorageError
from pi_lsp.session import SessionStore
from pi_lsp.session.export import export
from tests.session.conversation import (
    SESSION_ID,
    chain,
    header,
    lines,
    texts,
    user,
    write_session,
)

posix = pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_files_and_folders_are_their_owners_alone(
    store: SessionStore, folder: Path, tmp_path: Path
) -> None:
    before = os.umask(0)
    try:
        session = store.create()
        session.append_message(user("secret"))
        child = session.clone()
        exported = export(session, "html", tmp_path / "out.html")
    finally:
        os.umask(before)
    assert mode(session.file) == mode(child.file) == mode(exported) == 0o600
    assert mode(session.file.parent) == mode(folder / ".pi") == 0o700
    for lock in (session.file.parent / ".locks").iterdir():
        assert mode(lock) == 0o600


@posix
def test_a_migrated_file_is_private_too(store: SessionStore, folder: Path) -> None:
    file = write_session(folder, lines([header(version=2), *chain("a")]))
    file.chmod(0o644)
    store.open(SESSION_ID)
    assert mode(file) == 0o600


def test_conversations_are_kept_out_of_commits(store: SessionStore, folder: Path) -> None:
    store.create().append_message(user("x"))
    assert (folder / ".pi" / ".gitignore").read_text() == "sessions/\n"


def test_a_persons_own_ignore_file_is_left_alone(store: SessionStore, folder: Path) -> None:
    (folder / ".pi").mkdir()
    (folder / ".pi" / ".gitignore").write_text("mine\n")
    store.create().append_message(user("x"))
    assert (folder / ".pi" / ".gitignore").read_text() == "mine\n"


def test_another_directory_ignores_itself(folder: Path) -> None:
    SessionStore(folder, Path("talks")).create().append_message(user("x"))
    assert (folder / "talks" / ".gitignore").read_text() == "*\n"
    assert not (folder / ".gitignore").exists()


def test_a_directory_outside_that_a_person_chose_is_used(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "archive"
    session = SessionStore(folder, outside).create()
    session.append_message(user("x"))
    assert session.file.parent == outside
    assert not (outside / ".gitignore").exists()
    session.close()
    assert SessionStore(folder, outside).open(session.id).id == session.id


@posix
@pytest.mark.parametrize("link", [".pi", ".pi/sessions"])
def test_a_link_out_of_the_workspace_is_refused(
    store: SessionStore, folder: Path, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "sessions").mkdir(parents=True)
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(outside)
    session = store.create()
    with pytest.raises(StorageError, match="out of the workspace"):
        session.append_message(user("x"))
    with pytest.raises(StorageError, match="out of the workspace"):
        store.list()
    started, warnings = store.continue_newest()
    assert not started.on_disk
    assert "out of the workspace" in warnings[0]
    assert [path.name for path in outside.rglob("*")] == ["sessions"]
    assert session.path() == []
    (folder / link).unlink()
    session.append_message(user("x"))
    assert session.on_disk


@posix
def test_a_link_within_the_workspace_is_followed(store: SessionStore, folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / ".pi").mkdir()
    (folder / ".pi" / "sessions").symlink_to(folder / "elsewhere")
    session = store.create()
    session.append_message(user("x"))
    session.close()
    assert len(list((folder / "elsewhere").glob("*.jsonl"))) == 1
    assert store.open(session.id).id == session.id


@posix
def test_a_session_that_is_a_link_out_is_neither_listed_nor_opened(
    store: SessionStore, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(lines([header(), *chain("a")]))
    directory = folder / ".pi" / "sessions"
    directory.mkdir(parents=True)
    (directory / "link.jsonl").symlink_to(secret)
    assert store.list() == []
    assert store.continue_newest()[0].id != SESSION_ID
    with pytest.raises(NotFoundError):
        store.open(SESSION_ID)


@posix
def test_a_link_that_takes_the_files_place_is_not_written_through(
    store: SessionStore, folder: Path, tmp_path: Path
) -> None:
    session = store.create()
    session.append_message(user("one"))
    victim = tmp_path / "victim"
    victim.write_bytes(session.file.read_bytes())
    old = session.file
    session.file.unlink()
    old.symlink_to(victim)
    before = victim.read_bytes()
    session.append_message(user("two"))
    assert victim.read_bytes() == before
    assert not session.file.is_symlink()
    assert texts(session.context()) == ["one", "two"]


def test_the_header_names_the_real_folder(tmp_path: Path, folder: Path) -> None:
    if os.name == "nt":
        pytest.skip("links need rights on Windows")
    alias = tmp_path / "alias"
    alias.symlink_to(folder)
    session = SessionStore(alias).create()
    session.append_message(user("x"))
    assert session.header["cwd"] == str(folder.resolve())
    assert session.file.parent == folder.resolve() / ".pi" / "sessions"
