"""Files of versions 1 and 2 become version 3; the original is kept.

Version 1 is a plain list: its entries get ids and parents, and a compaction's
`firstKeptEntryIndex`, which counts lines (the header is line 0, lines that cannot be read do not
count), becomes `firstKeptEntryId`. Version 2 has ids; there only the role `hookMessage` becomes
`custom`, as it does in version 1.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.session import jsonl, shapes
from pi_lsp.session.disk_file import reason, sync_directory, write_whole
from pi_lsp.session.header import VERSION, Header, without_bom
from pi_lsp.session.identifiers import new_entry_id
from pi_lsp.session.mirror import BLOCK, Mirror


def migrate(path: Path, mirror: Mirror, header: Header) -> None:
    """Puts the migrated file in the place of the old one, which is kept as `<name>.v1.bak`.

    Whenever it is interrupted, `path` is the old file or the new one, whole.

    Args:
        path: the session file; the caller holds its lock.
        mirror: what it holds.
        header: its header, of version 1 or 2.

    Raises:
        StorageError: the disk refused; the file is as it was.
    """
    try:
        _keep(path, header.version)
        write_whole(path, migrated_blocks(mirror, header))
    except OSError as error:
        raise StorageError(
            f"{path} is of an older version and cannot be migrated: {reason(error)}. "
            "It was left as it is."
        ) from error


def migrated_blocks(mirror: Mirror, header: Header) -> Iterator[bytes]:
    """What a file of version 1 or 2 holds, as version 3."""
    return _in_blocks(_version_1(mirror) if header.version == 1 else _version_2(mirror))


def _version_1(mirror: Mirror) -> Iterator[bytes]:
    taken: set[str] = set()
    ids: list[str | None] = []
    parent: str | None = None
    for line, data in _lines(mirror):
        if data is None:
            yield line + b"\n"
        elif not ids:
            ids.append(None)
            yield _header(data)
        else:
            entry_id = new_entry_id(taken)
            taken.add(entry_id)
            ids.append(entry_id)
            yield jsonl.encode(_entry_with_links(data, entry_id, parent, ids))
            parent = entry_id


def _entry_with_links(
    data: JsonObject, entry_id: str, parent: str | None, ids: list[str | None]
) -> JsonObject:
    rest = {key: value for key, value in data.items() if key not in _LINKS}
    kind = shapes.text(data.get("type"))
    entry = {
        "type": kind,
        "id": entry_id,
        "parentId": parent,
        "timestamp": shapes.text(data.get("timestamp")),
        **rest,
    }
    if kind == "compaction" and "firstKeptEntryIndex" in entry:
        index = shapes.integer(entry.pop("firstKeptEntryIndex"))
        kept = ids[index] if index < len(ids) else None
        # The header's own index means that everything was kept.
        entry["firstKeptEntryId"] = kept or (ids[1] if index == 0 else entry_id)
    _rename_role(entry)
    return entry


_LINKS = frozenset({"type", "id", "parentId", "timestamp"})


def _version_2(mirror: Mirror) -> Iterator[bytes]:
    header_seen = False
    for line, data in _lines(mirror):
        if data is not None and not header_seen:
            header_seen = True
            yield _header(data)
        elif data is not None and b"hookMessage" in line and _rename_role(data):
            yield jsonl.encode(data)
        else:
            yield line + b"\n"


def _lines(mirror: Mirror) -> Iterator[tuple[bytes, JsonObject | None]]:
    for offset, line in mirror.lines():
        text = line if offset else without_bom(line)
        yield text, jsonl.decode(text)


def _header(data: JsonObject) -> bytes:
    rest = {key: value for key, value in data.items() if key not in ("type", "version")}
    return jsonl.encode({"type": "session", "version": VERSION, **rest})


def _rename_role(entry: JsonObject) -> bool:
    message = shapes.members_of(entry.get("message"))
    if entry.get("type") != "message" or message.get("role") != "hookMessage":
        return False
    message["role"] = "custom"
    return True


def _in_blocks(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines joined, so that a long file takes few writes."""
    gathered: list[bytes] = []
    size = 0
    for line in lines:
        gathered.append(line)
        size += len(line)
        if size >= BLOCK:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)


def _keep(path: Path, version: int) -> None:
    """Keeps the original under a name that is free, or that it already has."""
    number = 1
    while True:
        suffix = f".v{version}.bak" if number == 1 else f".v{version}.{number}.bak"
        kept = path.with_name(path.name + suffix)
        if not os.path.lexists(kept):
            break
        if kept.samefile(path):
            return  # an earlier attempt was interrupted
        number += 1
    try:
        os.link(path, kept)
    except OSError:
        shutil.copy2(path, kept)  # a file system without hard links
    sync_directory(path.parent)
