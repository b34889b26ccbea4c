"""Lines of a text file without loading it whole."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pi_lsp.tools.text_file import SNIFFED_BYTES, is_binary, reason
from pi_lsp.tools.threads import StopFlag
from pi_lsp.tools.tool import ToolFault
from pi_lsp.tools.truncation import MAX_BYTES, LineList, cut_head

_CHUNK = 1024 * 1024
_COUNTED_BYTES = 64 * 1024 * 1024
"""So much after the last wanted line is read to say how many lines there are."""


@dataclass(frozen=True)
class LineRange:
    """Lines of a file.

    Attributes:
        lines: without line ends; the first may be cut, see `cut`.
        total: how many lines the file has; None when that was not counted to the end.
        more: there are lines after these.
        cut: the first line alone was too long, and only its beginning is here.
    """

    lines: list[str]
    total: int | None
    more: bool
    cut: bool = False


def lines_of_file(path: Path, name: str, offset: int, limit: int, flag: StopFlag) -> LineRange:
    """Lines `offset` (from 1) and on, as many as fit into a result; it blocks on disk.

    Raises:
        ToolFault: it is no text, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(SNIFFED_BYTES)
            if is_binary(beginning):
                raise ToolFault(f"{name} is a binary file, not text.")
            file.seek(len(BOM_UTF8) if beginning.startswith(BOM_UTF8) else 0)
            return _range(_Lines(file, flag), offset, limit)
    except OSError as fault:
        raise ToolFault(f"{name} cannot be read: {reason(fault)}.") from fault


def lines_of_text(text: str, offset: int, limit: int) -> LineRange:
    """The same of a text in memory."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    collected = LineList(max_lines=limit)
    for line in lines[offset - 1 :]:
        if not collected.add(line.removesuffix("\r")):
            break
    if not collected.lines and collected.full:
        return _first_line_cut(lines[offset - 1], len(lines), len(lines) > offset)
    return LineRange(collected.lines, len(lines), collected.full)


class _Lines:
    """The lines of a file in order; a long line is cut while it is read."""

    def __init__(self, file: BinaryIO, flag: StopFlag) -> None:
        self._file = file
        self._flag = flag

    def skip(self, count: int) -> int:
        """Go past `count` lines; returns how many there were."""
        if count == 0:
            return 0
        passed = 0
        at_line_start = True
        while chunk := self._chunk():
            ends = chunk.count(b"\n")
            if passed + ends >= count:
                self._file.seek(_after_line_end(chunk, count - passed) - len(chunk), 1)
                return count
            passed += ends
            at_line_start = chunk.endswith(b"\n")
        return passed if at_line_start else passed + 1

    def __iter__(self) -> Iterator[str]:
        while data := self._file.readline(MAX_BYTES + 2):
            if len(data) > MAX_BYTES + 1 and not data.endswith(b"\n"):
                self._skip_rest_of_line()
            yield _decoded(data)

    def _skip_rest_of_line(self) -> None:
        while rest := self._file.readline(_CHUNK):
            self._flag.check()
            if rest.endswith(b"\n"):
                return

    def count_rest(self) -> int | None:
        """How many lines follow; None when there is too much to count."""
        count, size, last = 0, 0, b"\n"
        while chunk := self._chunk():
            count += chunk.count(b"\n")
            size += len(chunk)
            last = chunk[-1:]
            if size > _COUNTED_BYTES:
                return None
        return count if last == b"\n" else count + 1

    def _chunk(self) -> bytes:
        self._flag.check()
        return self._file.read(_CHUNK)


def _range(lines: _Lines, offset: int, limit: int) -> LineRange:
    passed = lines.skip(offset - 1)
    if passed < offset - 1:
        return LineRange([], passed, more=False)
    collected = LineList(max_lines=limit)
    for line in lines:
        if not collected.add(line):
            rest = lines.count_rest()
            seen = offset + len(collected.lines)
            total = None if rest is None else seen + rest
            if not collected.lines:
                return _first_line_cut(line, total, rest != 0)
            return LineRange(collected.lines, total, more=True)
    return LineRange(collected.lines, passed + len(collected.lines), more=False)


def _first_line_cut(line: str, total: int | None, more: bool) -> LineRange:
    return LineRange([cut_head(line, MAX_BYTES)], total, more, cut=True)


def _after_line_end(chunk: bytes, number: int) -> int:
    """Where the line after the `number`-th line end of a chunk begins."""
    at = 0
    for _ in range(number):
        at = chunk.index(b"\n", at) + 1
    return at


def _decoded(data: bytes) -> str:
    text = data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
    return text.replace("\0", "\ufffd")
