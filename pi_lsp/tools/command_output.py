"""The output of a command: its end in memory, all of it in a private file when it is long."""

from __future__ import annotations

import codecs
import os
import re
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import BinaryIO

from pi_lsp.tools.truncation import MAX_BYTES, MAX_BYTES_TEXT, MAX_LINES, cut_tail

MAX_FILE_BYTES = 64 * 1024 * 1024
"""So much of a command's output is kept in its file; a command that never stops fills no disk."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@cache
def output_folder() -> Path:
    """Where full outputs of this process's commands are kept; nobody else can look into it."""
    return Path(tempfile.mkdtemp(prefix="pi-lsp-output-")).resolve()


def is_command_output(path: Path) -> bool:
    """Whether a real path is the full output of one of this process's commands."""
    return output_folder.cache_info().currsize > 0 and path.parent == output_folder()


class CommandOutput:
    """Takes a command's output in pieces, from the thread that reads it.

    Args:
        on_text: gets what may be shown now; it is called in the reading thread.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lock = threading.Lock()
        self._tail = bytearray()
        self._total = 0
        self._line_ends = 0
        self._closed = False
        self._file: BinaryIO | None = None
        self._file_path: Path | None = None
        self._file_fault: OSError | None = None

    def add(self, data: bytes) -> None:
        """The next bytes; ignored once the output is closed."""
        with self._lock:
            if self._closed:
                return
            self._store(data)
            text = self._decoder.decode(data)
        if text:
            self._on_text(text)

    def close(self) -> None:
        """No more is taken: the command has ended."""
        with self._lock:
            self._closed = True
            text = self._decoder.decode(b"", final=True)
            if self._file is not None:
                self._file.close()
        if text:
            self._on_text(text)

    def _store(self, data: bytes) -> None:
        self._total += len(data)
        self._line_ends += data.count(b"\n")
        self._tail += data
        if self._file_fault is None and self._is_long():
            try:
                self._store_in_file(data)
            except OSError as fault:  # a full disk must not stop the command
                self._file_fault = fault
        if len(self._tail) > 4 * MAX_BYTES:
            del self._tail[: -2 * MAX_BYTES]

    def _store_in_file(self, data: bytes) -> None:
        if self._file is None:
            self._file_path, self._file = _new_file()
            data = bytes(self._tail)
        if self._file.tell() < MAX_FILE_BYTES:
            self._file.write(data)

    def _is_long(self) -> bool:
        return self._total > MAX_BYTES or self._line_ends > MAX_LINES

    @property
    def full_path(self) -> Path | None:
        """The file that has all of it; None when the end is all."""
        return self._file_path

    def tail(self) -> str:
        """The end of the output, at most 2000 lines and 50 KB, and a note when that is not all."""
        text = _readable(self._tail.decode("utf-8", "replace"))
        if not self._is_long():
            return text
        lines = text.split("\n")
        ended = lines[-1] == ""
        if ended:
            lines.pop()
        total_lines = self._line_ends + (0 if ended else 1)
        kept = _last_lines(lines)
        note = self._note(total_lines, kept)
        return "\n".join(kept) + f"\n\n[{note}]"

    def _note(self, total_lines: int, kept: list[str]) -> str:
        where = f"Full output: {self._file_path}"
        if self._file_fault is not None:
            where = f"The full output could not be kept: {self._file_fault}"
        elif self._total > MAX_FILE_BYTES:
            where = f"The first {MAX_FILE_BYTES // (1024 * 1024)} MB: {self._file_path}"
        if len(kept) == 1:
            return f"Only the last {MAX_BYTES_TEXT} of line {total_lines} are shown. {where}"
        first = total_lines - len(kept) + 1
        return f"Lines {first}-{total_lines} of {total_lines} are shown. {where}"


def _last_lines(lines: list[str]) -> list[str]:
    """The last lines that fit; of a last line that alone is too long, its end."""
    kept: list[str] = []
    size = 0
    for line in reversed(lines[-MAX_LINES:]):
        size += len(line.encode("utf-8", "replace")) + 1
        if size > MAX_BYTES:
            break
        kept.append(line)
    return kept[::-1] or [cut_tail(lines[-1], MAX_BYTES)]


def _readable(text: str) -> str:
    """Without colours and cursor movements; other control characters are replaced."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _CONTROLS.sub("\ufffd", text)


def _new_file() -> tuple[Path, BinaryIO]:
    descriptor, name = tempfile.mkstemp(prefix="command-", suffix=".log", dir=output_folder())
    return Path(name), os.fdopen(descriptor, "wb", buffering=0)
