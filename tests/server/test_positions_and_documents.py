"""Open documents: what the editor reports is what the agent sees, in every encoding."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.agent.events import Position, Range
from pi_lsp.server.open_documents import DocumentChange, OpenDocuments, TextDocument, path_of
from pi_lsp.server.positions import Encoding, index_at, split_lines, units
from pi_lsp.server.text_edits import smallest_edits

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
texts = st.text(st.sampled_from("ab é漢😀\n\r\t\x0c\u2028\x85"), max_size=40)
encodings = st.sampled_from(ENCODINGS)


def document(text: str, encoding: Encoding = "utf-16", uri: str = "untitled:1") -> TextDocument:
    return TextDocument(uri, text, 1, encoding)


def at(line: int, character: int) -> Position:
    return Position(line=line, character=character)


def partial(start: Position, end: Position, text: str) -> DocumentChange:
    return DocumentChange(text, Range(start=start, end=end))


@given(texts)
def test_lines_are_the_whole_text_and_end_only_where_lsp_says(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    ends = text.count("\n") + text.count("\r") - text.count("\r\n")
    assert len(lines) == ends + 1


@given(texts, encodings)
def test_a_position_finds_back_to_its_place(text: str, encoding: Encoding) -> None:
    line = text.replace("\r", "").replace("\n", "")
    for index in range(len(line) + 1):
        assert index_at(line, units(line[:index], encoding), encoding) == index


@given(texts, texts, encodings, st.data())
def test_an_incremental_change_gives_the_text_that_the_editor_has(
    old: str, inserted: str, encoding: Encoding, data: st.DataObject
) -> None:
    held = document(old, encoding)
    places = [
        (line, index)
        for line, text in enumerate(split_lines(old))
        for index in range(len(text.rstrip("\r\n")) + 1)
    ]
    first, last = sorted((data.draw(st.sampled_from(places)), data.draw(st.sampled_from(places))))
    lines = split_lines(old)
    start = len("".join(lines[: first[0]])) + first[1]
    end = len("".join(lines[: last[0]])) + last[1]
    held.change([partial(held.position(*first), held.position(*last), inserted)], 2)
    assert held.text == old[:start] + inserted + old[end:]
    assert list(held.lines) == split_lines(held.text)
    assert held.version == 2


@given(texts, texts, encodings)
def test_the_smallest_edits_make_the_new_text(old: str, new: str, encoding: Encoding) -> None:
    held = document(old, encoding)
    edits = smallest_edits(held, new)
    for edit in reversed(edits):
        held.change([partial(edit.range.start, edit.range.end, edit.new_text)], 2)
    assert held.text == new


def test_an_edit_touches_only_what_differs() -> None:
    held = document("one\ntwo\nthree\nfour\n")
    edits = smallest_edits(held, "one\n2wo\nthree\nfour!\n")
    assert [(edit.range.start.line, edit.new_text) for edit in edits] == [(1, "2"), (3, "!")]


def test_no_edit_is_needed_for_the_same_text() -> None:
    assert smallest_edits(document("same\r\n"), "same\r\n") == []


def test_ten_thousand_changed_lines_are_one_edit_and_no_long_wait() -> None:
    held = document("".join(f"{line}\n" for line in range(10_000)))
    edits = smallest_edits(held, "".join(f"{line} x\n" for line in range(10_000)))
    assert len(edits) == 1


def test_a_position_beyond_the_document_is_held_to_it() -> None:
    held = document("ab\r\ncd")
    held.change([partial(at(0, 99), at(9, 9), "!")], 2)
    assert held.text == "ab!"


def test_a_form_feed_or_a_line_separator_ends_no_line() -> None:
    held = document("a\x0cb\u2028c\nd")
    held.change([partial(at(1, 0), at(1, 1), "D")], 2)
    assert held.text == "a\x0cb\u2028c\nD"


def test_a_whole_text_replaces_the_document() -> None:
    held = document("old")
    held.change([DocumentChange("new\n")], 7)
    assert (held.text, held.version) == ("new\n", 7)


def test_a_document_is_dirty_when_it_differs_from_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfone\r\n")
    held = document("one\n", uri=file.as_uri())
    assert not held.is_dirty()
    held.change([DocumentChange("two\n")], 2)
    assert held.is_dirty()
    file.write_text("two\n")
    assert not held.is_dirty()
    file.unlink()
    assert held.is_dirty()


def test_a_document_in_another_encoding_is_dirty_from_a_change_to_the_next_save(
    tmp_path: Path,
) -> None:
    file = tmp_path / "latin.txt"
    file.write_bytes("é\n".encode("latin-1"))
    held = document("é\n", uri=file.as_uri())
    assert not held.is_dirty()
    held.change([DocumentChange("è\n")], 2)
    assert held.is_dirty()
    held.saved()
    assert not held.is_dirty()


def test_documents_are_found_by_any_spelling_of_their_uri(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    file = tmp_path / "real" / "a b.txt"
    file.write_text("x")
    documents = OpenDocuments()
    documents.open(f"file://{tmp_path}/link/a%20b.txt", "x", 1)
    assert documents.get(f"file://{tmp_path}/real/a b.txt") is not None
    assert documents.at(file) is not None
    documents.close(f"file://{tmp_path}/link/a%20b.txt")
    assert documents.get(file.as_uri()) is None


on_posix = pytest.mark.skipif(sys.platform == "win32", reason="how paths look elsewhere")


@on_posix
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///tmp/a%20b.txt", "/tmp/a b.txt"),
        ("FILE:///tmp/a;b.txt", "/tmp/a;b.txt"),
        ("file:/tmp/a", "/tmp/a"),
        ("file://localhost/tmp/a", "/tmp/a"),
        ("file:///c%3A/x/y.txt", "/c:/x/y.txt"),
        ("file:///C:/x/y.txt", "/C:/x/y.txt"),
    ],
)
def test_a_uri_leads_to_the_file_that_it_names(uri: str, path: str) -> None:
    assert path_of(uri) == Path(os.path.realpath(path))


@on_posix
@pytest.mark.parametrize(
    "uri",
    ["untitled:1", "", "file://", "file:a.txt", "file:///a%00b", "file://[", "file://elsewhere/a"],
)
def test_a_uri_that_names_no_file_here_leads_nowhere(uri: str) -> None:
    assert path_of(uri) is None


@on_posix
def test_a_document_whose_file_is_a_pipe_is_dirty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert document("text", uri=(tmp_path / "pipe").as_uri()).is_dirty()
