"""Code actions: what is offered where."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from pi_lsp.server.lsp.code_actions import EXPLAIN, FIX, code_actions

URI = "file:///w/a.py"


def span(first: int, last: int, character: int = 0) -> types.Range:
    return types.Range(types.Position(first, character), types.Position(last, character))


def offered(
    where: types.Range,
    diagnostics: list[types.Diagnostic] | None = None,
    only: list[types.CodeActionKind | str] | None = None,
    literals: bool = True,
) -> list[types.CodeAction | types.Command]:
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(URI),
        where,
        types.CodeActionContext(diagnostics or [], only=only),
    )
    return code_actions(params, "file:///w", literals=literals)


BROKEN = types.Diagnostic(span(4, 4, 2), "undefined name `x`", source="lint")


def test_a_selection_can_be_explained_and_fixed() -> None:
    assert [one.title for one in offered(span(1, 3))] == [EXPLAIN, FIX]


def test_nothing_is_offered_where_nothing_is() -> None:
    assert offered(span(1, 1)) == []


def test_a_diagnostic_can_be_fixed_and_explained_and_is_attached() -> None:
    fix, explain = offered(span(4, 4), [BROKEN])
    assert (fix.title, explain.title) == (FIX, EXPLAIN)
    assert isinstance(fix, types.CodeAction)
    assert fix.kind == types.CodeActionKind.QuickFix
    assert fix.diagnostics == [BROKEN]
    command = fix.command
    assert command is not None
    assert command.command == "pi-lsp.prompt"
    arguments: Any = (command.arguments or [None])[0]
    assert arguments["workspace"] == "file:///w"
    assert "line 5: undefined name `x` (lint)" in arguments["text"]
    assert arguments["attachments"] == [
        {
            "uri": URI,
            "range": {
                "start": {"line": 4, "character": 0},
                "end": {"line": 4, "character": 2},
            },
        }
    ]


@pytest.mark.parametrize(
    ("only", "titles"),
    [
        ([types.CodeActionKind.QuickFix], [FIX]),
        ([types.CodeActionKind.Refactor], [EXPLAIN]),
        (["source.fixAll"], []),
        ([""], [EXPLAIN, FIX]),
    ],
)
def test_only_the_kinds_that_are_asked_for(
    only: list[types.CodeActionKind | str], titles: list[str]
) -> None:
    assert [one.title for one in offered(span(1, 3), only=only)] == titles


def test_an_old_editor_gets_commands() -> None:
    actions = offered(span(1, 3), literals=False)
    assert all(isinstance(one, types.Command) for one in actions)
