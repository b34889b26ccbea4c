"""The bytes of a session file as this process knows them.

Everything that is read of a session is read from here, so that a file which is deleted, cut or
replaced under us costs nothing: it can be written out again whole. Small files are held in
memory, large ones in a temporary file without a name, which the system frees when the process
ends.
"""

from __future__ import annotations

import io
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

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

    @property
    def size(self) -> int:
        """Bytes."""
        return self._size

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
            self._file.seek(offset)
            return self._file.read(max(0, min(length, self._size - offset))) or b""

    def lines(self, offset: int = 0) -> Iterator[tuple[int, bytes]]:
        """Each line from `offset` on, with its own offset, without its line end."""
        begun: list[bytes] = []
        start = position = offset
        while block := self.read(position, BLOCK):
            position += len(block)
            lines = block.split(b"\n")
            if len(lines) == 1:
                begun.append(block)
                continue
            if begun:
                lines[0] = b"".join([*begun, lines[0]])
            begun = [lines.pop()]
            for line in lines:
                yield start, line
                start += len(line) + 1
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
