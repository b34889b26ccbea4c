"""What a person attached to a message, as the model is given it."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from pathlib import Path

from pi_lsp.agent.events import Attachment, Range
from pi_lsp.errors import InvalidArgumentError, NotFoundError, StorageError
from pi_lsp.messages import TextBlock, UserBlock
from pi_lsp.pictures import picture_type
from pi_lsp.regular_files import read_regular
from pi_lsp.server.open_documents import OpenDocuments, TextDocument, path_of
from pi_lsp.server.positions import split_lines
from pi_lsp.tools.pictures import picture_block
from pi_lsp.tools.tool import ToolFault

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
"""What of one attachment goes into the message, as with tool results; the rest can be read."""

_MAX_FILE_BYTES = 20 * 1024 * 1024


class Attachments:
    """Renders attachments for one folder.

    Args:
        folder: files in it are named relative to it.
        documents: what the editor has open; it counts before what is on the disk.
    """

    def __init__(self, folder: Path, documents: OpenDocuments) -> None:
        self._folder = folder
        self._documents = documents

    async def render(self, attachment: Attachment) -> UserBlock:
        """The block of one attachment: path, lines, and content as the editor shows it.

        Raises:
            NotFoundError: there is no such file or document.
            InvalidArgumentError: it is no text and no picture, or too large.
            StorageError: it cannot be read.
        """
        held = self._documents.get(attachment.uri)
        if held is not None:
            return self._text_block(self._name(held), held.lines, attachment.range)
        path = path_of(attachment.uri)
        if path is None:
            raise NotFoundError(f"{attachment.uri} is neither a file nor an open document.")
        data = await asyncio.to_thread(_read, path)
        media_type = picture_type(data)
        if media_type is not None:
            return _picture(data, media_type, self._relative(path))
        if b"\0" in data:
            raise InvalidArgumentError(f"{path} is neither text nor a picture.")
        lines = split_lines(data.decode("utf-8-sig", errors="replace"))
        return self._text_block(self._relative(path), lines, attachment.range)

    def _text_block(self, name: str, lines: Sequence[str], span: Range | None) -> TextBlock:
        first, last = (0, len(lines)) if span is None else _whole_lines(span, len(lines))
        chosen, was_cut = _bounded(lines[first:last])
        where = "" if span is None else f' lines="{first + 1}-{max(last, first + 1)}"'
        note = f"\n[cut after {len(chosen)} lines; read the file for the rest]" if was_cut else ""
        body = "".join(chosen).rstrip("\r\n")
        return {"type": "text", "text": f'<file path="{name}"{where}>\n{body}{note}\n</file>'}

    def _name(self, held: TextDocument) -> str:
        return held.uri if held.path is None else self._relative(held.path)

    def _relative(self, path: Path) -> str:
        try:
            return path.relative_to(self._folder).as_posix()
        except ValueError:
            return str(path)


def _picture(data: bytes, media_type: str, name: str) -> UserBlock:
    try:
        block, _ = picture_block(data, media_type, name)
    except ToolFault as fault:
        raise InvalidArgumentError(fault.message) from fault
    return block


def _whole_lines(span: Range, count: int) -> tuple[int, int]:
    """The lines that a range touches: from, up to (not included). A selection that ends before
    the first character of a line does not touch that line."""
    first = min(max(span.start.line, 0), count - 1)
    last = span.end.line + (0 if span.end.character == 0 and span.end.line > first else 1)
    return first, min(max(last, first + 1), count)


def _bounded(lines: Sequence[str]) -> tuple[Sequence[str], bool]:
    taken = 0
    for index, line in enumerate(lines):
        taken += len(line.encode("utf-8", "surrogatepass"))
        if index >= MAX_LINES or taken > MAX_BYTES:
            return lines[:index], True
    return lines, False


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, _MAX_FILE_BYTES)
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except OSError as error:
        if error.errno == errno.EFBIG:
            too_large = f"{path} is too large to attach; let the agent read it."
            raise InvalidArgumentError(too_large) from error
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
