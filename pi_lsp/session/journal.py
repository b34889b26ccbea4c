"""A session's file as it is lived with: the bytes, the index, the lock, and the disk kept in step.

The journal knows when a file has to be made, what to do when somebody else touched it, and that
what the disk refused never happened. Which entry comes next is the session's business.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pi_lsp.errors import InvalidStateError, ReadOnlyError, SessionLockedError, StorageError
from pi_lsp.session import jsonl
from pi_lsp.session.disk_file import Change, DiskFile, reason, write_whole
from pi_lsp.session.entry import Entry
from pi_lsp.session.header import Header, file_name, now_iso
from pi_lsp.session.index import Index
from pi_lsp.session.kept_index import SMALLEST, FileIdentity, identity_of, keep_index
from pi_lsp.session.lock import SessionLock
from pi_lsp.session.mirror import Mirror
from pi_lsp.session.places import Places


class Journal:
    """The lines of one session, in memory and on disk.

    Args:
        kept: the file whose index is kept already.

    Attributes:
        on_disk: whether there is a file yet.
        is_newer: a newer program wrote the file.
        read_only: nothing is ever written to the file: it is newer, or was opened so.
        notices: what happened to the file while it was open, a sentence each.
    """

    def __init__(
        self,
        places: Places,
        header: Header,
        mirror: Mirror,
        index: Index,
        disk: DiskFile,
        lock: SessionLock,
        *,
        on_disk: bool,
        for_reading: bool = False,
        kept: FileIdentity | None = None,
    ) -> None:
        self.places = places
        self.header = header
        self.index = index
        self.on_disk = on_disk
        self.is_newer = header.is_newer
        self.read_only = header.is_newer or for_reading
        self.notices: list[str] = []
        self._mirror = mirror
        self._disk = disk
        self._lock = lock
        self._kept = kept
        self._closed = False

    @classmethod
    def begin(cls, places: Places, header: Header, path: Path, lock: SessionLock) -> Journal:
        """A session whose file does not exist yet, or is empty."""
        mirror = Mirror()
        mirror.append(jsonl.encode(header.data))
        index = Index(mirror)
        index.read_header(path)
        return cls(places, header, mirror, index, DiskFile(path, mirror), lock, on_disk=False)

    @property
    def file(self) -> Path:
        """The session's file; it may not exist yet."""
        return self._disk.path

    def hold(self, lines: bytes) -> list[Entry]:
        """Adds lines to a session that has no file yet: they are written when it gets one."""
        self._mirror.append(lines)
        return self.index.read_on()

    def create(self, lines: bytes) -> list[Entry]:
        """Makes the file: the header, all lines that are held, and these, by one write.

        Raises:
            StorageError: the disk refused; there is no file, and the lines were not added.
        """
        self.places.prepare()
        self._take_lock()
        self._disk.create(lines)
        self.on_disk = True
        return self.index.read_on()

    def write_held(self) -> None:
        """Makes the file with all lines that are held, put into place whole and synced.

        Raises:
            StorageError: the disk refused; there is no file.
        """
        self.places.prepare()
        self._take_lock()
        try:
            write_whole(self.file, self._mirror.blocks())
        except OSError as error:
            self._lock.release()
            raise StorageError(f"{self.file} cannot be written: {reason(error)}.") from error
        self._disk.move_to(self.file)
        self.on_disk = True

    def append(self, lines: bytes) -> list[Entry]:
        """Adds whole lines to the file by one write. `look` has been called just before.

        Raises:
            StorageError: the disk refused; the lines were not added.
        """
        self._disk.append((b"\n" if self._mirror.ends_in_mid_line() else b"") + lines)
        return self.index.read_on()

    def look(self) -> list[Entry]:
        """What other programs appended since the last look.

        Raises:
            StorageError: the file cannot be read.
        """
        if not self.on_disk or self.read_only or self._disk.change() is not Change.GROWN:
            return []
        self._disk.read_growth()
        return self.index.read_on()

    def blocks(self) -> Iterator[bytes]:
        """All bytes, a block at a time."""
        return self._mirror.blocks()

    def require_writable(self) -> None:
        """
        Raises:
            ReadOnlyError: the session can only be read.
        """
        if self.is_newer:
            raise ReadOnlyError(
                f"{self.file} was written by a newer version of pi; it can only be read."
            )
        if self.read_only:
            raise ReadOnlyError(f"{self.file} was opened for reading only.")

    def make_writable(self) -> None:
        """Sees to the lock and the file before a write. A file that was deleted, cut or replaced
        under us is written out again whole.

        Raises:
            InvalidStateError: the session was closed.
            ReadOnlyError: it can only be read.
            SessionLockedError: another program writes it.
            StorageError: the disk refused.
        """
        if self._closed:
            raise InvalidStateError(f"The session {self.file.name} was closed: open it again.")
        self.require_writable()
        if self.on_disk:
            self._take_lock()
            if self._disk.change() is Change.LOST:
                self._write_out()

    def sync(self) -> None:
        """Returns when all is on the disk. May be called from any thread.

        Raises:
            StorageError: the disk refused.
        """
        self._disk.sync()

    def keep_index(self) -> None:
        """Has the index of a long session kept, so that it is opened sooner the next time."""
        if not self.on_disk or self.read_only or self.index.indexed_bytes < SMALLEST:
            return
        identity = identity_of(self._disk.status)
        if identity is None or identity == self._kept:
            return
        make = self.index.to_keep(identity)
        if make is not None:
            self._kept = identity
            keep_index(self.file, make)

    def close(self) -> None:
        """Releases the lock and the file; what was read can still be read. Idempotent."""
        if not self._closed:
            self.keep_index()
        self._closed = True
        self._disk.close()
        self._lock.release()

    def _take_lock(self) -> None:
        if self._lock.held:
            return
        try:
            taken = self._lock.acquire()
        except OSError as error:
            raise StorageError(f"{self.file} cannot be locked: {reason(error)}.") from error
        if not taken:
            raise locked(self.file)

    def _write_out(self) -> None:
        old = self.file
        self.places.prepare()
        new = self.places.directory / file_name(self.header.id, now_iso())
        if not os.path.lexists(old):
            new = old
        try:
            write_whole(new, self._mirror.blocks())
        except OSError as error:
            raise StorageError(f"{new} cannot be written: {reason(error)}.") from error
        self._disk.move_to(new)
        if new == old:
            self.notices.append(f"{old} was deleted while it was in use; it was written again.")
            return
        self._lock.release()
        self._lock = SessionLock(new)
        self._take_lock()
        self.notices.append(
            f"{old} was changed by another program while it was in use. The session goes on in "
            f"{new}; the changed file was left as it is."
        )


def locked(path: Path) -> SessionLockedError:
    """The error for a session that another program writes."""
    return SessionLockedError(
        f"{path.name} is open in another program. Close it there, or start a new session."
    )
