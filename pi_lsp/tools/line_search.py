"""Searches lines of text for a pattern; what ripgrep does, for where it is not there or cannot
look: buffers of the editor."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pi_lsp.tools.text_file import SNIFFED_BYTES, is_binary
from pi_lsp.tools.threads import StopFlag
from pi_lsp.tools.tool import ToolFault
from pi_lsp.tools.truncation import cut_head

if TYPE_CHECKING:
    import regex

MAX_LINE_BYTES = 4000
"""Bytes of a line that are kept to be shown."""
_BLOCK_BYTES = 4 * 1024 * 1024
_MAX_LINE_BYTES = 64 * 1024 * 1024
"""A file is searched no further than to the beginning of a longer line."""
_MAX_UTF16_BYTES = 64 * 1024 * 1024
_LINE_BOUND = re.compile(r"\(\?|\\[AZzG]|[*+?}]\+")
"""What may match in a line, but not where the text goes on after it: groups that look around or
do not step back, and the ends of a text."""
_MATCH_SECONDS = 2.0
"""How long one line may take: patterns can be made to take for ever."""


@dataclass(frozen=True)
class Query:
    """What is looked for. `context`: lines shown before and after a match."""

    pattern: str
    ignore_case: bool = False
    literal: bool = False
    context: int = 0


@dataclass(frozen=True)
class Line:
    """A line of a result; numbers count from 1."""

    number: int
    text: str
    is_match: bool


@dataclass
class FileMatches:
    """The lines of one file, in order; `relative` is its path from the searched folder."""

    relative: str
    path: Path
    lines: list[Line] = field(default_factory=list[Line])


class LineSearch:
    """Searches texts for one query.

    Args:
        max_matches: in one text; later ones are not looked for.

    Raises:
        ToolFault: the pattern is no regular expression.
    """

    def __init__(self, query: Query, max_matches: int) -> None:
        self._expression = _compiled(query)
        self._block_tells = query.literal or _LINE_BOUND.search(query.pattern) is None
        self._context = query.context
        self._max_matches = max_matches

    def in_file(self, path: Path, flag: StopFlag) -> list[Line]:
        """The lines of a file with their context; none when it is no text or cannot be read."""
        try:
            with path.open("rb") as file:
                beginning = file.peek(SNIFFED_BYTES)
                if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                    text = file.read(_MAX_UTF16_BYTES).decode("utf-16", "replace")
                    return self.in_text(text, flag)
                return [] if is_binary(beginning) else self._search(_blocks(file), flag)
        except OSError:
            return []  # it is gone, or not ours to read: a search goes on without it

    def in_text(self, text: str, flag: StopFlag) -> list[Line]:
        """The same of a text."""
        return self._search([text], flag)

    def _search(self, blocks: Iterable[str], flag: StopFlag) -> list[Line]:
        """Search blocks of whole lines."""
        found = _Found(self._context)
        for block in blocks:
            flag.check()
            lines = block.replace("\r\n", "\n")
            if not found.wants_more and not self._may_match(lines):
                found.skip(lines)
                continue
            for text in _lines(lines):
                flag.check()
                may_count = found.matches < self._max_matches
                found.take(text, is_match=may_count and self._matches(text))
                if not may_count and not found.wants_more:
                    return found.lines
        return found.lines

    def _may_match(self, block: str) -> bool:
        """Whether any line may match, by one look at all of them; most blocks have no match."""
        if not self._block_tells:
            return True
        try:
            return self._expression.search(block, timeout=_MATCH_SECONDS) is not None
        except TimeoutError:
            return True

    def _matches(self, text: str) -> bool:
        try:
            return self._expression.search(text, timeout=_MATCH_SECONDS) is not None
        except TimeoutError as fault:
            raise ToolFault("The pattern takes too long; use a simpler one.") from fault


class _Found:
    """The lines that were found in one text, with `context` lines around each match."""

    def __init__(self, context: int) -> None:
        self.lines: list[Line] = []
        self.matches = 0
        self._context = context
        self._number = 0
        self._before: deque[Line] = deque(maxlen=context)
        self._after = 0

    @property
    def wants_more(self) -> bool:
        """The last match still lacks lines after it."""
        return self._after > 0

    def take(self, text: str, *, is_match: bool) -> None:
        """The next line."""
        self._number += 1
        line = Line(self._number, cut_head(text, MAX_LINE_BYTES), is_match)
        if is_match:
            self.lines += [*self._before, line]
            self._before.clear()
            self._after = self._context
            self.matches += 1
        elif self._after:
            self.lines.append(line)
            self._after -= 1
        else:
            self._before.append(line)

    def skip(self, block: str) -> None:
        """Lines that have no match."""
        last = _lines(block)[-self._context :] if self._context else []
        self._number += block.count("\n") + (not block.endswith("\n")) - len(last)
        for text in last:
            self.take(text, is_match=False)


def _compiled(query: Query) -> regex.Pattern[str]:
    import regex

    if "\n" in query.pattern:
        raise ToolFault("The pattern has a line break; only single lines are searched.")
    pattern = regex.escape(query.pattern) if query.literal else query.pattern
    try:
        flags = regex.MULTILINE | (regex.IGNORECASE if query.ignore_case else 0)
        return regex.compile(pattern, flags)
    except regex.error as fault:
        raise ToolFault(
            f"The pattern is no regular expression: {fault}. Set literal to search for it as it is."
        ) from fault


def _blocks(file: BinaryIO) -> Iterator[str]:
    """A file in blocks of whole lines, up to the first NUL: from there on it is no text."""
    rest = b""
    is_first = True
    while data := file.read(_BLOCK_BYTES):
        data, nul, _ = data.partition(b"\0")
        whole, end, rest = (rest + data).rpartition(b"\n")
        if whole or end:
            yield _decoded(whole + end, is_first)
            is_first = False
        if nul or len(rest) > _MAX_LINE_BYTES:
            break
    if rest:
        yield _decoded(rest, is_first)


def _decoded(data: bytes, is_first: bool) -> str:
    return data.decode("utf-8-sig" if is_first else "utf-8", "replace")


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines
