"""The tool `edit`: exact replacements in one file."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import Field

from pi_lsp.messages import JsonObject
from pi_lsp.tools.characters import without_lone_surrogates
from pi_lsp.tools.path_tool import FileParameters, FileTool
from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.replacements import Replacement, replace_all
from pi_lsp.tools.text_change import TextChange, apply, preview_of
from pi_lsp.tools.text_file import load
from pi_lsp.tools.threads import in_thread
from pi_lsp.tools.tool import Preview, ToolContext, ToolFault, ToolParameters, ToolResult


class EditStep(ToolParameters, frozen=True):
    old_text: str = Field(description="The text to replace; it must be in the file once")
    new_text: str = Field(description="The text to put in its place")


class EditParameters(FileParameters, frozen=True):
    edits: list[EditStep] = Field(
        min_length=1,
        description="Replacements, all found in the file as it is now; they must not overlap",
    )


class Edit(FileTool[EditParameters]):
    name = "edit"
    description = (
        "Replace text in a file. Each oldText must be found exactly once, so give enough of the "
        "text around it, and no more than needed. Either all replacements are done or none."
    )
    Parameters = EditParameters
    kind = "write"

    @classmethod
    def prepare(cls, arguments: JsonObject) -> JsonObject:
        """Take the forms that models also send: `edits` as JSON text or a single object, and
        `oldText` and `newText` beside `path`."""
        edits: Any = arguments.get("edits")
        if isinstance(edits, str):
            edits = _from_json(edits)
        if isinstance(edits, dict):
            edits = [edits]
        single = {k: v for k, v in arguments.items() if k in _STEP_NAMES}
        if not edits and single:
            edits = [single]
        if isinstance(edits, list):
            edits = [
                _from_json(one) if isinstance(one, str) else one for one in cast(list[Any], edits)
            ]
        return {**arguments, "edits": edits}

    async def preview(self, parameters: EditParameters, context: ToolContext) -> Preview:
        change = await self._plan(parameters, context)
        return await in_thread(lambda _flag: preview_of(change, "Edit", context.folder))

    async def run(self, parameters: EditParameters, context: ToolContext) -> ToolResult:
        return await apply(await self._plan(parameters, context), context)

    async def _plan(self, parameters: EditParameters, context: ToolContext) -> TextChange:
        path = locate(parameters.path, context.folder).real
        name = shown(path, context.folder)
        document = context.editor.document(path)
        steps = [
            Replacement(
                without_lone_surrogates(one.old_text), without_lone_surrogates(one.new_text)
            )
            for one in parameters.edits
        ]

        def plan() -> TextChange:
            before = load(path, name, document)
            if before is None:
                raise ToolFault(f"{name} does not exist; use `write` to make it.")
            after = replace_all(before.text, steps, name)
            return TextChange(path, before, after, "Edited")

        return await in_thread(lambda _flag: plan())


_STEP_NAMES = ("oldText", "newText", "old_text", "new_text")


def _from_json(text: str) -> Any:
    """What JSON text says; the text itself when it is none, for validation to refuse."""
    try:
        return json.loads(text)
    except ValueError:
        return text
