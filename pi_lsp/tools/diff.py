"""Unified diffs for people and models, whose cost and length are bounded whatever the texts.

What is equal at both ends is taken away first; what is left is split at lines that occur once
on both sides (Bram Cohen's patience diff), and only small pieces go to difflib, which is
quadratic at its worst.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from pi_lsp.tools.text_file import lf_view
from pi_lsp.tools.truncation import LineList

CONTEXT_LINES = 3
SHORT_BYTES = 4 * 1024
"""A diff in a tool's result for the model."""
FULL_BYTES = 64 * 1024
"""A diff for people."""

_MAX_LINE = 500
_SMALL = 400
"""Lines of both sides together that difflib may compare."""

Change = tuple[int, int, int, int]
"""Lines `a_start` to `a_end` of the old text became `b_start` to `b_end` of the new one."""


def unified_diff(before: str, after: str, name: str, max_bytes: int = FULL_BYTES) -> str:
    """The difference of two texts; empty when they are equal but for line ends.

    Lines longer than 500 characters and what goes over `max_bytes` are cut, and the diff says
    so; then it is for reading only.
    """
    a, b = _lines(before), _lines(after)
    changes = line_changes(a, b)
    if not changes:
        return ""
    lines = LineList(max_lines=max_bytes, max_bytes=max_bytes)
    lines.add(f"--- a/{name}")
    lines.add(f"+++ b/{name}")
    for line in _hunks(a, b, changes):
        if not lines.add(line):
            lines.lines.append("[The rest of the diff is left out.]")
            break
    return "\n".join(lines.lines) + "\n"


def first_changed_line(before: str, after: str) -> int | None:
    """The first line of the new text, from 1, that differs; None when nothing does."""
    changes = line_changes(_lines(before), _lines(after))
    return changes[0][2] + 1 if changes else None


def line_changes(a: list[str], b: list[str]) -> list[Change]:
    """What differs between two lists of lines, in order."""
    changes: list[Change] = []
    for change in _compare(a, b, 0, len(a), 0, len(b)):
        if changes and changes[-1][1] == change[0] and changes[-1][3] == change[2]:
            last = changes.pop()
            change = (last[0], change[1], last[2], change[3])
        changes.append(change)
    return changes


def _lines(text: str) -> list[str]:
    """Lines without their ends; a last line without an end is told apart by a marker."""
    lines = lf_view(text).split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += _NO_END
    return lines


_NO_END = "\n\\ No newline at end of file"


def _compare(
    a: list[str], b: list[str], a_start: int, a_end: int, b_start: int, b_end: int
) -> Iterator[Change]:
    pending = [(a_start, a_end, b_start, b_end)]
    while pending:
        a_start, a_end, b_start, b_end = _trimmed(a, b, *pending.pop())
        if a_start == a_end and b_start == b_end:
            continue
        if a_start == a_end or b_start == b_end:
            yield a_start, a_end, b_start, b_end
        elif a_end - a_start + b_end - b_start <= _SMALL:
            yield from _compare_small(a, b, a_start, a_end, b_start, b_end)
        elif pieces := _split_at_unique_lines(a, b, a_start, a_end, b_start, b_end):
            pending.extend(reversed(pieces))
        else:
            yield a_start, a_end, b_start, b_end


def _trimmed(
    a: list[str], b: list[str], a_start: int, a_end: int, b_start: int, b_end: int
) -> Change:
    while a_start < a_end and b_start < b_end and a[a_start] == b[b_start]:
        a_start += 1
        b_start += 1
    while a_start < a_end and b_start < b_end and a[a_end - 1] == b[b_end - 1]:
        a_end -= 1
        b_end -= 1
    return a_start, a_end, b_start, b_end


def _compare_small(
    a: list[str], b: list[str], a_start: int, a_end: int, b_start: int, b_end: int
) -> Iterator[Change]:
    matcher = SequenceMatcher(None, a[a_start:a_end], b[b_start:b_end], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield a_start + i1, a_start + i2, b_start + j1, b_start + j2


def _split_at_unique_lines(
    a: list[str], b: list[str], a_start: int, a_end: int, b_start: int, b_end: int
) -> list[Change]:
    """The pieces between lines that occur once on both sides and in the same order."""
    counts_a, counts_b = Counter(a[a_start:a_end]), Counter(b[b_start:b_end])
    place_in_b = {b[j]: j for j in range(b_start, b_end) if counts_b[b[j]] == 1}
    pairs = [
        (i, place_in_b[a[i]])
        for i in range(a_start, a_end)
        if counts_a[a[i]] == 1 and a[i] in place_in_b
    ]
    anchors = _longest_rising(pairs)
    if not anchors:
        return []
    pieces: list[Change] = []
    for i, j in anchors:
        pieces.append((a_start, i, b_start, j))
        a_start, b_start = i + 1, j + 1
    pieces.append((a_start, a_end, b_start, b_end))
    return pieces


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs (sorted by the first) whose second rises, by patience sorting."""
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        before.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(j)
            top_pairs.append(index)
        else:
            tops[pile] = j
            top_pairs[pile] = index
    rising: list[tuple[int, int]] = []
    index = top_pairs[-1] if top_pairs else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    return rising[::-1]


def _hunks(a: list[str], b: list[str], changes: list[Change]) -> Iterator[str]:
    for group in _groups(changes):
        a_from = max(group[0][0] - CONTEXT_LINES, 0)
        b_from = group[0][2] - (group[0][0] - a_from)
        a_to = min(group[-1][1] + CONTEXT_LINES, len(a))
        b_to = group[-1][3] + (a_to - group[-1][1])
        yield f"@@ -{_span(a_from, a_to)} +{_span(b_from, b_to)} @@"
        at = a_from
        for a_start, a_end, b_start, b_end in group:
            yield from (" " + _cut(line) for line in a[at:a_start])
            yield from ("-" + _cut(line) for line in a[a_start:a_end])
            yield from ("+" + _cut(line) for line in b[b_start:b_end])
            at = a_end
        yield from (" " + _cut(line) for line in a[at:a_to])


def _groups(changes: list[Change]) -> Iterator[list[Change]]:
    """Changes that share their context make one hunk."""
    group: list[Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(change)
    yield group


def _span(start: int, end: int) -> str:
    """A hunk's line range as unified diffs write it (an empty one names the line before)."""
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _cut(line: str) -> str:
    text, marker, _ = line.partition("\n")
    if len(text) > _MAX_LINE:
        text = f"{text[:_MAX_LINE]} [line cut, {len(text)} characters]"
    return text + _NO_END if marker else text
