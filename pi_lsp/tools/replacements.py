"""Exact replacements in a text: each found once, none overlapping, all or nothing.

Texts are compared with all line ends as LF. What is not found so is looked for again with what
people and models easily get wrong made equal: trailing spaces, typographic quotes and dashes,
Unicode normal forms. Only the target changes; new lines take the line end of their place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pi_lsp.tools.folded_text import MAX_COUNTED, FoldedText
from pi_lsp.tools.text_file import BOM, lf_view
from pi_lsp.tools.tool import ToolFault

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Replacement:
    old_text: str
    new_text: str


@dataclass(frozen=True)
class _Target:
    """Where a replacement goes; offsets into the text as it is."""

    number: int
    start: int
    end: int
    new_text: str


def replace_all(text: str, replacements: Sequence[Replacement], name: str) -> str:
    """The text with all replacements done.

    Args:
        name: what the text is called in faults.

    Raises:
        ToolFault: a target is not there, or more than once, two overlap, or nothing would change.
    """
    search = _Search(text, name, len(replacements))
    targets = [search.find(number, one) for number, one in enumerate(replacements, 1)]
    targets.sort(key=lambda target: (target.start, target.end))
    _check_apart(targets, name)
    pieces: list[str] = []
    at = 0
    for target in targets:
        pieces += [text[at : target.start], target.new_text]
        at = target.end
    result = "".join([*pieces, text[at:]])
    if result == text:
        raise ToolFault(f"Nothing would change in {name}: the new text is what is there already.")
    return result


def _check_apart(targets: list[_Target], name: str) -> None:
    for first, second in pairwise(targets):
        if second.start < first.end:
            numbers = sorted((first.number, second.number))
            raise ToolFault(
                f"Edits {numbers[0]} and {numbers[1]} of {name} overlap; make one edit of them."
            )


class _Search:
    """Looks for targets in one text."""

    def __init__(self, text: str, name: str, count: int) -> None:
        self._text = text
        self._name = name
        self._count = count
        self._view = lf_view(text)
        self._crlf_ends = _crlf_ends(text)
        self._folded: FoldedText | None = None

    def find(self, number: int, replacement: Replacement) -> _Target:
        which = "oldText" if self._count == 1 else f"oldText of edit {number}"
        old = lf_view(replacement.old_text.removeprefix(BOM))
        if not old:
            raise ToolFault(f"{which} is empty; use `write` to make a file or to replace it all.")
        start, end = self._find_once(old, which)
        start, end = self._offset(start), self._offset(end)
        return _Target(number, start, end, self._with_local_ends(replacement.new_text, start, end))

    def _find_once(self, old: str, which: str) -> tuple[int, int]:
        start = self._view.find(old)
        if start >= 0:
            if self._view.find(old, start + 1) >= 0:
                raise self._ambiguous(which, _occurrences(self._view, old))
            return start, start + len(old)
        if self._folded is None:
            self._folded = FoldedText(self._view)
        spans = self._folded.find(old)
        if not spans:
            raise ToolFault(f"{which} was not found in {self._name}.{self._hint(old)}")
        if len(spans) > 1:
            raise self._ambiguous(which, len(spans))
        return spans[0]

    def _ambiguous(self, which: str, count: int) -> ToolFault:
        times = f"{count} times" if count < MAX_COUNTED else f"at least {count} times"
        return ToolFault(
            f"{which} occurs {times} in {self._name}; "
            "give more of the text around it, so that it is found once."
        )

    def _hint(self, old: str) -> str:
        """Where the target may be meant to be, so that the model reads the right place again."""
        first = next((line.strip() for line in old.split("\n") if line.strip()), "")
        at = [n for n, line in enumerate(self._view.split("\n"), 1) if first and first in line]
        if not at:
            return " Read the file again: it may have changed."
        places = ", ".join(map(str, at[:5]))
        return f" Its first line is found at line {places}; read the file there and copy the text."

    def _offset(self, view_offset: int) -> int:
        """An offset of the LF view in the text itself: one more for each CRLF before it."""
        return view_offset + bisect_left(self._crlf_ends, view_offset)

    def _with_local_ends(self, new_text: str, start: int, end: int) -> str:
        lines = new_text.replace("\r\n", "\n")
        local = self._line_end_at(start, end) if "\r" in self._text else "\n"
        return lines if local == "\n" else lines.replace("\n", local)

    def _line_end_at(self, start: int, end: int) -> str:
        """The line end in the target, else of its own line, else of the one before, else LF."""
        if found := _LINE_END.search(self._text, start, end):
            return found.group()
        if found := _LINE_END.search(self._text, end):
            return found.group()
        before = max(self._text.rfind("\n", 0, start), self._text.rfind("\r", 0, start))
        if before < 0:
            return "\n"
        return "\r\n" if self._text[before - 1 : before + 1] == "\r\n" else self._text[before]


def _crlf_ends(text: str) -> list[int]:
    """Where the LF view has a line end that is CRLF in the text, in order."""
    return [found.start() - count for count, found in enumerate(re.finditer("\r\n", text))]


def _occurrences(text: str, part: str) -> int:
    """How often `part` is in `text`, overlaps included; not counted further than it tells."""
    count, at = 0, text.find(part)
    while at >= 0 and count < MAX_COUNTED:
        count += 1
        at = text.find(part, at + 1)
    return count
