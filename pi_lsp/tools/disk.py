"""Replacing a file on disk: whole or not at all, with its mode, owner and links kept."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from stat import S_IMODE


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` where `path` is; missing parent folders are made.

    A new file is written beside it and renamed over it, so that whoever reads sees the old or
    the new one. Where that would lose something (another hard link, an owner that only the
    system may set) or is not possible (a folder in which nothing can be made, a file that another
    program has open on Windows) the file is written in place.

    Args:
        path: a real path; a link would be replaced by a file.

    Raises:
        OSError: the disk refused; the file is as it was, unless it was written in place.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    if old is not None and (old.st_nlink > 1 or not os.access(path, os.W_OK)):
        path.write_bytes(data)
        return
    beside = path.with_name(f".pi-lsp-{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    except PermissionError:
        if old is None:
            raise
        path.write_bytes(data)
        return
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if old is None:
            os.replace(beside, path)
        elif not (_take_after(beside, old) and _takes_place(beside, path)):
            path.write_bytes(data)
    finally:
        beside.unlink(missing_ok=True)


_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would otherwise translate line ends."""


def _takes_place(beside: Path, path: Path) -> bool:
    try:
        os.replace(beside, path)
    except PermissionError:
        return False
    return True


def _take_after(path: Path, old: os.stat_result) -> bool:
    """Give a new file the mode and owner of the old one; False when it cannot have the owner."""
    new = path.stat()
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(path, old.st_uid, old.st_gid)
        except (PermissionError, AttributeError):
            return False
    os.chmod(path, S_IMODE(old.st_mode))
    return True
