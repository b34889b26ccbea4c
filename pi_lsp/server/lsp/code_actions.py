"""Code actions: from a selection or a diagnostic straight to a prompt, in every editor."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from pi_lsp.messages import JsonObject
from pi_lsp.server.protocol import COMMAND_PREFIX

EXPLAIN = "Explain with pi"
FIX = "Fix with pi"

_PROMPT_COMMAND = f"{COMMAND_PREFIX}prompt"


def code_actions(
    params: types.CodeActionParams, workspace: str, *, literals: bool
) -> list[types.CodeAction | types.Command]:
    """The actions for a range.

    Args:
        params: where, and which kinds the editor asks for.
        workspace: the URI of the folder that the prompt goes to.
        literals: whether the editor takes actions with a kind; else it gets bare commands.
    """
    uri, span = params.text_document.uri, params.range
    diagnostics = list(params.context.diagnostics)
    actions: list[types.CodeAction] = []
    if diagnostics:
        command = _prompt(FIX, _fix_text(diagnostics), workspace, uri, _span(diagnostics, span))
        actions.append(_action(FIX, types.CodeActionKind.QuickFix, command, diagnostics))
    if span.start != span.end:
        text = "Explain the attached code: what it does, how, and what to watch out for."
        command = _prompt(EXPLAIN, text, workspace, uri, span)
        actions.append(_action(EXPLAIN, types.CodeActionKind.Refactor, command))
        if not diagnostics:
            text = "Find what is wrong with the attached code and fix it."
            command = _prompt(FIX, text, workspace, uri, span)
            actions.append(_action(FIX, types.CodeActionKind.QuickFix, command))
    elif diagnostics:
        text = f"Explain what this means and where it comes from:\n{_listed(diagnostics)}"
        command = _prompt(EXPLAIN, text, workspace, uri, _span(diagnostics, span))
        actions.append(_action(EXPLAIN, types.CodeActionKind.QuickFix, command, diagnostics))
    wanted = [one for one in actions if _is_wanted(one, params.context.only)]
    if literals:
        return list(wanted)
    return [one.command for one in wanted if one.command is not None]


def _fix_text(diagnostics: list[types.Diagnostic]) -> str:
    return f"Fix this in the attached code:\n{_listed(diagnostics)}"


def _listed(diagnostics: list[types.Diagnostic]) -> str:
    return "\n".join(
        f"- line {one.range.start.line + 1}: {one.message}"
        + (f" ({one.source})" if one.source else "")
        for one in diagnostics
    )


def _span(diagnostics: list[types.Diagnostic], span: types.Range) -> types.Range:
    """What to attach: the selection, and all that the diagnostics speak of."""
    starts = [span.start, *(one.range.start for one in diagnostics)]
    ends = [span.end, *(one.range.end for one in diagnostics)]
    return types.Range(
        min(starts, key=lambda at: (at.line, at.character)),
        max(ends, key=lambda at: (at.line, at.character)),
    )


def _prompt(title: str, text: str, workspace: str, uri: str, span: types.Range) -> types.Command:
    attachment: JsonObject = {
        "uri": uri,
        "range": {
            "start": {"line": span.start.line, "character": span.start.character},
            "end": {"line": span.end.line, "character": span.end.character},
        },
    }
    arguments: JsonObject = {
        "workspace": workspace,
        "text": text,
        "attachments": [attachment],
        "whenBusy": "followUp",
    }
    return types.Command(title, _PROMPT_COMMAND, arguments=[arguments])


def _action(
    title: str,
    kind: types.CodeActionKind,
    command: types.Command,
    diagnostics: list[types.Diagnostic] | None = None,
) -> types.CodeAction:
    return types.CodeAction(title, kind=kind, diagnostics=diagnostics, command=command)


def _is_wanted(action: types.CodeAction, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether the editor asked for this kind, or for one that holds it."""
    if only is None:
        return True
    kind = _name(action.kind or "")
    return any(one in ("", kind) or kind.startswith(f"{one}.") for one in map(_name, only))


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
