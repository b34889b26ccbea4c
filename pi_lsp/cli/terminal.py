"""Writing to a terminal, or to a file or pipe in its place."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

import click

Style = Literal["plain", "dim", "strong", "good", "bad", "warning"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_STYLES: Mapping[str, dict[str, bool | str]] = {
    "plain": {},
    "dim": {"dim": True},
    "strong": {"bold": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "warning": {"fg": "yellow"},
}


@dataclass(frozen=True)
class Symbols:
    """Marks at the start of lines."""

    running: str
    done: str
    failed: str
    here: str
    question: str


_UNICODE = Symbols(running="→", done="✓", failed="✗", here="●", question="?")
_ASCII = Symbols(running=">", done="+", failed="x", here="*", question="?")


def printable(text: str) -> str:
    """Text without control characters, which could drive the terminal; line breaks stay."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def shown_path(path: Path, folder: Path) -> str:
    """A path as a person in this folder would say it."""
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


class Terminal:
    """Where a command writes.

    Answers and what happens go to standard output; questions, warnings and errors to standard
    error. Colour is used only on a terminal, and not with NO_COLOR (https://no-color.org).
    """

    def __init__(
        self,
        out: TextIO | None = None,
        error: TextIO | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._out = out or sys.stdout
        self._error = error or sys.stderr
        self._environ = os.environ if environ is None else environ
        self.symbols = _UNICODE if _can_write(self._out, "→✓✗●") else _ASCII
        self._at_line_start = True

    @property
    def can_ask(self) -> bool:
        """Whether a person is there to answer a question."""
        return sys.stdin is not None and sys.stdin.isatty() and self._error.isatty()

    def write(self, text: str) -> None:
        """A piece of text that goes on where the last one ended."""
        text = printable(text)
        if text:
            self._put(self._out, text)
            self._at_line_start = text.endswith("\n")

    def line(self, text: str = "", style: Style = "plain") -> None:
        """One or more whole lines."""
        self.end_line()
        self._put(self._out, self._styled(self._out, printable(text), style) + "\n")

    def end_line(self) -> None:
        """Make sure that what follows starts a line."""
        if not self._at_line_start:
            self._put(self._out, "\n")
            self._at_line_start = True

    def complain(self, text: str, style: Style = "bad") -> None:
        """A warning or an error."""
        self.end_line()
        self._put(self._error, self._styled(self._error, printable(text), style) + "\n")

    def ask(self, text: str) -> None:
        """The last line of a question; the answer is typed behind it."""
        self.end_line()
        self._put(self._error, self._styled(self._error, printable(text), "strong"))

    def styled(self, text: str, style: Style) -> str:
        """Text for a part of a line on standard output."""
        return self._styled(self._out, printable(text), style)

    def raw_line(self, text: str) -> None:
        """A line that was put together from `styled` parts."""
        self.end_line()
        self._put(self._out, text + "\n")

    def _styled(self, stream: TextIO, text: str, style: Style) -> str:
        if style == "plain" or not self._has_colour(stream):
            return text
        return click.style(text, **_STYLES[style])  # pyright: ignore[reportArgumentType]

    def _has_colour(self, stream: TextIO) -> bool:
        return (
            stream.isatty()
            and not self._environ.get("NO_COLOR")
            and self._environ.get("TERM") != "dumb"
        )

    def _put(self, stream: TextIO, text: str) -> None:
        encoding = stream.encoding or "utf-8"
        shown = text.encode(encoding, errors="replace").decode(encoding)
        click.echo(shown, file=stream, nl=False, color=self._has_colour(stream))


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
