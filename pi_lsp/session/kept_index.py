"""The index of a long session, kept so that opening it again need not look at every line.

It counts only while the session's file is the very one that it was made of: same inode, size, and
times of its content and of its status, which is how git knows a file that it has seen. It holds
where lines stand and how entries hang together, and none of their words. One that is damaged, or
was kept by another version, counts as none: then every line is looked at.
"""

from __future__ import annotations

import logging
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from pathlib import Path

import msgspec

from pi_lsp import __version__
from pi_lsp.regular_files import read_regular
from pi_lsp.session.disk_file import write_whole
from pi_lsp.session.entry import Entry
from pi_lsp.session.mirror import Mirror
from pi_lsp.session.stats import SessionStats

logger = logging.getLogger(__name__)

INDEXES = ".indexes"
"""The folder of the kept indexes, in the folder of the sessions."""

SMALLEST = 4 * 1024 * 1024
"""Bytes; the index of a smaller session is made as quickly as it would be read."""

_CHECKSUM_BYTES = 4

FileIdentity = tuple[int, int, int, int, int]
"""Device, inode, size, times of the content and of the status; in bytes and ns."""

_Columns = tuple[
    list[str],
    list[str | None],
    list[str],
    list[str],
    list[str],
    list[str],
    list[str | None],
    list[int],
    list[int],
    list[int],
]


class KeptIndex(msgspec.Struct, array_like=True):
    """What an index knows when it has come to the end of a file.

    Attributes:
        version: of the program that kept it.
        file: the file that it was made of.
        in_mid_line: whether the file's last line lacks its line end.
        is_plain: whether its tree is (see `Tree.is_plain`).
        damaged, too_deep: the numbers of lines that cannot be read.
        columns: the members of all entries, in file order, member by member (ten lists are made
            in a fraction of the time that 50,000 small ones take), without the mirror.
    """

    version: str
    file: FileIdentity
    line_number: int
    in_mid_line: bool
    is_plain: bool
    damaged: list[int]
    too_deep: list[int]
    stats: SessionStats
    columns: _Columns

    def entries(self, mirror: Mirror) -> Iterable[Entry]:
        """The entries, whose lines stand in a mirror."""
        return map(Entry, *self.columns, repeat(mirror))

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.file[2]


_decode = msgspec.msgpack.Decoder(KeptIndex).decode


def identity_of(status: os.stat_result | None) -> FileIdentity | None:
    """What tells whether a file is still the same; None when its status is not known."""
    if status is None:
        return None
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def index_path(session_file: Path) -> Path:
    """Where the index of a session is kept."""
    return session_file.parent / INDEXES / f"{session_file.stem}.index"


def columns_of(entries: Sequence[Entry]) -> _Columns:
    """The entries as they are kept."""
    return (
        [entry.id for entry in entries],
        [entry.parent_id for entry in entries],
        [entry.type for entry in entries],
        [entry.timestamp for entry in entries],
        [entry.role for entry in entries],
        [entry.custom_type for entry in entries],
        [entry.queue_id for entry in entries],
        [entry.line_number for entry in entries],
        [entry.offset for entry in entries],
        [entry.length for entry in entries],
    )


def load_index(session_file: Path, status: os.stat_result | None) -> KeptIndex | None:
    """The index of this very file; None when there is none that can be used.

    Args:
        status: the file's, when it was read; None when it was not.
    """
    if status is None or status.st_size < SMALLEST:
        return None
    try:
        data = read_regular(index_path(session_file))
        checksum, content = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
        if checksum != _checksum(content):
            return None
        kept = _decode(content)
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        logger.debug("no index of %s can be used: %s", session_file.name, error)
        return None
    return kept if (kept.version, kept.file) == (__version__, identity_of(status)) else None


def keep_index(session_file: Path, make: Callable[[], KeptIndex]) -> None:
    """Makes and keeps the index of a session, in a thread, which the process waits for at its end.

    A disk that refuses it is no fault: opening takes longer then.
    """

    def keep() -> None:
        content = msgspec.msgpack.encode(make())
        path = index_path(session_file)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_whole(path, (_checksum(content), content))
            _drop_orphans(session_file.parent)
        except OSError as error:
            logger.debug("the index of %s is not kept: %s", session_file.name, error)

    threading.Thread(target=keep, name="pi-lsp index").start()


def _drop_orphans(directory: Path) -> None:
    """Removes the indexes of sessions that another program deleted, and what a process that was
    killed left half written."""
    sessions = {path.stem for path in directory.glob("*.jsonl")}
    for path in (directory / INDEXES).iterdir():
        if path.suffix != ".index" or path.stem not in sessions:
            path.unlink(missing_ok=True)


def _checksum(content: bytes) -> bytes:
    """Not against malice: who can write here can write the session itself."""
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big")
