"""Locks where they work in another way."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from filelock import SoftFileLock

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.session import lock
from pi_lsp.session.lock import SessionLock, is_locked
from pi_lsp.settings.json_files import change_object


def test_where_the_file_of_a_lock_goes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As on Windows, where it is removed when it is given back."""
    monkeypatch.setattr(lock, "FileLock", SoftFileLock)
    session = tmp_path / "a.jsonl"
    first, second = SessionLock(session), SessionLock(session)
    assert not is_locked(session)
    assert first.acquire()
    assert first.held
    assert is_locked(session)
    assert not second.acquire()
    first.release()
    assert not is_locked(session)
    assert second.acquire()
    second.release()
    assert os.listdir(tmp_path / lock.LOCKS) == []


def put_new(members: JsonObject) -> None:
    members["new"] = True


class RefusingFolders:
    """`Path.mkdir` as on Windows, where a folder whose namesake is being removed is refused."""

    def __init__(self, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = times
        self._mkdir = Path.mkdir
        monkeypatch.setattr(Path, "mkdir", lambda path, **options: self(path, **options))

    def __call__(self, path: Path, **options: Any) -> None:
        if path.suffix == ".lock" and self.left:
            self.left -= 1
            raise PermissionError(errno.EACCES, "Access is denied", str(path))
        self._mkdir(path, **options)


@pytest.mark.usefixtures("on_windows")
def test_a_lock_that_is_just_given_back_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    refusing = RefusingFolders(3, monkeypatch)
    change_object(tmp_path / "settings.json", put_new)
    assert refusing.left == 0
    assert '"new": true' in (tmp_path / "settings.json").read_text()
    assert os.listdir(tmp_path) == ["settings.json"]


@pytest.mark.usefixtures("on_windows")
def test_a_folder_that_cannot_be_written_is_not_taken_for_a_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pi_lsp.settings.json_files._LOCK_WAIT_S", 0.05)
    RefusingFolders(10_000, monkeypatch)
    with pytest.raises(StorageError, match="Access is denied"):
        change_object(tmp_path / "settings.json", put_new)
