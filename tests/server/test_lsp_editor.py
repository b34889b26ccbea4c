"""Edits, saves and diagnostics: what the editor reports is what counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.agent.events import Range
from pi_lsp.messages import JsonObject
from pi_lsp.server import lsp_editor
from pi_lsp.server.approvals import Approvals
from pi_lsp.server.lsp_editor import LspEditor
from pi_lsp.server.open_documents import DocumentChange, OpenDocuments, TextDocument
from pi_lsp.server.text_viewer import TextViewer
from pi_lsp.server.virtual_documents import VirtualDocuments
from pi_lsp.tools.editor import EditOutcome
from tests.server.conftest import FakeEditor


class Desk:
    """A file that the editor has open, and the agent's view of it."""

    def __init__(self, editor: FakeEditor, path: Path, text: str) -> None:
        path.write_text(text)
        self.path = path
        self.editor = editor
        self.documents = OpenDocuments()
        self.documents.open(path.as_uri(), text, 1)
        texts = VirtualDocuments(lambda *_: None)
        viewer = TextViewer(editor.client, texts)
        approvals = Approvals(editor.client, texts, viewer, lambda _: None)
        self.agent = LspEditor(editor.client, self.documents, approvals)
        editor.answers["workspace/applyEdit"] = self.apply
        editor.answers["pi/save"] = self.save

    @property
    def held(self) -> TextDocument:
        held = self.documents.at(self.path)
        assert held is not None
        return held

    def shows(self, text: str) -> None:
        """The editor reports another text."""
        self.held.change([DocumentChange(text)], self.held.version + 1)

    def apply(self, params: JsonObject) -> JsonObject:
        for edit in reversed(params["edit"]["documentChanges"][0]["edits"]):
            change = DocumentChange(edit["newText"], Range.model_validate(edit["range"]))
            self.held.change([change], self.held.version + 1)
        return {"applied": True}

    def save(self, params: JsonObject) -> JsonObject:
        self.path.write_text(self.held.text)
        self.held.saved()
        return {"saved": params["uris"]}

    async def replace(self, text: str) -> EditOutcome:
        document = self.agent.document(self.path)
        assert document is not None
        return await self.agent.replace(document, text)


MakeDesk = Callable[[str], Desk]


@pytest.fixture
def desk(editor: FakeEditor, tmp_path: Path) -> MakeDesk:
    return lambda text: Desk(editor, tmp_path / "a.txt", text)


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lsp_editor, "REPORT_TIMEOUT", 0.2)
    monkeypatch.setattr(lsp_editor, "ANSWER_TIMEOUT", 0.5)


async def test_a_clean_buffer_is_edited_and_saved(desk: MakeDesk) -> None:
    made = desk("one\ntwo\n")
    assert await made.replace("one\n2\n") == EditOutcome(True, "one\n2\n", saved=True)
    assert made.path.read_text() == "one\n2\n"
    sent = made.editor.asked[0][1]["edit"]["documentChanges"][0]
    assert sent["textDocument"] == {"uri": made.path.as_uri(), "version": 1}
    assert sent["edits"] == [
        {
            "range": {
                "start": {"line": 1, "character": 0},
                "end": {"line": 1, "character": 3},
            },
            "newText": "2",
        }
    ]


async def test_a_buffer_with_the_persons_own_changes_is_not_saved(desk: MakeDesk) -> None:
    made = desk("one\n")
    made.shows("mine\n")
    assert await made.replace("mine\nours\n") == EditOutcome(True, "mine\nours\n", saved=False)
    assert made.path.read_text() == "one\n"


async def test_a_refusal_is_told_in_the_editors_words(desk: MakeDesk) -> None:
    made = desk("one\n")
    made.editor.answers["workspace/applyEdit"] = lambda _: {
        "applied": False,
        "failureReason": "read-only",
    }
    assert await made.replace("two\n") == EditOutcome(False, "one\n", failure="read-only")


async def test_an_edit_that_was_said_to_be_made_and_was_not_is_noticed(desk: MakeDesk) -> None:
    made = desk("one\n")
    made.editor.answers["workspace/applyEdit"] = lambda _: {"applied": True}
    outcome = await made.replace("two\n")
    assert not outcome.applied
    assert outcome.text == "one\n"
    assert outcome.failure is not None


