"""Results are cut: at 2000 lines or 50 KB, whichever comes first, and never inside a character."""

from __future__ import annotations

from dataclasses import dataclass

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
MAX_BYTES_TEXT = "50 KB"


def cut_head(text: str, max_bytes: int) -> str:
    """The beginning of a text that fits into so many bytes of UTF-8."""
    if len(text) * 4 <= max_bytes:
        return text
    data = text.encode("utf-8", "replace")
    return text if len(data) <= max_bytes else data[:max_bytes].decode("utf-8", "ignore")


def cut_tail(text: str, max_bytes: int) -> str:
    """The end of a text that fits into so many bytes of UTF-8."""
    if len(text) * 4 <= max_bytes:
        return text
    data = text.encode("utf-8", "replace")
    return text if len(data) <= max_bytes else data[-max_bytes:].decode("utf-8", "ignore")


def size_of(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def readable_size(size: int) -> str:
    """A number of bytes for people."""
    if size < 1024:
        return f"{size} bytes"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KB"
    return f"{size / (1024 * 1024):.1f} MB"


@dataclass
class LineList:
    """Collects lines of a result as long as they fit; `full` says that one did not."""

    max_lines: int = MAX_LINES
    max_bytes: int = MAX_BYTES
    full: bool = False

    def __post_init__(self) -> None:
        self.lines: list[str] = []
        self._bytes = 0

    def add(self, line: str) -> bool:
        """Add a line; False, and nothing added, when it does not fit any more."""
        size = size_of(line) + 1
        if len(self.lines) >= self.max_lines or self._bytes + size > self.max_bytes:
            self.full = True
            return False
        self.lines.append(line)
        self._bytes += size
        return True
