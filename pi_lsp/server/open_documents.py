"""The documents that the editor has open, as it shows them.

pygls keeps documents too, but it ends lines where Python does (at a form feed, at U+2028), which
garbles such a document with its first incremental change; and it does not know what is saved.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pi_lsp import system
from pi_lsp.agent.events import Position, Range
from pi_lsp.regular_files import read_regular
from pi_lsp.server.positions import Encoding, index_at, split_lines, units
from pi_lsp.tools.files import FileStamp

_DRIVE = re.compile(r"/[A-Za-z]:")


def path_of(uri: str) -> Path | None:
    """The real path behind a `file:` URI (see `real_path`); None for any other, and for what can be
    no path here."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    host, path = unquote(parts.netloc), unquote(parts.path)
    if parts.scheme != "file" or not path.startswith("/") or "\0" in host + path:
        return None
    if host and host != "localhost":
        if not system.is_windows():
            return None  # only Windows reads files of another machine by their URI
        path = f"//{host}{path}"
    elif system.is_windows() and _DRIVE.match(path):
        path = path[1:]
    return system.real_path(Path(path))


class DocumentChange(NamedTuple):
    """A new text for a part of a document; for all of it without a range."""

    text: str
    range: Range | None = None


class TextDocument:
    """One open document, kept in lines, so that a change costs what it changes.

    Attributes:
        uri: as the editor spells it.
        path: absolute, links resolved; None when it is no file.
        version: the editor's.
    """

    def __init__(self, uri: str, text: str, version: int, encoding: Encoding) -> None:
        self.uri = uri
        self.path = path_of(uri)
        self.version = version
        self._encoding: Encoding = encoding
        self._lines = split_lines(text)
        self._text: str | None = text
        self._changed_since_save = False
        self._compared: tuple[int, FileStamp | None, bool] | None = None
        self._changed = asyncio.Event()

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends; never empty."""
        return self._lines

    def change(self, changes: Sequence[DocumentChange], version: int) -> None:
        """Take over what the editor changed, in its order."""
        for one in changes:
            if one.range is None:
                self._lines = split_lines(one.text)
            else:
                self._splice(one.range, one.text)
        self._text = None
        self.version = version
        self._changed_since_save = True
        self._changed.set()

    async def becomes(self, text: str, timeout: float) -> bool:
        """Whether it is, or becomes within `timeout` seconds, this (normalised) text."""
        deadline = asyncio.get_running_loop().time() + timeout
        while normalised(self.text) != text:
            self._changed.clear()
            left = deadline - asyncio.get_running_loop().time()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except asyncio.TimeoutError:
                return False
        return True

    def saved(self) -> None:
        """The editor has written it to the disk."""
        self._changed_since_save = False
        self._compared = None

    def is_dirty(self) -> bool:
        """Whether it differs from what is on the disk.

        The disk is asked, for editors take over changes from there without saving, and restore
        unsaved texts when they open. What is no UTF-8 cannot be compared: then it counts whether
        the document was changed since it was opened or saved.
        """
        if self.path is None:
            return self._changed_since_save
        stamp = FileStamp.of(self.path)
        if self._compared is None or self._compared[:2] != (self.version, stamp):
            self._compared = (self.version, stamp, self._differs_from(self.path))
        return self._compared[2]

    def position(self, line: int, index: int) -> Position:
        """A place in the document as the wire counts it."""
        character = units(self._lines[line][:index], self._encoding)
        return Position(line=line, character=character)

    def _place(self, position: Position) -> tuple[int, int]:
        """Line and index of a position, held to the document."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        return position.line, index_at(line, position.character, self._encoding)

    def _splice(self, span: Range, text: str) -> None:
        first, from_index = self._place(span.start)
        last, to_index = self._place(span.end)
        changed = self._lines[first][:from_index] + text + self._lines[last][to_index:]
        if first > 0 and self._lines[first - 1].endswith("\r"):
            # A line feed that comes right after a carriage return makes one line end with it.
            first -= 1
            changed = self._lines[first] + changed
        lines = split_lines(changed)
        if last + 1 < len(self._lines):
            lines.pop()  # the text ended with a line end, so what follows it is the next line
        self._lines[first : last + 1] = lines

    def _differs_from(self, path: Path) -> bool:
        try:
            on_disk = read_regular(path)
        except OSError:
            return True
        try:
            stored = on_disk.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self._changed_since_save
        return normalised(stored) != normalised(self.text)


def normalised(text: str) -> str:
    """A text with line feeds as its only line ends, and no BOM: editors choose both themselves."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


class OpenDocuments:
    """All open documents, by the editor's URIs and by their files."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._by_uri: dict[str, TextDocument] = {}

    def open(self, uri: str, text: str, version: int) -> None:
        self._by_uri[uri] = TextDocument(uri, text, version, self.encoding)

    def close(self, uri: str) -> None:
        self._by_uri.pop(uri, None)

    def get(self, uri: str) -> TextDocument | None:
        """The document of this URI, however it is spelled; None when it is not open."""
        found = self._by_uri.get(uri)
        if found is not None:
            return found
        path = path_of(uri)
        return self.at(path) if path is not None else None

    def at(self, path: Path) -> TextDocument | None:
        """The document of this file (an absolute path, links resolved)."""
        return next((one for one in self._by_uri.values() if one.path == path), None)

    def all(self) -> list[TextDocument]:
        return list(self._by_uri.values())
