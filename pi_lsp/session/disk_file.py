"""A session file on disk: appended to by one write per entry, and watched for what others do.

It knows bytes, not entries. What the file is thought to hold stands in a `Mirror`.
"""

from __future__ import annotations

import io
import os
import stat
import threading
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from pi_lsp import system
from pi_lsp.errors import SessionInvalidError, StorageError
from pi_lsp.session.mirror import BLOCK, Mirror

PRIVATE_FILE = 0o600
_BINARY: int = getattr(os, "O_BINARY", 0)
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)


class Change(Enum):
    """What happened to the file since it was last looked at."""

    NONE = "none"
    GROWN = "grown"  # somebody appended
    LOST = "lost"  # deleted, cut, rewritten or replaced


class DiskFile:
    """The file behind a session.

    Args:
        path: real path, links resolved.
        mirror: what the file holds, as far as it is known; all its bytes are in the file, but
            for those that are just being appended.

    Attributes:
        status: the file's, when it was last read or written here; None before that.
    """

    def __init__(self, path: Path, mirror: Mirror) -> None:
        self.path = path
        self._mirror = mirror
        self._guard = threading.Lock()
        self._descriptor: int | None = None
        self._identity: tuple[int, int] | None = None
        self._modified_ns = 0
        self._directory_synced = True
        self.status: os.stat_result | None = None

    def load(self) -> None:
        """Reads the whole file into the mirror, which is empty.

        Raises:
            SessionInvalidError: it is no regular file.
            StorageError: it cannot be read.
        """
        try:
            source = open_regular(self.path)
            now = os.fstat(source.fileno())
            self._remember(now)
            self._mirror.take_over(source, now.st_size)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {reason(error)}.") from error

    def change(self) -> Change:
        """What others did to the file since it was last read or written here.

        Raises:
            StorageError: the file cannot be looked at.
        """
        try:
            now = self.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return Change.LOST
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {reason(error)}.") from error
        if (now.st_dev, now.st_ino) != self._identity or now.st_size < self._mirror.size:
            return Change.LOST
        if now.st_size == self._mirror.size and now.st_mtime_ns == self._modified_ns:
            return Change.NONE
        if not self._still_begins_as_known():
            return Change.LOST
        if now.st_size == self._mirror.size:
            self._modified_ns = now.st_mtime_ns
            return Change.NONE
        return Change.GROWN

    def read_growth(self) -> None:
        """Reads what others appended into the mirror.

        Raises:
            StorageError: it cannot be read.
        """
        try:
            with open_regular(self.path) as source:
                source.seek(self._mirror.size)
                while block := source.read(BLOCK):
                    self._mirror.append(block)
                self._remember(os.fstat(source.fileno()))
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {reason(error)}.") from error

    def create(self, first: bytes) -> None:
        """Makes the file, or fills the empty one, with the mirror's bytes and `first`, at once.

        Raises:
            StorageError: the disk refused, or the file is there and not empty; then there is no
                file, or the one that was there, and the mirror is as it was.
        """
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY | _NO_FOLLOW
        try:
            existed = self.path.exists()
            self._descriptor = os.open(self.path, flags, PRIVATE_FILE)
        except OSError as error:
            raise StorageError(f"{self.path} cannot be made: {reason(error)}.") from error
        try:
            if os.fstat(self._descriptor).st_size:
                raise StorageError(f"{self.path} is in the way: another program wrote it.")
            self._append(b"".join(self._mirror.blocks()) + first, first)
        except StorageError:
            self._close_descriptor()
            if not existed:
                self.path.unlink(missing_ok=True)
            raise
        self._directory_synced = existed

    def append(self, data: bytes) -> None:
        """Adds whole lines at the end of the file and of the mirror, by one write.

        Raises:
            StorageError: the disk refused; file and mirror are as they were.
        """
        if self._descriptor is None:
            flags = os.O_WRONLY | os.O_APPEND | _BINARY | _NO_FOLLOW
            try:
                self._descriptor = os.open(self.path, flags)
            except OSError as error:
                raise StorageError(f"{self.path} cannot be written: {reason(error)}.") from error
        self._append(data, data)

    def move_to(self, path: Path) -> None:
        """From now on the file is another one, which holds exactly the mirror's bytes."""
        self._close_descriptor()
        self.path = path
        self._remember(path.stat())

    def sync(self) -> None:
        """Returns when all that was appended is on the disk. May be called from any thread.

        Raises:
            StorageError: the disk refused.
        """
        with self._guard:
            if self._descriptor is None:
                return
            descriptor = os.dup(self._descriptor)
        try:
            os.fsync(descriptor)
            if not self._directory_synced:
                sync_directory(self.path.parent)
                self._directory_synced = True
        except OSError as error:
            raise StorageError(f"{self.path} cannot be synced: {reason(error)}.") from error
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Lets go of the file; idempotent."""
        self._close_descriptor()

    def _append(self, data: bytes, new: bytes) -> None:
        descriptor = self._descriptor
        assert descriptor is not None
        known = self._mirror.size
        size_before = os.fstat(descriptor).st_size
        try:
            self._mirror.append(new)
            _write_all(descriptor, data)
        except OSError as error:
            self._mirror.truncate(known)
            self._undo(descriptor, size_before, len(data))
            raise StorageError(f"{self.path} cannot be written: {reason(error)}.") from error
        now = os.fstat(descriptor)
        self._remember(now)
        if now.st_size != self._mirror.size:
            # Somebody wrote between our look and our write: what is where, the file knows.
            self._mirror.truncate(known)
            self.read_growth()

    def _undo(self, descriptor: int, size_before: int, length: int) -> None:
        """Cuts off what a failed write left; never what another program wrote meanwhile."""
        try:
            if 0 < os.fstat(descriptor).st_size - size_before < length:
                os.ftruncate(descriptor, size_before)
            self._remember(os.fstat(descriptor))
        except OSError:
            # What could not be cut off is a torn line: the next look at the file takes it in as
            # one, and it is isolated by a line end.
            self._modified_ns = 0

    def _remember(self, now: os.stat_result) -> None:
        self.status = now
        self._identity = (now.st_dev, now.st_ino)
        self._modified_ns = now.st_mtime_ns

    def _still_begins_as_known(self) -> bool:
        try:
            with open_regular(self.path) as source:
                return all(source.read(len(block)) == block for block in self._mirror.blocks())
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {reason(error)}.") from error
        except SessionInvalidError:
            return False

    def _close_descriptor(self) -> None:
        with self._guard:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


def open_regular(path: Path) -> io.FileIO:
    """Opens a file for reading, unbuffered, and only if it is a regular one: a pipe would hang.

    Raises:
        SessionInvalidError: it is a folder, a pipe or a device.
        OSError: it cannot be opened.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise SessionInvalidError(f"{path} is no session: it is not a regular file.")
    return path.open("rb", buffering=0)


def write_whole(path: Path, blocks: Iterable[bytes]) -> None:
    """Puts a whole file into place, synced: it is there complete, or not at all.

    An existing file of that name is replaced.

    Raises:
        OSError: the disk refused; what was there before is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY | _NO_FOLLOW
    descriptor = os.open(temporary, flags, PRIVATE_FILE)
    try:
        try:
            for block in blocks:
                _write_all(descriptor, block)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        system.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


TEMPORARY_SUFFIX = ".tmp"
"""Of a file that is not in its place yet; one that a killed process left is worth nothing."""


def sync_directory(directory: Path) -> None:
    """Makes a new name in a folder last; where folders cannot be synced (Windows), it is so."""
    if system.is_windows():
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def can_write(path: Path) -> bool:
    """Whether this process may write to a file, by its modes."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def reason(error: OSError) -> str:
    """What the system said, in a few words."""
    return error.strerror or str(error)


def _write_all(descriptor: int, data: bytes) -> None:
    """Almost always one write; a disk that takes only a part is asked again, and then says why."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])
