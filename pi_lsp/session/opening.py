"""Opening a session file: links, lock, version, migration, index, in this order."""

from __future__ import annotations

from pathlib import Path

from pi_lsp.errors import StorageError
from pi_lsp.session.disk_file import DiskFile, reason
from pi_lsp.session.header import VERSION, header_of, id_in_name, new_header
from pi_lsp.session.index import Index
from pi_lsp.session.journal import Journal, locked
from pi_lsp.session.lock import SessionLock
from pi_lsp.session.migration import migrate
from pi_lsp.session.mirror import Mirror
from pi_lsp.session.places import Places


def open_journal(places: Places, path: Path, *, for_reading: bool = False) -> Journal:
    """Opens a session for writing; one that a newer program wrote, for reading.

    Args:
        for_reading: no lock is taken before something is written. A session of an older version
            is locked all the same, since it is migrated.

    Raises:
        SessionInvalidError: the file is no session, or a link out of the workspace.
        SessionLockedError: another program writes it.
        StorageError: it cannot be read or migrated.
    """
    path = places.real_file(path)
    lock = SessionLock(path)
    refused = None if for_reading else _try(lock, path)
    try:
        mirror, disk = _load(path)
        index = Index(mirror)
        header = index.read_header(path)
        if header is None:
            return _fresh(places, path, lock)
        if header.version < VERSION:
            if for_reading:
                mirror.close()
                return open_journal(places, path)
            if refused is not None:
                raise StorageError(f"{path} cannot be migrated: {reason(refused)}.")
            migrate(path, mirror, header)
            mirror.close()
            mirror, disk = _load(path)
            index = Index(mirror)
            header = index.read_header(path) or header
        index.read_on()
    except BaseException:
        lock.release()
        raise
    if header.is_newer:
        lock.release()
    return Journal(places, header, mirror, index, disk, lock, on_disk=True)


def _try(lock: SessionLock, path: Path) -> OSError | None:
    """Takes the lock. In a folder that cannot be written it cannot be had, nor is it needed for
    reading: then it is tried again with the first write."""
    try:
        if not lock.acquire():
            raise locked(path)
    except OSError as error:
        return error
    return None


def _load(path: Path) -> tuple[Mirror, DiskFile]:
    try:
        mirror = Mirror(path.stat().st_size, path.parent)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {reason(error)}.") from error
    disk = DiskFile(path, mirror)
    disk.load()
    return mirror, disk


def _fresh(places: Places, path: Path, lock: SessionLock) -> Journal:
    """An empty file becomes a fresh session, of the id that its name says."""
    data = new_header(places.folder).data
    return Journal.begin(places, header_of({**data, "id": id_in_name(path)}, ""), path, lock)
