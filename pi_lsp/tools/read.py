"""The tool `read`: lines of a text file, or a picture."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from pi_lsp.pictures import picture_type
from pi_lsp.tools.editor import OpenDocument
from pi_lsp.tools.files import FileStamp
from pi_lsp.tools.path_tool import FileParameters, FileTool
from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.pictures import MAX_PICTURE_BYTES, picture_block, too_large
from pi_lsp.tools.reading import LineRange, lines_of_file, lines_of_text
from pi_lsp.tools.text_file import check_regular, load, reason
from pi_lsp.tools.threads import StopFlag, in_thread
from pi_lsp.tools.tool import Preview, ToolContext, ToolFault, ToolResult
from pi_lsp.tools.truncation import MAX_BYTES_TEXT, MAX_LINES


class ReadParameters(FileParameters, frozen=True):
    offset: int | None = Field(default=None, ge=1, description="First line to read, from 1")
    limit: int | None = Field(default=None, ge=1, description="How many lines to read")


class Read(FileTool[ReadParameters]):
    name = "read"
    description = (
        "Read a file. Text is given as it stands in the editor, at most 2000 lines or 50 KB at a "
        "time: use offset and limit for long files. Pictures (png, jpeg, gif, webp) are shown."
    )
    Parameters = ReadParameters
    kind = "read"

    async def preview(self, parameters: ReadParameters, context: ToolContext) -> Preview:
        path = locate(parameters.path, context.folder).real
        return Preview(f"Read {shown(path, context.folder)}")

    async def run(self, parameters: ReadParameters, context: ToolContext) -> ToolResult:
        path = locate(parameters.path, context.folder).real
        name = shown(path, context.folder)
        document = context.editor.document(path)
        stamp = FileStamp.of(path)
        reading = _Reading(path, name, document, parameters.offset or 1, parameters.limit)
        result, seen = await in_thread(reading.do)
        context.files.remember(path, seen, stamp)
        return result


class _Reading:
    """One read, in a thread."""

    def __init__(
        self, path: Path, name: str, document: OpenDocument | None, offset: int, limit: int | None
    ) -> None:
        self._path = path
        self._name = name
        self._document = document
        self._offset = offset
        self._limit = limit

    def do(self, flag: StopFlag) -> tuple[ToolResult, OpenDocument | None]:
        """The result, and the open document when that was what was read."""
        if self._document is not None:
            text = load(self._path, self._name, self._document)
            if text is not None and text.document is not None:
                lines = lines_of_text(text.text, self._offset, self._line_limit)
                return self._text_result(lines, text.unsaved), text.document
        return self._read_disk(flag), None

    @property
    def _line_limit(self) -> int:
        return min(self._limit or MAX_LINES, MAX_LINES)

    def _read_disk(self, flag: StopFlag) -> ToolResult:
        size = check_regular(self._path, self._name)
        if size is None:
            raise ToolFault(f"{self._name} does not exist; use `find` or `ls` to look for it.")
        media_type = picture_type(self._beginning())
        if media_type is not None:
            return self._picture(media_type, size)
        lines = lines_of_file(self._path, self._name, self._offset, self._line_limit, flag)
        return self._text_result(lines, unsaved=False)

    def _beginning(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                return file.read(16)
        except OSError as fault:
            raise ToolFault(f"{self._name} cannot be read: {reason(fault)}.") from fault

    def _picture(self, media_type: str, size: int) -> ToolResult:
        if size > MAX_PICTURE_BYTES:
            raise too_large(size, self._name)
        block, label = picture_block(self._path.read_bytes(), media_type, self._name)
        return ToolResult([{"type": "text", "text": label}, block])

    def _text_result(self, lines: LineRange, unsaved: bool) -> ToolResult:
        notes = list(self._notes(lines))
        if unsaved:
            notes.insert(0, "This is the editor's text; it has changes that are not saved to disk.")
        text = "\n".join([*lines.lines, *_bracketed(notes, after_text=bool(lines.lines))])
        return ToolResult.of_text(text)

    def _notes(self, lines: LineRange) -> list[str]:
        if not lines.lines:
            if self._offset > 1:
                raise ToolFault(
                    f"Line {self._offset} is past the end: {self._name} has {lines.total} lines."
                )
            return ["The file is empty."]
        last = self._offset + len(lines.lines) - 1
        if lines.cut:
            after = f" Go on after it with offset={last + 1}." if lines.more else ""
            return [
                f"Only the first {MAX_BYTES_TEXT} of line {last} are shown; "
                f"use a command to see the rest of it.{after}"
            ]
        if not lines.more:
            return []
        of = "" if lines.total is None else f" of {lines.total}"
        return [f"Lines {self._offset}-{last}{of} are shown. Go on with offset={last + 1}."]


def _bracketed(notes: list[str], after_text: bool) -> list[str]:
    return ([""] if notes and after_text else []) + [f"[{note}]" for note in notes]
