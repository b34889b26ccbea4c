"""Positions of LSP: a line, and a character counted in UTF-8, UTF-16 or UTF-32 units.

Here lines end at LF, CRLF or CR and nowhere else, as LSP says; `str.splitlines` knows more.
"""

from __future__ import annotations

import re
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends; the last one has none, and may be empty."""
    lines = _LINE.findall(text)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


def without_end(line: str) -> str:
    """A line without its line end."""
    return line.rstrip("\r\n")


def units(text: str, encoding: Encoding) -> int:
    """How long a text is in an encoding's units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(1 for char in text if char > "\uffff")
    return len(text.encode("utf-8", "surrogatepass"))


def index_at(line: str, character: int, encoding: Encoding) -> int:
    """The index in a line for a character of the wire; held to the line, its end left out.

    A character that points into the middle of a code point counts as the one before it.
    """
    line = without_end(line)
    if encoding == "utf-32" or line.isascii():
        return min(max(character, 0), len(line))
    used = 0
    for index, char in enumerate(line):
        used += units(char, encoding)
        if used > character:
            return index
    return len(line)
