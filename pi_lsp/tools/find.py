"""The tool `find`: files and folders by a glob."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from pydantic import Field

from pi_lsp.tools.arguments import TextArgument
from pi_lsp.tools.globs import Glob
from pi_lsp.tools.path_tool import LookParameters, LookTool
from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.search_programs import ProgramFailed, fd_for, records
from pi_lsp.tools.threads import StopFlag, in_thread
from pi_lsp.tools.tool import ToolContext, ToolFault, ToolResult
from pi_lsp.tools.truncation import MAX_BYTES_TEXT, LineList
from pi_lsp.tools.walk import order_of, walk

DEFAULT_LIMIT = 1000


class FindParameters(LookParameters, frozen=True):
    pattern: TextArgument = Field(
        min_length=1,
        description="A glob: `*.py` for names, `src/**/*.ts` for paths, `./*.md` for the top only",
    )
    limit: int | None = Field(
        default=None, ge=1, description=f"How many to give ({DEFAULT_LIMIT} by default)"
    )


class Find(LookTool[FindParameters]):
    name = "find"
    description = (
        "Find files and folders by a glob, hidden ones included, those that .gitignore leaves out "
        "not. Folders end with a slash."
    )
    Parameters = FindParameters

    def deed(self, parameters: FindParameters) -> str:
        return f"Find {parameters.pattern} in"

    async def run(self, parameters: FindParameters, context: ToolContext) -> ToolResult:
        root = locate(parameters.path or ".", context.folder).real
        if not root.exists():
            raise ToolFault(f"{shown(root, context.folder)} does not exist.")
        if not root.is_dir():
            raise ToolFault(f"{shown(root, context.folder)} is a file; `find` takes a folder.")
        pattern = Glob(parameters.pattern)
        limit = parameters.limit or DEFAULT_LIMIT
        found, more = await in_thread(
            lambda flag: _find(root, context.folder, pattern, limit, flag)
        )
        return ToolResult.of_text(_text(found, more, limit))


def _find(
    root: Path, workspace: Path, pattern: Glob, limit: int, flag: StopFlag
) -> tuple[list[str], bool]:
    """The first matches, and whether there are more."""
    entries = _with_fd(root, workspace, pattern, flag)
    if entries is None:
        entries = _with_walk(root, workspace, pattern, flag)
    found = list(islice(entries, limit + 1))
    names = [_shown(root, workspace, one) for one in found[:limit]]
    return names, len(found) > limit


def _with_walk(root: Path, workspace: Path, pattern: Glob, flag: StopFlag) -> Iterator[str]:
    for one in walk(root, workspace, flag):
        if pattern.matches(one.relative):
            yield one.relative + ("/" if one.is_folder else "")


def _with_fd(root: Path, workspace: Path, pattern: Glob, flag: StopFlag) -> Iterator[str] | None:
    """The same by fd, which lists everything; None when it is not there or did not work."""
    program = fd_for(root, workspace)
    if program is None:
        return None
    found: list[str] = []
    arguments = [*program, "--print0", "--", "", "."]
    try:
        with closing(records(arguments, root, b"\0", flag)) as entries:
            for entry in entries:
                relative = os.fsdecode(entry).removeprefix("./").replace(os.sep, "/")
                if pattern.matches(relative.rstrip("/")):
                    found.append(relative)
    except ProgramFailed:
        return None
    return iter(sorted(found, key=order_of))


def _shown(root: Path, workspace: Path, relative: str) -> str:
    return shown(root / relative, workspace) + ("/" if relative.endswith("/") else "")


def _text(found: list[str], more: bool, limit: int) -> str:
    if not found:
        return "[Nothing found.]"
    lines = LineList(max_lines=limit)
    for name in found:
        if not lines.add(name):
            break
    text = "\n".join(lines.lines)
    if lines.full:
        return f"{text}\n\n[{MAX_BYTES_TEXT} are shown; use a narrower pattern.]"
    if more:
        return f"{text}\n\n[{limit} are shown, there are more; narrow the pattern or raise limit.]"
    return text
