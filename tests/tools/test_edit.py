"""Editing files: on disk atomically, in the editor as one change, with bytes kept."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.tools.editor import Diagnostic, FileDiagnostics, OpenDocument
from tests.tools.fake_editor import Call, FakeEditor, fault_of, text_of

ONE = {"oldText": "two", "newText": "2"}


async def test_the_file_is_changed_and_the_diff_told(call: Call, folder: Path):
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    result = await call("edit", path="a.txt", edits=[ONE])
    assert (folder / "a.txt").read_text() == "one\n2\nthree\n"
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    assert text_of(result) == f"Edited a.txt.\n\n{diff}"
    assert result.details is not None
    assert result.details["diff"] == f"{diff}\n"
    assert result.details["firstChangedLine"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"edits": json.dumps([ONE])},
        {"edits": json.dumps(ONE)},
        {"edits": ONE},
        {"edits": [json.dumps(ONE)]},
        ONE,
        {**ONE, "edits": None},
        {**ONE, "edits": []},
        {"edits": [{**ONE, "note": "extra"}], "reason": "extra"},
        {"edits": [{"old_text": "two", "new_text": "2"}]},
    ],
)
async def test_forms_whose_meaning_is_plain_are_taken(
    call: Call, folder: Path, arguments: dict[str, Any]
):
    (folder / "a.txt").write_text("one\ntwo\n")
    await call("edit", path="a.txt", **arguments)
    assert (folder / "a.txt").read_text() == "one\n2\n"


@pytest.mark.parametrize("edits", ["not json", [], [{"oldText": "x"}], 3, None])
async def test_other_forms_are_refused_with_what_was_sent(call: Call, edits: Any):
    message = await fault_of(call("edit", path="a.txt", edits=edits))
    assert "The arguments of `edit` are not valid" in message
    assert "Sent:" in message


async def test_untouched_bytes_are_kept(call: Call, folder: Path):
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfcaf\xe9\r\ntwo\r\nmixed\nend\r")
    await call("edit", path="a.txt", edits=[{"oldText": "two\nmixed", "newText": "2\n3"}])
    assert (folder / "a.txt").read_bytes() == b"\xef\xbb\xbfcaf\xe9\r\n2\r\n3\nend\r"


async def test_the_mode_is_kept(call: Call, folder: Path):
    path = folder / "run.sh"
    path.write_text("two\n")
    path.chmod(0o754)
    await call("edit", path="run.sh", edits=[ONE])
    assert path.stat().st_mode & 0o777 == 0o754
    assert os.listdir(folder) == ["run.sh"]


async def test_links_are_kept(call: Call, folder: Path):
    (folder / "real.txt").write_text("two\n")
    (folder / "link.txt").symlink_to("real.txt")
    os.link(folder / "real.txt", folder / "other-name.txt")
    await call("edit", path="link.txt", edits=[ONE])
    assert (folder / "link.txt").is_symlink()
    assert (folder / "other-name.txt").read_text() == "2\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.txt", "does not exist; use `write`"),
        ("sub", "is a directory"),
        ("data.bin", "is a binary file"),
        ("empty.txt", "was not found"),
    ],
)
async def test_what_cannot_be_edited_is_a_clear_error(
    call: Call, folder: Path, name: str, words: str
):
    (folder / "sub").mkdir()
    (folder / "data.bin").write_bytes(b"\0two")
    (folder / "empty.txt").touch()
    assert words in await fault_of(call("edit", path=name, edits=[ONE]))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
async def test_a_file_that_may_not_be_written_is_a_clear_error(call: Call, folder: Path):
    (folder / "a.txt").write_text("two")
    (folder / "a.txt").chmod(0o444)
    assert "cannot be written" in await fault_of(call("edit", path="a.txt", edits=[ONE]))


async def test_an_open_clean_buffer_is_changed_in_the_editor_and_saved(
    call: Call, folder: Path, editor: FakeEditor
):
    path = folder / "a.txt"
    path.write_text("one\ntwo\n")
    editor.show(path, "one\ntwo\n")
    result = await call("edit", path="a.txt", edits=[ONE])
    assert editor.replacements == ["one\n2\n"]
    assert path.read_text() == "one\n2\n"
    assert "not saved" not in text_of(result)


async def test_a_buffer_with_the_persons_own_changes_is_left_unsaved(
    call: Call, folder: Path, editor: FakeEditor
):
    path = folder / "a.txt"
    path.write_text("one\ntwo\n")
    editor.show(path, "mine\ntwo\n", dirty=True)
    result = await call("edit", path="a.txt", edits=[ONE])
    assert editor.open[path].text == "mine\n2\n"
    assert path.read_text() == "one\ntwo\n"
    assert "unsaved changes, so it was not saved" in text_of(result)


async def test_a_buffer_that_the_editor_does_not_save_is_told(
    call: Call, folder: Path, editor: FakeEditor
):
    editor.saves = False
    (folder / "a.txt").write_text("two")
    editor.show(folder / "a.txt", "two")
    assert "has not saved it" in text_of(await call("edit", path="a.txt", edits=[ONE]))


async def test_a_formatter_that_runs_on_save_is_told(call: Call, folder: Path, editor: FakeEditor):
    editor.on_save = lambda text: text.replace("x=2", "x = 2")
    (folder / "a.py").write_text("x=1\n")
    editor.show(folder / "a.py", "x=1\n")
    result = await call("edit", path="a.py", edits=[{"oldText": "x=1", "newText": "x=2"}])
    assert "Saving changed the text further" in text_of(result)
    assert "+x = 2" in text_of(result)


async def test_a_refusal_tells_the_editors_reason(call: Call, folder: Path, editor: FakeEditor):
    (folder / "a.txt").write_text("two\n")
    editor.show(folder / "a.txt", "two\n")
    editor.refuse = "the buffer is not modifiable"
    message = await fault_of(call("edit", path="a.txt", edits=[ONE]))
    assert "the buffer is not modifiable" in message
    assert "as it was before" in message
    editor.text_after_refusal = "somebody typed this\n"
    message = await fault_of(call("edit", path="a.txt", edits=[ONE]))
    assert "Its text is now:\n\nsomebody typed this" in message


async def test_a_clean_buffer_under_which_the_file_changed_is_edited_on_disk(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.txt").write_text("two, by a program\n")
    editor.show(folder / "a.txt", "two\n")
    await call("edit", path="a.txt", edits=[ONE])
    assert (folder / "a.txt").read_text() == "2, by a program\n"
    assert editor.replacements == []


def error(line: int, message: str) -> Diagnostic:
    return Diagnostic(line, 1, "error", message, "pyright")


async def test_new_errors_are_added_to_the_result(call: Call, folder: Path, editor: FakeEditor):
    (folder / "a.py").write_text("\ntwo\n")
    editor.show(folder / "a.py", "\ntwo\n")

    def findings(document: OpenDocument) -> FileDiagnostics:
        items = [error(len(document.text), "an old one")]
        if "2" in document.text:
            items.append(error(2, "`2` is not used"))
        return FileDiagnostics(document.path, items, document.version)

    editor.findings = findings
    text = text_of(await call("edit", path="a.py", edits=[ONE]))
    assert text.endswith("after this change:\n2:1 error: `2` is not used (pyright)")


async def test_findings_of_an_older_version_are_not_believed(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.py").write_text("two\n")
    editor.show(folder / "a.py", "two\n")
    asked: list[int] = []

    def findings(document: OpenDocument) -> FileDiagnostics:
        asked.append(document.version)
        late = len(asked) < 4  # the server has not yet looked at the change
        items = [error(1, "stale") if late else error(1, "fresh")] if document.version > 1 else []
        return FileDiagnostics(document.path, items, 1 if late else document.version)

    editor.findings = findings
    text = text_of(await call("edit", path="a.py", edits=[ONE]))
    assert "fresh" in text
    assert "stale" not in text


async def test_a_server_without_versions_is_believed_when_it_says_something_new(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.py").write_text("two\n")
    editor.show(folder / "a.py", "two\n")

    def findings(document: OpenDocument) -> FileDiagnostics:
        items = [error(1, "an old one")]
        if document.version > 1:
            items.append(error(1, "a new one"))
        return FileDiagnostics(document.path, items)

    editor.findings = findings
    text = text_of(await call("edit", path="a.py", edits=[ONE]))
    assert "a new one" in text
    assert "an old one" not in text
