"""What a change broke: the editor's findings of a file after it, without those from before."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from pi_lsp.tools.editor import Diagnostic, Editor, FileDiagnostics

_POLL_S = 0.1
_WAIT_S = 2.0
"""How long the editor's servers may take to look at a changed file."""
_WAIT_UNKNOWN_S = 0.5
"""The same where nothing says that any server looks at this file at all."""
_MAX_FINDINGS = 20

Known = FileDiagnostics | None


async def known(editor: Editor, path: Path) -> Known:
    """What the editor says of a file before a change; None when it says nothing."""
    if not editor.has_diagnostics:
        return None
    return next((one for one in await editor.diagnostics([path]) if one.path == path), None)


async def wait_for_new(editor: Editor, path: Path, before: Known) -> list[str]:
    """The errors and warnings that a change brought, one line each.

    Waits until the editor's servers have looked at the text as it is now, but not long. Where
    they do not say which version they speak of, whatever differs from before counts.
    """
    if not editor.has_diagnostics:
        return []
    loop = asyncio.get_running_loop()
    until = loop.time() + (_WAIT_UNKNOWN_S if before is None else _WAIT_S)
    while True:
        now = await known(editor, path)
        if now is not None and _is_current(now, before, editor, path):
            return _new_lines(now, before)
        if loop.time() >= until:
            return []
        await asyncio.sleep(_POLL_S)


def line_of(item: Diagnostic) -> str:
    """A finding as one line, without the file's name: place, severity, message, source."""
    origin = " ".join(part for part in (item.source, item.code) if part)
    message = " ".join(item.message.split())
    return f"{item.line}:{item.column} {item.severity}: {message}" + (
        f" ({origin})" if origin else ""
    )


def _is_current(now: FileDiagnostics, before: Known, editor: Editor, path: Path) -> bool:
    document = editor.document(path)
    if now.version is not None and document is not None:
        return now.version >= document.version
    return before is None or now.items != before.items


def _new_lines(now: FileDiagnostics, before: Known) -> list[str]:
    old = (
        Counter(_identity(item) for item in before.items)
        if before is not None
        else Counter[object]()
    )
    new: list[str] = []
    for item in now.items:
        if item.severity not in ("error", "warning"):
            continue
        if old[_identity(item)] > 0:
            old[_identity(item)] -= 1  # it was there before, perhaps on another line
            continue
        new.append(line_of(item))
    more = len(new) - _MAX_FINDINGS
    return new if more <= 0 else [*new[:_MAX_FINDINGS], f"[{more} more]"]


def _identity(item: Diagnostic) -> tuple[object, ...]:
    """What makes two findings the same one, wherever it moved."""
    return item.severity, item.message, item.source, item.code
