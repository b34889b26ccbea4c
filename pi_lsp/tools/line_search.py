"""Searches lines of text for a pattern; what ripgrep does, for where it is not there or cannot
look: buffers of the editor."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pi_lsp.tools.text_file import SNIFFED_BYTES, is_binary
from pi_lsp.tools.threads import StopFlag
from pi_lsp.tools.tool import ToolFault
from pi_lsp.tools.truncation import cut_head

if TYPE_CHECKING:
    import regex

MAX_LINE_BYTES = 4000
"""Bytes of a line that are kept to be shown."""
_MAX_SEARCHED_BYTES = 1024 * 1024
"""Of a longer line only the beginning is searched."""
_MAX_UTF16_BYTES = 64 * 1024 * 1024
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
        self._context = query.context
        self._max_matches = max_matches

    def in_file(self, path: Path, flag: StopFlag) -> list[Line]:
        """The lines of a file with their context; none when it is no text or cannot be read."""
        try:
            with path.open("rb") as file:
                beginning = file.peek(SNIFFED_BYTES)
                if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                    return self.in_text(
                        file.read(_MAX_UTF16_BYTES).decode("utf-16", "replace"), flag
                    )
                return [] if is_binary(beginning) else self._search(_raw_lines(file, flag))
        except OSError:
            return []  # it is gone, or not ours to read: a search goes on without it

    def in_text(self, text: str, flag: StopFlag) -> list[Line]:
        """The same of a text."""
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        return self._search(_checked(lines, flag))

    def _search(self, lines: Iterable[str]) -> list[Line]:
        found: list[Line] = []
        before: deque[Line] = deque(maxlen=self._context)
        after = 0
        matches = 0
        for number, text in enumerate(lines, 1):
            if matches < self._max_matches and self._matches(text):
                found += [*before, _line(number, text, is_match=True)]
                before.clear()
                after = self._context
                matches += 1
            elif after:
                found.append(_line(number, text, is_match=False))
                after -= 1
            elif matches >= self._max_matches:
                break
            elif self._context:
                before.append(_line(number, text, is_match=False))
        return found

    def _matches(self, text: str) -> bool:
        try:
            return self._expression.search(text, timeout=_MATCH_SECONDS) is not None
        except TimeoutError as fault:
            raise ToolFault("The pattern takes too long; use a simpler one.") from fault


def _compiled(query: Query) -> regex.Pattern[str]:
    import regex

    if "\n" in query.pattern:
        raise ToolFault("The pattern has a line break; only single lines are searched.")
    pattern = regex.escape(query.pattern) if query.literal else query.pattern
    try:
        return regex.compile(pattern, regex.IGNORECASE if query.ignore_case else 0)
    except regex.error as fault:
        raise ToolFault(
            f"The pattern is no regular expression: {fault}. Set literal to search for it as it is."
        ) from fault


def _raw_lines(file: Iterable[bytes], flag: StopFlag) -> Iterator[str]:
    for data in file:
        flag.check()
        if b"\0" in data:
            return  # no text after all
        text = data[:_MAX_SEARCHED_BYTES].rstrip(b"\n").decode("utf-8", "replace")
        yield text.removesuffix("\r").removeprefix("\ufeff")


def _checked(lines: list[str], flag: StopFlag) -> Iterator[str]:
    for line in lines:
        flag.check()
        yield line.removesuffix("\r")


def _line(number: int, text: str, *, is_match: bool) -> Line:
    return Line(number, cut_head(text, MAX_LINE_BYTES), is_match)