async def test_an_edit_that_was_made_though_the_editor_says_no_counts(desk: MakeDesk) -> None:
    made = desk("one\n")

    def apply(params: JsonObject) -> JsonObject:
        made.apply(params)
        return {"applied": False}

    made.editor.answers["workspace/applyEdit"] = apply
    assert (await made.replace("two\n")).applied


async def test_an_edit_that_is_reported_late_is_waited_for(desk: MakeDesk) -> None:
    import asyncio

    made = desk("one\n")

    def apply(params: JsonObject) -> JsonObject:
        asyncio.get_running_loop().call_later(0.05, made.apply, params)
        return {"applied": True}

    made.editor.answers["workspace/applyEdit"] = apply
    assert (await made.replace("two\n")).applied


async def test_a_document_that_changed_meanwhile_is_left_alone(desk: MakeDesk) -> None:
    made = desk("one\n")
    seen = made.agent.document(made.path)
    assert seen is not None
    made.shows("typed\n")
    outcome = await made.agent.replace(seen, "two\n")
    assert (outcome.applied, outcome.text) == (False, "typed\n")
    assert made.editor.asked == []


async def test_a_closed_document_is_left_alone(desk: MakeDesk) -> None:
    made = desk("one\n")
    seen = made.agent.document(made.path)
    assert seen is not None
    made.documents.close(made.path.as_uri())
    assert not (await made.agent.replace(seen, "two\n")).applied


async def test_line_ends_are_the_editors_choice(desk: MakeDesk) -> None:
    made = desk("one\r\n")

    def apply(_params: JsonObject) -> JsonObject:
        made.shows("one\r\ntwo\r\n")
        return {"applied": True}

    made.editor.answers["workspace/applyEdit"] = apply
    outcome = await made.replace("one\r\ntwo\n")
    assert (outcome.applied, outcome.text) == (True, "one\r\ntwo\r\n")


async def test_a_formatter_at_saving_is_shown_in_the_outcome(desk: MakeDesk) -> None:
    made = desk("one\n")

    def save(params: JsonObject) -> JsonObject:
        made.shows(made.held.text.upper())
        return made.save(params)

    made.editor.answers["pi/save"] = save
    assert await made.replace("two\n") == EditOutcome(True, "TWO\n", saved=True)


async def test_an_editor_that_does_not_answer_is_not_waited_for_for_ever(desk: MakeDesk) -> None:
    import asyncio

    made = desk("one\n")
    made.editor.answers["workspace/applyEdit"] = lambda _: asyncio.Event().wait()
    outcome = await made.replace("two\n")
    assert outcome.failure == "the editor did not answer"


async def test_diagnostics_count_lines_and_characters_from_one(desk: MakeDesk) -> None:
    made = desk("x😀y\n")
    made.editor.answers["pi/diagnostics"] = lambda _: {
        "diagnostics": [
            {
                "uri": made.path.as_uri(),
                "version": 1,
                "items": [
                    {
                        "range": {
                            "start": {"line": 0, "character": 3},
                            "end": {"line": 0, "character": 4},
                        },
                        "message": "no y here",
                        "severity": 2,
                        "code": 7,
                        "source": "lint",
                    }
                ],
            },
            {"uri": "untitled:1", "items": []},
        ]
    }
    (found,) = await made.agent.diagnostics([made.path])
    assert made.editor.asked[-1][1] == {"uris": [made.path.as_uri()]}
    assert (found.path, found.version) == (made.path, 1)
    (item,) = found.items
    assert (item.line, item.column, item.severity, item.code) == (1, 3, "warning", "7")


async def test_no_diagnostics_from_an_editor_that_fails(desk: MakeDesk) -> None:
    made = desk("x\n")
    assert made.agent.has_diagnostics
    assert await made.agent.diagnostics() == []
    made.editor.answers["pi/diagnostics"] = lambda _: {"diagnostics": "many"}
    assert await made.agent.diagnostics() == []
    made.editor.is_plain()
    assert not made.agent.has_diagnostics
