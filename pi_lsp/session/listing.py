"""What a list of sessions shows of each file, read without opening it as a session.

Nothing is kept from one reading to the next, so that nothing can be stale.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path

from pi_lsp.errors import SessionInvalidError
from pi_lsp.session import jsonl, shapes
from pi_lsp.session.disk_file import can_write, open_regular
from pi_lsp.session.entry import read_head
from pi_lsp.session.header import VERSION, Header, id_in_name, read_header
from pi_lsp.session.lock import is_locked
from pi_lsp.session.mirror import BLOCK
from pi_lsp.session.text import first_text, one_line, shortened

_FIRST_MESSAGE_LIMIT = 200
"""Characters."""


@dataclass(frozen=True)
class SessionInfo:
    """A session as a list shows it.

    Attributes:
        created: ISO 8601, UTC.
        modified: when the last message came; of a fork without new ones, when it was made.
        message_count: messages in the whole file, those of the system left out.
        first_message: the first user message as one line of at most 200 characters.
        parent_session: the file that it was forked from.
        locked: some program is writing it now, this one included.
        read_only: it can be opened for reading only.
    """

    session_id: str
    file: Path
    name: str | None
    created: str
    modified: str
    message_count: int
    first_message: str
    parent_session: str | None
    locked: bool
    read_only: bool


def read_info(path: Path) -> SessionInfo | None:
    """What the list shows of a file; None when it is no session.

    Raises:
        OSError: it cannot be read.
    """
    with io.BufferedReader(open_regular(path), BLOCK) as file:
        header = _header(file, path)
        if header is None:
            return None
        scan = _Scan()
        for line in file:
            scan.add(line)
    return SessionInfo(
        session_id=header.id,
        file=path,
        name=scan.name,
        created=header.created,
        modified=modified(header, scan.last_message_time),
        message_count=scan.message_count,
        first_message=scan.first_message,
        parent_session=header.parent_session,
        locked=is_locked(path),
        read_only=header.is_newer or not can_write(path),
    )


def modified(header: Header, last_message_time: str) -> str:
    """When a session was used last. A fork takes old messages along: making it counts as use."""
    if last_message_time and header.parent_session is None:
        return last_message_time
    return max(last_message_time, header.created, key=shapes.ms_of)


def peek_header(path: Path) -> Header | None:
    """A file's header; None when it is no session. An empty file is one that begins now.

    Raises:
        OSError: it cannot be read.
    """
    with io.BufferedReader(open_regular(path)) as file:
        return _header(file, path)


def last_message_time(path: Path) -> str:
    """When the last message of a session came, ISO 8601; empty when it has none.

    Reads from the end, and no more than it must.

    Raises:
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        end = file.seek(0, os.SEEK_END)
        size = _TAIL
        while True:
            start = max(0, end - size)
            file.seek(start)
            lines = (file.read(end - start) or b"").split(b"\n")
            for line in reversed(lines if start == 0 else lines[1:]):
                head = read_head(line) if line else None
                if head is not None and head.type == "message" and head.role != "system":
                    return head.timestamp
            if start == 0:
                return ""
            size *= 4


_TAIL = 64 * 1024
"""Bytes; most last messages are shorter."""


@dataclass
class _Scan:
    name: str | None = None
    last_message_time: str = ""
    message_count: int = 0
    first_message: str = ""

    def add(self, line: bytes) -> None:
        head = read_head(line)
        if head is None:
            return
        if head.type == "message" and head.role != "system":
            self.message_count += 1
            self.last_message_time = head.timestamp or self.last_message_time
            if head.role == "user" and not self.first_message:
                message = shapes.members_of((jsonl.decode(line) or {}).get("message"))
                text = first_text(message.get("content"))
                self.first_message = shortened(text, _FIRST_MESSAGE_LIMIT)
        elif head.type == "session_info":
            name = shapes.text((jsonl.decode(line) or {}).get("name"))
            self.name = one_line(name) or None


def _header(file: io.BufferedReader[io.FileIO], path: Path) -> Header | None:
    if not file.peek(1):
        return Header(id_in_name(path), VERSION, "", None, {})
    try:
        for line in file:
            if (header := read_header(line, path)) is not None:
                return header
    except SessionInvalidError:
        return None
    return None
