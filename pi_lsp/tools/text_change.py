"""Changing one file's text, for `edit` and `write`: planned, shown to the person, then done.

An open document is changed through the editor, any other file on disk. The plan is made anew
when the call runs: the file may have changed while the person was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pi_lsp.messages import JsonObject
from pi_lsp.tools import new_diagnostics
from pi_lsp.tools.diff import SHORT_BYTES, first_changed_line, unified_diff
from pi_lsp.tools.disk import replace_file
from pi_lsp.tools.editor import EditOutcome, OpenDocument
from pi_lsp.tools.files import FileStamp
from pi_lsp.tools.paths import shown
from pi_lsp.tools.text_file import BOM, FileText, encode, lf_view, reason
from pi_lsp.tools.threads import in_thread
from pi_lsp.tools.tool import Preview, ToolContext, ToolFault, ToolResult
from pi_lsp.tools.truncation import cut_head

_MAX_TEXT_AFTER_REFUSAL = 8 * 1024
"""Bytes of the current text that the model is shown when the editor did not take an edit."""


@dataclass(frozen=True)
class TextChange:
    """What a call makes of a file.

    Attributes:
        path: the real path.
        before: the file as it is; None when it is a new one.
        after: its new text, without a BOM.
        done: what was done, for the result: "Edited", "Wrote 12 bytes to".
    """

    path: Path
    before: FileText | None
    after: str
    done: str

    @property
    def text_before(self) -> str:
        return "" if self.before is None else self.before.text


def preview_of(change: TextChange, title: str, folder: Path) -> Preview:
    """The change as the person is asked about it."""
    name = shown(change.path, folder)
    before, after = _readable(change.text_before), _readable(change.after)
    return Preview(f"{title} {name}", before, after, unified_diff(before, after, name))


async def apply(change: TextChange, context: ToolContext) -> ToolResult:
    """Do it.

    Raises:
        ToolFault: the editor or the disk refused; nothing was changed.
    """
    document = change.before.document if change.before is not None else None
    name = shown(change.path, context.folder)
    if document is None:
        await in_thread(lambda _flag: _write_to_disk(change, name))
        context.files.remember(change.path)
        text, details = _report(change, name, change.after, [])
        return ToolResult.of_text(text, details=details)
    known = await new_diagnostics.known(context.editor, change.path)
    outcome = await context.editor.replace(document, _for_editor(change, document))
    _check_applied(outcome, document, name)
    now = context.editor.document(change.path)
    context.files.remember(change.path, None if outcome.saved else now)
    text, details = _report(change, name, outcome.text.removeprefix(BOM), _notes(outcome, document))
    found = await new_diagnostics.wait_for_new(context.editor, change.path, known)
    if found:
        text += f"\n\nNew findings in {name} after this change:\n" + "\n".join(found)
    return ToolResult.of_text(text, details=details)


def _write_to_disk(change: TextChange, name: str) -> None:
    stamp = change.before.stamp if change.before is not None else None
    if FileStamp.of(change.path) != stamp:
        raise ToolFault(f"{name} changed on disk at this very moment; read it again.")
    data = encode(change.after) if change.before is None else change.before.encoded(change.after)
    try:
        replace_file(change.path, data)
    except OSError as fault:
        raise ToolFault(f"{name} cannot be written: {reason(fault)}.") from fault


def _for_editor(change: TextChange, document: OpenDocument) -> str:
    """The new text with a BOM where the editor shows one."""
    return (BOM if document.text.startswith(BOM) else "") + change.after


def _check_applied(outcome: EditOutcome, document: OpenDocument, name: str) -> None:
    if outcome.applied:
        return
    why = outcome.failure or "it does not show the new text"
    message = f"The editor did not take the change of {name}: {why}."
    if lf_view(outcome.text) != lf_view(document.text):
        now = cut_head(outcome.text, _MAX_TEXT_AFTER_REFUSAL)
        cut = "" if now == outcome.text else "\n[The rest is left out.]"
        message += f" Its text is now:\n\n{now}{cut}"
    else:
        message += " Its text is as it was before."
    raise ToolFault(message)


def _notes(outcome: EditOutcome, document: OpenDocument) -> list[str]:
    if outcome.saved:
        return []
    if document.dirty:
        return [
            "The file is open in the editor with unsaved changes, so it was not saved: commands "
            "still see the old text."
        ]
    return ["The editor shows the change but has not saved it: commands still see the old text."]


def _report(
    change: TextChange, name: str, text_now: str, notes: list[str]
) -> tuple[str, JsonObject]:
    """What is said of a change that was done: for the model, and as details."""
    before, after = _readable(change.text_before), _readable(change.after)
    details: JsonObject = {
        "path": str(change.path),
        "created": change.before is None,
        "diff": unified_diff(before, after, name),
    }
    line = first_changed_line(before, after)
    if line is not None:
        details["firstChangedLine"] = line
    parts = [f"{change.done} {name}.", *notes]
    if change.before is not None:
        parts.append(unified_diff(before, after, name, SHORT_BYTES).rstrip("\n"))
    if lf_view(text_now) != lf_view(change.after):
        parts.append(
            "Saving changed the text further (a formatter, perhaps):\n"
            + unified_diff(after, _readable(text_now), name, SHORT_BYTES).rstrip("\n")
        )
    return "\n\n".join(part for part in parts if part), details


def _readable(text: str) -> str:
    """Without the marks of bytes that are no UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
