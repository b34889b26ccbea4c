"""The tool `ls`: what is in a folder."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from pydantic import Field

from pi_lsp.tools.path_tool import LookParameters, LookTool
from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.text_file import reason
from pi_lsp.tools.threads import StopFlag, in_thread
from pi_lsp.tools.tool import ToolContext, ToolFault, ToolResult
from pi_lsp.tools.truncation import MAX_BYTES_TEXT, LineList

DEFAULT_LIMIT = 500
_MAX_ENTRIES = 100_000
"""So many entries are sorted; of a larger folder only a part is looked at."""


class LsParameters(LookParameters, frozen=True):
    limit: int | None = Field(
        default=None, ge=1, description=f"How many entries to list ({DEFAULT_LIMIT} by default)"
    )


class Ls(LookTool[LsParameters]):
    name = "ls"
    description = (
        "List a folder, sorted by name, hidden entries included; folders end with a slash."
    )
    Parameters = LsParameters

    def deed(self, parameters: LsParameters) -> str:
        return "List"

    async def run(self, parameters: LsParameters, context: ToolContext) -> ToolResult:
        path = locate(parameters.path or ".", context.folder).real
        name = shown(path, context.folder)
        limit = parameters.limit or DEFAULT_LIMIT
        return await in_thread(lambda flag: _list(path, name, limit, flag))


def _list(path: Path, name: str, limit: int, flag: StopFlag) -> ToolResult:
    entries, whole = _entries(path, name, flag)
    lines = LineList(max_lines=limit)
    for entry in entries:
        if not lines.add(entry):
            break
    if not lines.lines:
        return ToolResult.of_text("[The folder is empty.]")
    text = "\n".join(lines.lines)
    if lines.full or not whole:
        text += f"\n\n[{_note(len(lines.lines), len(entries), whole, limit)}]"
    return ToolResult.of_text(text)


def _note(shown_count: int, count: int, whole: bool, limit: int) -> str:
    total = str(count) if whole else f"more than {count}"
    how = "use a larger limit" if shown_count == limit else f"{MAX_BYTES_TEXT} are the most"
    return f"{shown_count} of {total} entries are shown; {how}."


def _entries(path: Path, name: str, flag: StopFlag) -> tuple[list[str], bool]:
    """Names in order, and whether these are all of the folder."""
    try:
        with os.scandir(path) as scan:
            found: list[str] = []
            for entry in islice(scan, _MAX_ENTRIES):
                flag.check()
                found.append(entry.name + ("/" if entry.is_dir() else ""))
            whole = next(scan, None) is None
    except FileNotFoundError as fault:
        raise ToolFault(f"{name} does not exist.") from fault
    except NotADirectoryError as fault:
        raise ToolFault(f"{name} is a file; use `read`.") from fault
    except OSError as fault:
        raise ToolFault(f"{name} cannot be listed: {reason(fault)}.") from fault
    return sorted(found, key=lambda entry: (entry.casefold(), entry)), whole
