"""The tool `diagnostics`: what the editor's language servers say of the code."""

from __future__ import annotations

from pathlib import Path

from pi_lsp.tools.editor import FileDiagnostics
from pi_lsp.tools.new_diagnostics import line_of
from pi_lsp.tools.path_tool import LookParameters, LookTool
from pi_lsp.tools.paths import is_inside, locate, shown
from pi_lsp.tools.tool import ToolContext, ToolFault, ToolResult
from pi_lsp.tools.truncation import MAX_BYTES_TEXT, MAX_LINES, LineList


class Diagnostics(LookTool[LookParameters]):
    name = "diagnostics"
    description = (
        "Errors and warnings that the editor's language servers found, for files that they have "
        "looked at (mostly the open ones)."
    )
    Parameters = LookParameters

    def deed(self, parameters: LookParameters) -> str:
        return "See the findings in"

    async def run(self, parameters: LookParameters, context: ToolContext) -> ToolResult:
        if not context.editor.has_diagnostics:
            raise ToolFault("The editor does not tell what its language servers find.")
        path = locate(parameters.path or ".", context.folder).real
        if not path.exists() and context.editor.document(path) is None:
            raise ToolFault(f"{shown(path, context.folder)} does not exist.")
        wanted = None if path.is_dir() else [path]
        files = await context.editor.diagnostics(wanted)
        inside = [file for file in files if is_inside(file.path, path)]
        return ToolResult.of_text(_text(inside, context.folder))


def _text(files: list[FileDiagnostics], folder: Path) -> str:
    lines = LineList()
    for file in sorted(files, key=lambda one: one.path):
        name = shown(file.path, folder)
        for item in sorted(file.items, key=lambda one: (one.line, one.column)):
            lines.add(f"{name}:{line_of(item)}")
    if not lines.lines:
        return "No findings."
    text = "\n".join(lines.lines)
    if lines.full:
        text += f"\n\n[Only {MAX_LINES} findings or {MAX_BYTES_TEXT} are shown; ask for one file.]"
    return text
