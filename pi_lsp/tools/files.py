"""What the agent knows of files: how each was when it last read or wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_lsp.tools.editor import OpenDocument


@dataclass(frozen=True)
class FileStamp:
    """How a file was when the agent last saw it: mtime in ns, size in bytes."""

    mtime_ns: int
    size: int

    @classmethod
    def of(cls, path: Path) -> FileStamp | None:
        """The stamp of a file now; None when there is none."""
        try:
            stat = path.stat()
        except OSError:
            return None
        return cls(stat.st_mtime_ns, stat.st_size)


@dataclass(frozen=True)
class _Seen:
    """`unsaved` is a hash of the text that only the editor had; None when the disk had it too."""

    stamp: FileStamp | None
    unsaved: int | None


@dataclass
class FileMemory:
    """Keys are real paths, so that two names of one file are one file."""

    _seen: dict[Path, _Seen] = field(default_factory=dict[Path, _Seen])

    def remember(
        self, path: Path, document: OpenDocument | None = None, stamp: FileStamp | None = None
    ) -> None:
        """The agent has just read or written this file.

        Args:
            document: the open document, where its text was what the agent saw.
            stamp: how the file was before it was read; None to look now.
        """
        self._seen[path] = _Seen(stamp or FileStamp.of(path), _unsaved(document))

    def changed_since_seen(self, path: Path, document: OpenDocument | None = None) -> bool:
        """Whether a file that the agent has seen is another one now, on disk or in the editor."""
        seen = self._seen.get(path)
        if seen is None:
            return False
        return FileStamp.of(path) != seen.stamp or _unsaved(document) not in (None, seen.unsaved)


def _unsaved(document: OpenDocument | None) -> int | None:
    return hash(document.text) if document is not None and document.dirty else None
