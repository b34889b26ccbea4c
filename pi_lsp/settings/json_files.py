"""The person's JSON files, which pi reads and writes too: read with patience, changed with care."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from pi_lsp import system
from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.regular_files import read_regular

_MAX_BYTES = 16 * 1024 * 1024
_LOCK_WAIT_S = 2.0
_LOCK_STALE_S = 10.0
_LOCK_RETRY_S = 0.02

_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*')
_STRING_OR_TRAILING_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])')


def read_object(path: Path, *, comments: bool = False) -> JsonObject | None:
    """The JSON object that a file holds; None when there is no file, or an empty one.

    A BOM is tolerated, and with `comments` also `//` comments and trailing commas.

    Raises:
        StorageError: the file cannot be read, is no regular one, or holds something else.
    """
    try:
        text = read_regular(path, _MAX_BYTES).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be read: {_reason(error)}.") from error
    if not text.strip():
        return None
    if comments:
        text = _without_comments(text)
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StorageError(f"{path} is no valid JSON: {_reason(error)}.") from error
    if not isinstance(value, dict):
        raise StorageError(f"{path} holds no JSON object.")
    return cast(JsonObject, value)


def change_object(path: Path, change: Callable[[JsonObject], None]) -> None:
    """Change a file that holds a JSON object, keeping what else is in it.

    The file is replaced in one step, so that nobody ever reads half of it; a link is followed,
    and the mode is kept (a new file is 0600). While it happens pi is kept out, and waited for.

    Args:
        change: changes the object in place. What it raises leaves the file as it was.

    Raises:
        StorageError: the file cannot be read or written, holds something else than an object, or
            another program does not let go of it.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(target):
            members = read_object(target) or {}
            change(members)
            _replace(target, _dumped(members))
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {_reason(error)}.") from error


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Hold the lock that pi takes on its files: a directory beside the file.

    As npm's proper-lockfile has it, which pi uses: making the directory takes the lock, and one
    that was not touched for 10 s was left behind by a program that died.
    """
    lock = path.with_name(path.name + ".lock")
    deadline = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            lock.mkdir()
            break
        except (FileExistsError, PermissionError) as fault:
            late = time.monotonic() > deadline
            # Windows answers so too while a folder of this name is just being removed.
            if isinstance(fault, PermissionError) and (late or not system.is_windows()):
                raise
            if _is_stale(lock):
                _remove(lock)
            elif late:
                raise StorageError(
                    f"{path} is being changed by another program; try again, or remove {lock} "
                    "when none is running."
                ) from None
            else:
                time.sleep(_LOCK_RETRY_S)
    try:
        yield
    finally:
        _remove(lock)


def _is_stale(lock: Path) -> bool:
    try:
        return time.time() - lock.stat().st_mtime > _LOCK_STALE_S
    except FileNotFoundError:
        return False


def _remove(lock: Path) -> None:
    try:
        lock.rmdir()
    except FileNotFoundError:
        return  # another program found it stale, and was faster


def _replace(path: Path, text: str) -> None:
    """Write beside the file, to disk, then rename over it."""
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(mode)
        system.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _dumped(members: JsonObject) -> str:
    """As pi writes its files: indented by two spaces, one line break at the end."""
    text = json.dumps(members, indent=2, ensure_ascii=False)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(members, indent=2)  # a lone surrogate can only be kept as an escape
    return text + "\n"


def _without_comments(text: str) -> str:
    def keep_strings(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else ""

    return _STRING_OR_TRAILING_COMMA.sub(keep_strings, _STRING_OR_COMMENT.sub(keep_strings, text))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error)
