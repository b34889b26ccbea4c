"""A text with look-alikes made equal, and the way back to the text itself."""

from __future__ import annotations

import unicodedata
from array import array

from pi_lsp.tools.characters import plain_characters

_TRAILING = " \t\v\f\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u3000"

MAX_COUNTED = 100
"""More places than this are not looked for: one is too many already."""


class FoldedText:
    """The folded form of a text with LF line ends, for searching.

    Folding takes away spaces at the ends of lines, makes typographic quotes, dashes and spaces
    plain, and decomposes characters (NFKD), so that any Unicode normal form of a text is found.
    A match begins and ends between whole characters of the text, their accents included.
    """

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        self._starts = array("q")
        """For each character of the folded text: the text's offset where it begins, or -1
        inside of what one character was folded to."""
        self._ends = array("q")
        """For each character of the folded text: the text's offset where it ends."""
        offset = 0
        for number, line in enumerate(text.split("\n")):
            if number:
                pieces.append("\n")
                self._starts.append(offset - 1)
                self._ends.append(offset)
            pieces.append(self._fold_line(line, offset))
            offset += len(line) + 1
        self._folded = "".join(pieces)

    def find(self, part: str) -> list[tuple[int, int]]:
        """All spans of the text that look like `part`, overlaps included.

        Spaces at the end of `part` itself count, for they may be the next line's indentation;
        only when it is not found so, and ends where a line ends, are they forgiven too.
        """
        *lines, last = part.split("\n")
        head = "".join(_fold(line.rstrip(_TRAILING)) + "\n" for line in lines)
        spans = self._find(head + _fold(last), at_line_end=False)
        if spans or last == last.rstrip(_TRAILING):
            return spans
        return self._find(head + _fold(last.rstrip(_TRAILING)), at_line_end=True)

    def _find(self, part: str, at_line_end: bool) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        at = self._folded.find(part) if part else -1
        while at >= 0 and len(spans) < MAX_COUNTED:
            end = at + len(part)
            if self._is_whole(at, end) and not (at_line_end and self._goes_on(end)):
                spans.append((self._starts[at], self._ends[end - 1]))
            at = self._folded.find(part, at + 1)
        return spans

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether a span does not cut through what one character was folded to."""
        return self._starts[start] >= 0 and (end == len(self._starts) or self._starts[end] >= 0)

    def _goes_on(self, at: int) -> bool:
        """Whether the line has more at this place."""
        return self._folded[at : at + 1] not in ("", "\n")

    def _fold_line(self, line: str, offset: int) -> str:
        line = line.rstrip(_TRAILING)
        if line.isascii():
            self._starts.extend(range(offset, offset + len(line)))
            self._ends.extend(range(offset + 1, offset + len(line) + 1))
            return line
        pieces: list[str] = []
        for start, end in _clusters(line):
            folded = _fold(line[start:end])
            pieces.append(folded)
            if folded:
                self._starts.append(offset + start)
                self._starts.extend([-1] * (len(folded) - 1))
                self._ends.extend([offset + end] * len(folded))
        return "".join(pieces)


def _fold(text: str) -> str:
    if text.isascii():
        return text
    return plain_characters(unicodedata.normalize("NFKD", plain_characters(text)))


def _clusters(line: str) -> list[tuple[int, int]]:
    """Spans of characters with the accents that follow them."""
    clusters: list[tuple[int, int]] = []
    start = 0
    for index in range(1, len(line)):
        if not unicodedata.combining(line[index]):
            clusters.append((start, index))
            start = index
    clusters.append((start, len(line)))
    return clusters
