"""The sessions of one folder."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pi_lsp.errors import NotFoundError, PiError, SessionLockedError, StorageError
from pi_lsp.session.disk_file import can_write, reason
from pi_lsp.session.header import Header
from pi_lsp.session.journal import locked
from pi_lsp.session.kept_index import index_path
from pi_lsp.session.listing import SessionInfo, last_message_time, modified, peek_header, read_info
from pi_lsp.session.lock import SessionLock, lock_path
from pi_lsp.session.opening import open_for_reading, open_journal
from pi_lsp.session.places import Places
from pi_lsp.session.session import Session
from pi_lsp.session.shapes import ms_of
from pi_lsp.session.trash import throw_away

DEFAULT_DIRECTORY = Path(".pi/sessions")


class SessionStore:
    """The list of a folder's sessions, and the way to each of them.

    Args:
        folder: the workspace folder.
        directory: of the sessions; relative to the folder, or absolute.

    Raises:
        InvalidArgumentError: the directory's name can be none.
    """

    def __init__(self, folder: Path, directory: Path = DEFAULT_DIRECTORY) -> None:
        self._places = Places(folder, directory)

    @property
    def folder(self) -> Path:
        """The workspace folder, a real path."""
        return self._places.folder

    @property
    def directory(self) -> Path:
        """Where the sessions lie; it may not exist yet."""
        return self._places.directory

    def check(self) -> None:
        """Whether sessions can be kept; makes nothing.

        Raises:
            StorageError: they cannot; says why.
        """
        self._places.check()

    def list(self) -> list[SessionInfo]:
        """All sessions, last used first. Files that are no sessions or cannot be read are left
        out. A copy of a session, which has its id too, is known by its file's name.

        Raises:
            StorageError: the directory cannot be read.
        """
        found: list[SessionInfo] = []
        for path in self._places.session_files():
            try:
                info = read_info(path)
            except (OSError, PiError):
                continue  # one bad file does not break the list
            if info is not None:
                found.append(info)
        found.sort(key=lambda info: (info.modified, info.file.name), reverse=True)
        return _with_own_ids(found)

    def create(self) -> Session:
        """A new session; its file comes with the first user message."""
        return Session.new(self._places)

    def open(self, session_id: str, *, for_reading: bool = False) -> Session:
        """Opens a session by its id, or by its file's name without `.jsonl`.

        Args:
            for_reading: takes no lock and writes nothing, so that another program may be writing
                it meanwhile.

        Raises:
            NotFoundError: there is no such session.
            SessionLockedError: another program writes it.
            SessionInvalidError: the file cannot be used.
            StorageError: it cannot be read or migrated.
        """
        opened = open_for_reading if for_reading else open_journal
        return Session(opened(self._places, self._find(session_id)))

    def newest(self) -> Path | None:
        """The file of the session with the latest message that can be written; None when there
        is none.

        A file is changed no earlier than its last message came; so going from the file that was
        changed last, few have to be looked into.

        Raises:
            StorageError: the directory cannot be read.
        """
        newest: Path | None = None
        latest = -1
        for changed_ms, path in self._by_change():
            if changed_ms < latest:
                break
            used_ms = _used_ms(path)
            if used_ms is not None and used_ms > latest:
                newest, latest = path, used_ms
        return newest

    def continue_newest(self) -> tuple[Session, list[str]]:
        """The newest session, or a new one when there is none or it cannot be had.

        Returns:
            the session, and why it is a new one, a sentence each, when that is a surprise.
        """
        try:
            newest = self.newest()
            if newest is None:
                return self.create(), []
            return Session(open_journal(self._places, newest)), []
        except SessionLockedError:
            warning = "The newest session is open in another program, so a new one was started."
        except PiError as error:
            warning = f"{error.message} A new session was started."
        return self.create(), [warning]

    def delete(self, session_id: str) -> None:
        """Puts a session, with what its migration kept, into the trash; where there is none, it
        is removed.

        Raises:
            NotFoundError: there is no such session.
            SessionLockedError: some program writes it.
            StorageError: the disk refused.
        """
        path = self._find(session_id)
        lock = SessionLock(path)
        try:
            if not lock.acquire():
                raise locked(path)
            try:
                for file in (path, *path.parent.glob(f"{glob.escape(path.name)}.v*.bak")):
                    throw_away(file)
            finally:
                lock.release()
            lock_path(path).unlink(missing_ok=True)
            index_path(path).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{path} cannot be deleted: {reason(error)}.") from error

    def _find(self, session_id: str) -> Path:
        found = [path for path, header in self._headers() if header.id == session_id]
        if found:
            return max(found, key=lambda path: (_used_ms(path) or 0, path.name))
        for path in self._places.session_files():
            if path.stem == session_id:
                return path
        raise NotFoundError(f"There is no session {session_id} in {self.directory}.")

    def _headers(self) -> Iterator[tuple[Path, Header]]:
        for path in self._places.session_files():
            try:
                header = peek_header(path)
            except (OSError, PiError):
                continue  # no session, or gone meanwhile
            if header is not None:
                yield path, header

    def _by_change(self) -> list[tuple[int, Path]]:
        changed: list[tuple[int, Path]] = []
        for path in self._places.session_files():
            try:
                changed.append((path.stat().st_mtime_ns // 1_000_000, path))
            except OSError:
                continue  # gone meanwhile
        return sorted(changed, reverse=True)


def _used_ms(path: Path) -> int | None:
    """When the last message came; None when the file cannot be written or is no session."""
    try:
        header = peek_header(path)
        if header is None or header.is_newer or not can_write(path):
            return None
        return ms_of(modified(header, last_message_time(path)))
    except (OSError, PiError):
        return None


def _with_own_ids(infos: list[SessionInfo]) -> list[SessionInfo]:
    seen: set[str] = set()
    listed: list[SessionInfo] = []
    for info in infos:
        if info.session_id in seen:
            info = replace(info, session_id=info.file.stem)
        seen.add(info.session_id)
        listed.append(info)
    return listed
