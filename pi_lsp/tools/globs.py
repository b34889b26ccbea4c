"""Globs on names and paths, as people write them for searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_lsp.tools.tool import ToolFault

if TYPE_CHECKING:
    from wcmatch.glob import WcMatcher

_MAX_ALTERNATIVES = 1000


class Glob:
    """A glob on paths relative to the folder that is searched, with `/`.

    Without a slash it means names at any depth; with one, paths that end so at any depth; with
    `/` or `./` in front, paths from the searched folder on. A leading `!` means all others.

    Raises:
        ToolFault: it is empty, or stands for too many patterns.
    """

    def __init__(self, pattern: str) -> None:
        self._negated = pattern.startswith("!")
        pattern = pattern.removeprefix("!").strip()
        anchored = pattern.startswith(("/", "./"))
        pattern = pattern.removeprefix("./").lstrip("/").rstrip("/")
        if not pattern:
            raise ToolFault("The glob is empty.")
        if not anchored and not pattern.startswith("**/"):
            pattern = f"**/{pattern}"
        self._matcher = _compiled(pattern)

    def matches(self, path: str) -> bool:
        """Whether a relative path matches."""
        return self._matcher.match(path) != self._negated


def _compiled(pattern: str) -> WcMatcher[str]:
    from wcmatch import glob

    flags = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.FORCEUNIX
    try:
        return glob.compile(pattern, flags=flags, limit=_MAX_ALTERNATIVES)
    except Exception as fault:
        raise ToolFault(f"The glob cannot be used: {fault}") from fault
