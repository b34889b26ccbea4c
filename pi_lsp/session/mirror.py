"""The bytes of a session file as this process knows them.

Everything that is read of a session is read from here, so that a file which is deleted, cut or
replaced under us costs nothing: it can be written out again whole. Small files are held in
memory, large ones in a temporary file without a name, which the system frees when the process
ends.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

logger = logging.getLogger(__name__)

IN_MEMORY_LIMIT = 16 * 1024 * 1024
"""Bytes; a larger file is mirrored on disk."""

BLOCK = 1024 * 1024
"""Bytes that are copied or compared at once."""


class Mirror:
    """A growing row of bytes. Safe to read from several threads while one appends."""

    def __init__(self, expected_size: int = 0, directory: Path | None = None) -> None:
        """
        Args:
            expected_size: bytes that will soon be in it.
            directory: where a large mirror lies: on the disk that holds the original.
        """
        self._guard = threading.Lock()
        self._size = 0
        self._file = _open(expected_size, directory)
        self._original: io.FileIO | None = None
        self._original_size = 0
        self._copying: threading.Thread | None = None
        self._missing = False

    @property
    def size(self) -> int:
        """Bytes."""
        return self._size

    def take_over(self, original: io.FileIO, size: int) -> None:
        """Makes the first `size` bytes of a file those of the mirror, which is empty.

        A large file is copied by a thread (see `settle`). Until that is done, it is read from
        where it stands; a disk that has no room for a copy leaves it at that.

        Args:
            original: open for reading; it is closed here.

        Raises:
            OSError: it cannot be read.
        """
        if isinstance(self._file, io.BytesIO) or not hasattr(os, "pread"):
            with original:
                while block := original.read(min(BLOCK, size - self._size)):
                    self.append(block)
            return
        self._original, self._original_size = original, size
        self._size = size
        # Descriptors of the thread's own: those of the mirror may be closed at any time.
        copying = os.dup(original.fileno()), os.dup(self._file.fileno())
        self._copying = threading.Thread(
            target=self._copy, args=copying, name="pi-lsp mirror", daemon=True
        )
        self._copying.start()

    def settle(self) -> None:
        """Waits until the mirror needs the file no more that it took over.

        Raises:
            OSError: the file was cut meanwhile.
        """
        if self._copying is None:
            return
        self._copying.join()
        self._copying = None
        if self._missing:
            raise OSError(errno.ESTALE, "it was changed while it was opened")

    def append(self, data: bytes) -> None:
        """Adds bytes at the end, or none at all.

        Raises:
            OSError: the disk refused.
        """
        with self._guard:
            self._file.seek(self._size)
            written = 0
            try:
                while written < len(data):
                    written += self._file.write(data[written:] if written else data) or 0
            except OSError:
                self._file.truncate(self._size)
                raise
            self._size += len(data)

    def truncate(self, size: int) -> None:
        """Drops all after `size` bytes."""
        with self._guard:
            self._file.truncate(size)
            self._size = size

    def read(self, offset: int, length: int) -> bytes:
        """The bytes from `offset` on, at most `length` of them."""
        with self._guard:
            length = max(0, min(length, self._size - offset))
            there = max(0, min(length, self._original_size - offset))
            data = _read_from(self._original, offset, there) if self._original else b""
            if len(data) < length:
                data += _read_from(self._file, offset + len(data), length - len(data))
            return data

    def lines(self, offset: int = 0) -> Iterator[tuple[int, bytes]]:
        """Each line from `offset` on, with its own offset, without its line end."""
        begun: list[bytes] = []
        start = position = offset
        while block := self.read(position, BLOCK):
            position += len(block)
            begin, end = 0, block.find(b"\n")
            while end >= 0:
                line = block[begin:end]
                if begun:
                    line = b"".join([*begun, line])
                    begun = []
                yield start, line
                start += len(line) + 1
                begin, end = end + 1, block.find(b"\n", end + 1)
            begun.append(block[begin:])
        if start < position:
            yield start, b"".join(begun)

    def blocks(self) -> Iterator[bytes]:
        """All bytes, a block at a time."""
        for offset in range(0, self._size, BLOCK):
            yield self.read(offset, BLOCK)

    def ends_in_mid_line(self) -> bool:
        """Whether the last line lacks its line end."""
        return self._size > 0 and self.read(self._size - 1, 1) != b"\n"

    def close(self) -> None:
        """Frees the bytes; idempotent."""
        with self._guard:
            self._file.close()
            self._drop_original()

    def _copy(self, source: int, target: int) -> None:
        size = self._original_size
        try:
            copied = _copy_bytes(source, target, size)
        except OSError as error:
            logger.info("the session is read from its own file: %s", error)
            return
        finally:
            os.close(source)
            os.close(target)
        with self._guard:
            self._missing = copied < size
            self._drop_original()

    def _drop_original(self) -> None:
        if self._original is not None:
            self._original.close()
        self._original, self._original_size = None, 0


def _read_from(file: io.BytesIO | io.FileIO, offset: int, length: int) -> bytes:
    file.seek(offset)
    return file.read(length) or b""


def _copy_bytes(source: int, target: int, size: int) -> int:
    """Copies a file's first `size` bytes between descriptors, and leaves their positions alone.

    Returns:
        how many bytes there were.
    """
    copied = 0
    copy_file_range = getattr(os, "copy_file_range", None)
    try:
        # One call, so that the thread does not have to ask for the interpreter in between.
        while copy_file_range is not None and copied < size:
            count = copy_file_range(source, target, size - copied, copied, copied)
            if not count:
                break
            copied += count
    except OSError as error:
        logger.debug("the system copies no file ranges here: %s", error)
    while copied < size and (block := os.pread(source, 16 * BLOCK, copied)):
        copied += os.pwrite(target, block[: size - copied], copied)
    return copied


def _open(expected_size: int, directory: Path | None) -> io.BytesIO | io.FileIO:
    if expected_size <= IN_MEMORY_LIMIT:
        return io.BytesIO()
    for place in (directory, None):
        try:
            # Unbuffered, so that a full disk shows at the write and not at some later one.
            return tempfile.TemporaryFile(dir=place, buffering=0)
        except OSError:
            continue  # a folder that cannot be written can still be read
    return io.BytesIO()
