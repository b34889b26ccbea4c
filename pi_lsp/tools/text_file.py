"""A file's text as the agent sees it now: as the editor shows it, else as the disk has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from pi_lsp.tools.editor import OpenDocument
from pi_lsp.tools.files import FileStamp
from pi_lsp.tools.tool import ToolFault
from pi_lsp.tools.truncation import readable_size

MAX_EDIT_BYTES = 64 * 1024 * 1024
"""Larger files are not loaded whole."""

SNIFFED_BYTES = 8192
"""So much of a file is looked at to tell text from other data, as git does."""

BOM = "\ufeff"


@dataclass(frozen=True)
class FileText:
    """The text of a file, whole.

    Attributes:
        text: with the file's own line ends, without its BOM; bytes that are no UTF-8 stand as
            lone surrogates, so that they can be written back as they were.
        bom: it begins with one.
        document: the open document that has this text, or None when the disk has it.
        stamp: the file on disk when it was read; None when there is none yet.
    """

    text: str
    bom: bool = False
    document: OpenDocument | None = None
    stamp: FileStamp | None = None

    @property
    def unsaved(self) -> bool:
        """It holds the person's own changes that the disk does not have."""
        return self.document is not None and self.document.dirty

    def encoded(self, text: str) -> bytes:
        """Another text as this file's bytes."""
        return encode((BOM if self.bom else "") + text)


def is_binary(data: bytes) -> bool:
    """Whether the beginning of a file says that it is no text."""
    return b"\0" in data[:SNIFFED_BYTES]


def encode(text: str) -> bytes:
    """UTF-8; lone surrogates that stand for undecodable bytes become these bytes again."""
    return text.encode("utf-8", "surrogateescape")


def lf_view(text: str) -> str:
    """The text with every line end as a plain LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def load(path: Path, name: str, editor_document: OpenDocument | None) -> FileText | None:
    """The text of a file as it counts now; it blocks on disk.

    An open document counts, unless it is clean and the disk has another text: then the editor
    has not yet noticed that a program changed the file.

    Args:
        path: the real path.
        name: the path as the model is told it.

    Returns:
        None when there is no such file, neither on disk nor in the editor.

    Raises:
        ToolFault: it is a directory, no text, too large, or cannot be read.
    """
    on_disk = _load_from_disk(path, name)
    if editor_document is None:
        return on_disk
    text = editor_document.text
    bom = text.startswith(BOM) or (on_disk is not None and on_disk.bom)
    shown = FileText(
        text.removeprefix(BOM), bom, editor_document, on_disk.stamp if on_disk is not None else None
    )
    if on_disk is None:
        return shown
    if lf_view(on_disk.text) == lf_view(shown.text):
        return replace(shown, document=replace(editor_document, dirty=False))
    return shown if editor_document.dirty else on_disk


def check_regular(path: Path, name: str) -> int | None:
    """The size of a regular file in bytes; None when there is none.

    Raises:
        ToolFault: it is something else, or it cannot be looked at.
    """
    try:
        stat = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        raise ToolFault(f"{name} cannot be read: {reason(fault)}.") from fault
    if S_ISDIR(stat.st_mode):
        raise ToolFault(f"{name} is a directory; use `ls` to see what is in it.")
    if not S_ISREG(stat.st_mode):
        raise ToolFault(f"{name} is no regular file (a device, pipe or socket).")
    return stat.st_size


def reason(fault: OSError) -> str:
    """Why the system refused, in its own words, for the middle of a sentence."""
    words = fault.strerror or type(fault).__name__
    return words[:1].lower() + words[1:]


def _load_from_disk(path: Path, name: str) -> FileText | None:
    size = check_regular(path, name)
    if size is None:
        return None
    if size > MAX_EDIT_BYTES:
        raise ToolFault(
            f"{name} is too large to change with this tool ({readable_size(size)}); "
            "use a command instead."
        )
    stamp = FileStamp.of(path)
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ToolFault(f"{name} cannot be read: {reason(fault)}.") from fault
    if is_binary(data):
        raise ToolFault(f"{name} is a binary file, not text.")
    text = data.decode("utf-8", "surrogateescape")
    return FileText(text.removeprefix(BOM), text.startswith(BOM), stamp=stamp)
