"""How the matches of a search are shown: bounded, and saying what is left out."""

from __future__ import annotations

from pathlib import Path

from pi_lsp.tools.line_search import FileMatches, Line
from pi_lsp.tools.paths import shown
from pi_lsp.tools.truncation import MAX_BYTES_TEXT, LineList

_MAX_LINE = 500
"""Characters of a line that are shown."""


class GrepResults:
    """Collects matches as long as they fit.

    Args:
        workspace: the workspace folder; files in it are named from there on.
        limit: how many matches are shown.
    """

    def __init__(self, workspace: Path, limit: int) -> None:
        self._workspace = workspace
        self._limit = limit
        self._lines = LineList()
        self._matches = 0
        self._more = False
        self._cut = False

    def add(self, file: FileMatches) -> bool:
        """Add the matches of a file; False when no more fit."""
        name = shown(file.path, self._workspace)
        last: int | None = None
        for line in file.lines:
            if line.is_match and self._matches == self._limit:
                self._more = True
                return False
            apart = last is not None and line.number > last + 1 and self._has_context(file)
            last = line.number
            if apart and not self._lines.add("--"):
                return False
            if not self._lines.add(self._shown(name, line)):
                return False
            self._matches += line.is_match
        return True

    def text(self) -> str:
        """All of it, as the model is told."""
        if not self._lines.lines:
            return "[No matches.]"
        notes: list[str] = []
        if self._lines.full:
            notes.append(f"Only {MAX_BYTES_TEXT} or {self._lines.max_lines} lines are shown.")
        elif self._more:
            notes.append(
                f"{self._limit} matches are shown, there are more: narrow the search or raise it."
            )
        if self._cut:
            notes.append(f"Lines are cut at {_MAX_LINE} characters.")
        note = f"\n\n[{' '.join(notes)}]" if notes else ""
        return "\n".join(self._lines.lines) + note

    def _has_context(self, file: FileMatches) -> bool:
        return any(not line.is_match for line in file.lines)

    def _shown(self, name: str, line: Line) -> str:
        mark = ":" if line.is_match else "-"
        text = line.text
        if len(text) > _MAX_LINE:
            text = f"{text[:_MAX_LINE]} …"
            self._cut = True
        return f"{name}{mark}{line.number}{mark} {text}"
