"""The tool `write`: a whole file."""

from __future__ import annotations

from pydantic import Field

from pi_lsp.tools.characters import without_lone_surrogates
from pi_lsp.tools.path_tool import FileParameters, FileTool
from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.text_change import TextChange, apply, preview_of
from pi_lsp.tools.text_file import BOM, FileText, load
from pi_lsp.tools.threads import in_thread
from pi_lsp.tools.tool import Preview, ToolContext, ToolFault, ToolResult
from pi_lsp.tools.truncation import readable_size, size_of


class WriteParameters(FileParameters, frozen=True):
    content: str = Field(description="The whole text of the file")


class Write(FileTool[WriteParameters]):
    name = "write"
    description = (
        "Write a whole file: a new one, with the folders it needs, or in place of what is there. "
        "Use `edit` to change a part of a file."
    )
    Parameters = WriteParameters
    kind = "write"

    async def preview(self, parameters: WriteParameters, context: ToolContext) -> Preview:
        change = await self._plan(parameters, context)
        title = "Create" if change.before is None else "Overwrite"
        return await in_thread(lambda _flag: preview_of(change, title, context.folder))

    async def run(self, parameters: WriteParameters, context: ToolContext) -> ToolResult:
        change = await self._plan(parameters, context)
        if change.before is not None and change.after == change.before.text:
            context.files.remember(change.path, change.before.document)
            return ToolResult.of_text(
                f"{shown(change.path, context.folder)} has this text already; nothing was changed."
            )
        return await apply(change, context)

    async def _plan(self, parameters: WriteParameters, context: ToolContext) -> TextChange:
        path = locate(parameters.path, context.folder).real
        name = shown(path, context.folder)
        document = context.editor.document(path)
        content = without_lone_surrogates(parameters.content)

        def plan() -> TextChange:
            before = load(path, name, document)
            if before is None:
                size = size_of(content)
                return TextChange(path, None, content, f"Wrote {readable_size(size)} to new file")
            if context.files.changed_since_seen(path, before.document):
                raise ToolFault(
                    f"{name} has changed since you read it and is not overwritten; read it again."
                )
            after = _like(before, content)
            size = len(before.encoded(after))
            return TextChange(path, before, after, f"Wrote {readable_size(size)} to")

        return await in_thread(lambda _flag: plan())


def _like(before: FileText, content: str) -> str:
    """The content with what the model is never shown of a file: its BOM and its CRLF.

    Line ends are those of the content, unless it has only LF and the file has only CRLF.
    """
    content = content.removeprefix(BOM)
    crlf = before.text.count("\r\n")
    only_crlf = crlf > 0 and before.text.count("\n") == crlf
    return content.replace("\n", "\r\n") if only_crlf and "\r" not in content else content
