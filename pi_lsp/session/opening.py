"""Opening a session file: links, lock, version, migration, index, in this order."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pi_lsp.errors import StorageError
from pi_lsp.session.disk_file import DiskFile, reason
from pi_lsp.session.header import VERSION, header_of, id_in_name, new_header
from pi_lsp.session.index import Index
from pi_lsp.session.journal import Journal, locked
from pi_lsp.session.kept_index import load_index
from pi_lsp.session.listing import peek_header
from pi_lsp.session.lock import SessionLock
from pi_lsp.session.migration import migrate, migrated_blocks
from pi_lsp.session.mirror import Mirror
from pi_lsp.session.places import Places


def open_journal(places: Places, path: Path) -> Journal:
    """Opens a session for writing; one that a newer program wrote, for reading.

    Raises:
        SessionInvalidError: the file is no session, or a link out of the workspace.
        SessionLockedError: another program writes it.
        StorageError: it cannot be read or migrated.
    """
    path = places.real_file(path)
    if _is_newer(path):
        return open_for_reading(places, path)
    lock = SessionLock(path)
    refused = _try(lock, path)
    try:
        loaded = _Loaded(path)
        if loaded.header is None:
            return _fresh(places, path, lock)
        if loaded.header.version < VERSION:
            if refused is not None:
                raise StorageError(f"{path} cannot be migrated: {reason(refused)}.")
            migrate(path, loaded.mirror, loaded.header)
            loaded.mirror.close()
            loaded = _Loaded(path)
        return loaded.journal(places, lock)
    except BaseException:
        lock.release()
        raise


def open_for_reading(places: Places, path: Path) -> Journal:
    """Opens a session without a lock and without writing anything; an old version is migrated
    in memory only.

    Raises:
        SessionInvalidError: the file is no session, or a link out of the workspace.
        StorageError: it cannot be read.
    """
    path = places.real_file(path)
    loaded = _Loaded(path)
    if loaded.header is None:
        return _fresh(places, path, SessionLock(path))
    if loaded.header.version < VERSION:
        loaded = _Loaded(path, migrated_blocks(loaded.mirror, loaded.header))
    return loaded.journal(places, SessionLock(path), for_reading=True)


class _Loaded:
    """A file's bytes, indexed as far as the header.

    Raises:
        SessionInvalidError: the file is no session.
        StorageError: it cannot be read.
    """

    def __init__(self, path: Path, blocks: Iterable[bytes] | None = None) -> None:
        try:
            self.mirror = Mirror(path.stat().st_size, path.parent)
            for block in blocks or ():
                self.mirror.append(block)
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {reason(error)}.") from error
        self._disk = DiskFile(path, self.mirror)
        if blocks is None:
            self._disk.load()
        self._index = Index(self.mirror)
        self.header = self._index.read_header(path)

    def journal(self, places: Places, lock: SessionLock, *, for_reading: bool = False) -> Journal:
        """Indexes the rest."""
        assert self.header is not None
        kept = load_index(self._disk.path, self._disk.status)
        if kept is not None:
            self._index.restore(kept)
        else:
            self._index.read_on()
        try:
            self.mirror.settle()
        except OSError as error:
            raise StorageError(f"{self._disk.path} cannot be read: {reason(error)}.") from error
        journal = Journal(
            places,
            self.header,
            self.mirror,
            self._index,
            self._disk,
            lock,
            on_disk=True,
            for_reading=for_reading,
            kept=None if kept is None else kept.file,
        )
        if kept is None:
            journal.keep_index()
        return journal


def _is_newer(path: Path) -> bool:
    try:
        header = peek_header(path)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {reason(error)}.") from error
    return header is not None and header.is_newer


def _try(lock: SessionLock, path: Path) -> OSError | None:
    """Takes the lock. In a folder that cannot be written it cannot be had, nor is it needed for
    reading: then it is tried again with the first write."""
    try:
        if not lock.acquire():
            raise locked(path)
    except OSError as error:
        return error
    return None


def _fresh(places: Places, path: Path, lock: SessionLock) -> Journal:
    """An empty file becomes a fresh session, of the id that its name says."""
    data = new_header(places.folder).data
    return Journal.begin(places, header_of({**data, "id": id_in_name(path)}, ""), path, lock)
