"""The smallest edits that turn one text into another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pi_lsp.agent.events import Position, Range
from pi_lsp.server.open_documents import TextDocument
from pi_lsp.server.positions import split_lines, without_end
from pi_lsp.server.protocol.client_requests import TextEdit

_MAX_LINES_TO_COMPARE = 5000
"""Beyond, what lies between the first and the last difference is one edit: comparing line by line
costs the square of the lines in the worst case."""


@dataclass(frozen=True)
class _Change:
    """The old lines `first` to `last` (not included) become `lines`."""

    first: int
    last: int
    lines: list[str]


def smallest_edits(document: TextDocument, text: str) -> list[TextEdit]:
    """Edits of a document, from its beginning to its end, in its own positions."""
    old, new = document.lines, split_lines(text)
    return [_trimmed(document, change) for change in _changes(old, new)]


def _changes(old: Sequence[str], new: list[str]) -> list[_Change]:
    """What differs, line by line; equal beginnings and ends are set aside first."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old_middle and not new_middle:
        return []
    if len(old_middle) + len(new_middle) > _MAX_LINES_TO_COMPARE:
        return [_Change(head, len(old) - tail, new_middle)]
    matcher = SequenceMatcher(None, old_middle, new_middle, autojunk=False)
    return [
        _Change(head + i1, head + i2, new_middle[j1:j2])
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _trimmed(document: TextDocument, change: _Change) -> TextEdit:
    """A change of whole lines as an edit without what stays the same at both ends of it."""
    old_lines = list(document.lines[change.first : change.last])
    old, new = "".join(old_lines), "".join(change.lines)
    head = _common(old, new)
    while head and _splits_line_end(old, new, head):
        head -= 1
    tail = _common(old[head:][::-1], new[head:][::-1])
    while tail and _splits_line_end(old, new, -tail):
        tail -= 1
    start = _position(document, change.first, old_lines, head)
    end = _position(document, change.first, old_lines, len(old) - tail)
    return TextEdit(range=Range(start=start, end=end), new_text=new[head : len(new) - tail])


def _position(document: TextDocument, first: int, lines: list[str], offset: int) -> Position:
    """The position of an offset into the lines that begin at `first`."""
    for index, line in enumerate(lines):
        if offset < len(line) or (offset == len(line) and without_end(line) == line):
            return document.position(first + index, offset)
        offset -= len(line)
    return _line_start(document, first + len(lines))


def _line_start(document: TextDocument, line: int) -> Position:
    if line < len(document.lines):
        return Position(line=line, character=0)
    last = len(document.lines) - 1
    return document.position(last, len(document.lines[last]))


def _splits_line_end(old: str, new: str, at: int) -> bool:
    """Whether a cut there falls between the CR and the LF of one of the texts."""
    return any(text[:at][-1:] == "\r" and text[at:][:1] == "\n" for text in (old, new))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items both begin with."""
    shortest = min(len(one), len(other))
    for index in range(shortest):
        if one[index] != other[index]:
            return index
    return shortest
