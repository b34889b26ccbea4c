"""Texts behind `pi:` URIs."""

from __future__ import annotations

import pytest

from pi_lsp.errors import NotFoundError
from pi_lsp.server.virtual_documents import VirtualDocuments, virtual_uri


def test_a_kept_text_is_found_however_the_editor_spells_its_uri() -> None:
    texts = VirtualDocuments(lambda *_: None)
    uri = texts.keep("before", "call/1", "a b.py", "old")
    assert texts.text(uri) == "old"
    assert texts.text(uri.replace("%20", " ")) == "old"
    assert texts.text("pi:///" + uri.removeprefix("pi:/")) == "old"


def test_what_is_not_kept_is_made() -> None:
    texts = VirtualDocuments(lambda kind, owner: f"{kind} of {owner}")
    assert texts.text(virtual_uri("compaction", "e1", "summary.md")) == "compaction of e1"


@pytest.mark.parametrize("uri", ["pi:/before/c/x", "pi:/a", "file:///before/c/x", "pi:"])
def test_what_there_is_not_is_said(uri: str) -> None:
    with pytest.raises(NotFoundError):
        VirtualDocuments(lambda *_: None).text(uri)


def test_the_oldest_texts_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_lsp.server.virtual_documents._MAX_CHARACTERS", 10)
    texts = VirtualDocuments(lambda *_: None)
    first = texts.keep("before", "1", "a", "123456")
    second = texts.keep("before", "2", "a", "123456")
    with pytest.raises(NotFoundError):
        texts.text(first)
    assert texts.text(second) == "123456"
    texts.keep("before", "2", "a", "x" * 100)
    assert texts.text(second) == "x" * 100
