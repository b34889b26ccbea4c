"""The header: the first line of a session file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import uuid_utils

from pi_lsp.errors import SessionInvalidError
from pi_lsp.messages import JsonObject
from pi_lsp.session import jsonl, shapes

VERSION = 3
_BOM = "\ufeff".encode()
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True)
class Header:
    """What the first line says.

    Attributes:
        id: of the session.
        version: 1 to 3, or what a newer program wrote; a version that is no number counts as
            newer than all.
        created: ISO 8601, UTC; empty when the line has none.
        parent_session: path of the file that this session was forked from.
        data: all members.
    """

    id: str
    version: int
    created: str
    parent_session: str | None
    data: JsonObject

    @property
    def is_newer(self) -> bool:
        """Whether a newer program wrote the file: it may only be read."""
        return self.version > VERSION


def new_header(folder: Path, parent_session: Path | None = None) -> Header:
    """The header of a session that begins now in this folder (a real path)."""
    data: JsonObject = {
        "type": "session",
        "version": VERSION,
        "id": str(uuid_utils.uuid7()),
        "timestamp": now_iso(),
        "cwd": str(folder),
    }
    if parent_session is not None:
        data["parentSession"] = str(parent_session)
    return header_of(data, "")


def file_name(session_id: str, created: str) -> str:
    """`<timestamp>_<session-id>.jsonl`, made of letters that every file system takes."""
    stamp = created.replace(":", "-").replace(".", "-")
    return f"{stamp}_{_UNSAFE.sub('-', session_id)[:100]}.jsonl"


def id_in_name(path: Path) -> str:
    """The session id in a file's name, or all of the name when it has another form."""
    return path.stem.partition("_")[2] or path.stem


def read_header(line: bytes, path: Path) -> Header | None:
    """The header on a line; None when the line cannot be read at all.

    Raises:
        SessionInvalidError: the line is readable, and no header.
    """
    data = jsonl.decode(without_bom(line))
    if data is None:
        return None
    if data.get("type") != "session":
        raise SessionInvalidError(
            f"{path} is no session: its first line is no session header. It was left as it is."
        )
    return header_of(data, id_in_name(path))


def header_of(data: JsonObject, fallback_id: str) -> Header:
    """A header's members, typed."""
    return Header(
        id=shapes.text(data.get("id")) or fallback_id,
        version=_version(data.get("version")),
        created=shapes.text(data.get("timestamp")),
        parent_session=shapes.text(data.get("parentSession")) or None,
        data=data,
    )


def without_bom(line: bytes) -> bytes:
    """The line without a byte order mark before it."""
    return line.removeprefix(_BOM)


def now_iso() -> str:
    """The time now as entries have it: ISO 8601, UTC, ms."""
    now = datetime.now(timezone.utc)
    return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"


def _version(value: Any) -> int:
    if value is None:
        return 1
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and value in (1, 2, 3):
        return int(value)
    return max(VERSION + 1, shapes.integer(value))
