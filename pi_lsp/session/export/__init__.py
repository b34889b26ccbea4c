"""Exports: a session as Markdown, as one static HTML file, or as JSONL.

Markdown and HTML show the active path as people see it, all of it: what was compacted too, and
without context edits. JSONL is the file as it stands, every branch and damaged line included.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pi_lsp.errors import InvalidArgumentError, StorageError
from pi_lsp.session.disk_file import reason, write_whole
from pi_lsp.session.export.transcript import Transcript, transcript_of
from pi_lsp.session.header import file_name, now_iso
from pi_lsp.session.session import Session

ExportFormat = Literal["html", "markdown", "jsonl"]

_SUFFIXES: dict[ExportFormat, str] = {"html": ".html", "markdown": ".md", "jsonl": ".jsonl"}


def export(session: Session, format: ExportFormat, path: Path | None = None) -> Path:
    """Writes a session to a file of its own, readable for its owner only.

    Args:
        path: relative to the workspace folder; a file of that name is replaced. None: a new file
            in the workspace folder.

    Returns:
        the file that was written.

    Raises:
        InvalidArgumentError: the path is that of a session or of a folder, or none at all.
        StorageError: the disk refused.
    """
    target = _target(session, format, path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, _content(session, format))
    except OSError as error:
        raise StorageError(f"{target} cannot be written: {reason(error)}.") from error
    return target


def _target(session: Session, format: ExportFormat, path: Path | None) -> Path:
    """The file to write.

    Raises:
        InvalidArgumentError: see `export`.
    """
    if path is None:
        return _free(session, format)
    try:
        target = session.folder / path.expanduser()
        is_folder, place = target.is_dir(), target.resolve()
    except OSError as error:
        raise InvalidArgumentError(f"There is no such path: {reason(error)}.") from error
    except (RuntimeError, ValueError) as error:
        # `~nobody`, links that lead in a circle, or characters that no path holds.
        raise InvalidArgumentError(f"There is no such path: {error}.") from error
    if is_folder:
        raise InvalidArgumentError(f"{target} is a folder: name a file to export to.")
    if place.is_relative_to(session.file.parent):
        raise InvalidArgumentError(f"{target} lies among the sessions: choose another place.")
    return target


def markdown_of(session: Session) -> str:
    """The active path as Markdown."""
    from pi_lsp.session.export.markdown import render

    return render(transcript_of(session))


def html_of(session: Session) -> str:
    """The active path as one static HTML page."""
    from pi_lsp.session.export.html import render

    return render(transcript_of(session))


def _content(session: Session, format: ExportFormat) -> Iterable[bytes]:
    if format == "jsonl":
        return session.blocks()
    return [(markdown_of if format == "markdown" else html_of)(session).encode()]


def _free(session: Session, format: ExportFormat) -> Path:
    """A name in the workspace folder that no file has."""
    stem = Path(file_name(session.id, now_iso())).stem
    return session.folder / f"pi-session-{stem}{_SUFFIXES[format]}"


__all__ = ["ExportFormat", "Transcript", "export", "html_of", "markdown_of", "transcript_of"]
