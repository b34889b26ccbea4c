"""What a person reads before they allow a call: nothing in it may hide or overwrite a part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

MAX_LINES = 30
MAX_CHARACTERS = 2000
"""What a message box shows whole of a command or a diff."""

_TAIL_LINES = 10
_TAIL_CHARACTERS = 600
_REPEATED_LINES = 3
"""So many equal lines are shown; of more it is said how many there are."""

_HIDING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
"""Controls, and what has no width or turns the direction of the text around it."""


@dataclass(frozen=True)
class Excerpt:
    """A text for a message box.

    Attributes:
        is_cut: a part of it is not shown.
    """

    text: str
    is_cut: bool


def visible(text: str) -> str:
    """The text with its control and direction characters spelled out; tabs and line feeds stay."""
    return _HIDING.sub(_spelled, text)


def visible_line(text: str) -> str:
    """The same on one line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def shown_lines(text: str) -> list[str]:
    """All of a command or a diff, with nothing in it that hides a part."""
    if not text:
        return []
    lines = visible(text.replace("\r\n", "\n")).rstrip("\n").split("\n")
    return _without_repetition(lines)


def excerpt(text: str) -> Excerpt:
    """A command or a diff, as much of it as fits: if not all, then its beginning and its end."""
    lines = shown_lines(text)
    whole = "\n".join(lines)
    if len(lines) <= MAX_LINES and len(whole) <= MAX_CHARACTERS:
        return Excerpt(whole, is_cut=False)
    head = "\n".join(lines[: MAX_LINES - _TAIL_LINES])[: MAX_CHARACTERS - _TAIL_CHARACTERS]
    rest = whole[len(head) :]
    tail = "\n".join(rest.split("\n")[-_TAIL_LINES:])[-_TAIL_CHARACTERS:]
    left_out = len(rest) - len(tail)
    return Excerpt(f"{head}\n… {left_out:,} characters are not shown here …\n{tail}", is_cut=True)


def _without_repetition(lines: list[str]) -> list[str]:
    """Long runs of equal (mostly empty) lines in short, so that they push nothing out of sight."""
    kept: list[str] = []
    for line, equal in groupby(lines, str.rstrip):
        run = list(equal)
        kept += run[:_REPEATED_LINES]
        if len(run) > _REPEATED_LINES:
            what = "more lines like this" if line else "more empty lines"
            kept.append(f"… {len(run) - _REPEATED_LINES} {what} …")
    return kept


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
