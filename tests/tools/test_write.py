"""Writing whole files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pi_lsp.tools import disk
from tests.tools.fake_editor import Call, FakeEditor, fault_of, text_of


async def test_a_new_file_gets_the_folders_it_needs(call: Call, folder: Path):
    result = await call("write", path="src/deep/ü.txt", content="größe\n")
    assert (folder / "src/deep/ü.txt").read_text(encoding="utf-8") == "größe\n"
    assert text_of(result) == "Wrote 8 bytes to new file src/deep/ü.txt."
    assert result.details is not None
    assert result.details["created"] is True


async def test_the_content_is_written_as_it_is(call: Call, folder: Path):
    await call("write", path="a.txt", content="a\r\nb\nc\r")
    assert (folder / "a.txt").read_bytes() == b"a\r\nb\nc\r"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
async def test_a_new_file_has_the_usual_mode(call: Call, folder: Path):
    (folder / "usual").touch()
    await call("write", path="a.txt", content="x")
    assert stat.S_IMODE((folder / "a.txt").stat().st_mode) == stat.S_IMODE(
        (folder / "usual").stat().st_mode
    )


async def test_overwriting_keeps_mode_and_link(call: Call, folder: Path):
    (folder / "run.sh").write_text("old")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("run.sh")
    await call("write", path="link", content="new")
    assert (folder / "link").is_symlink()
    assert (folder / "run.sh").read_text() == "new"
    assert stat.S_IMODE((folder / "run.sh").stat().st_mode) == 0o755


async def test_what_a_reader_is_not_shown_is_kept(call: Call, folder: Path):
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    result = await call("write", path="a.txt", content="one\n2\n")
    assert (folder / "a.txt").read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n"
    assert "Wrote 11 bytes" in text_of(result)


async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(call: Call, folder: Path):
    (folder / "a.txt").write_text("one")
    await call("read", path="a.txt")
    (folder / "a.txt").write_text("somebody else's")
    assert "read it again" in await fault_of(call("write", path="a.txt", content="mine"))
    assert (folder / "a.txt").read_text() == "somebody else's"
    await call("read", path="a.txt")
    await call("write", path="a.txt", content="mine")
    assert (folder / "a.txt").read_text() == "mine"


async def test_a_file_that_was_read_and_deleted_can_be_written(call: Call, folder: Path):
    (folder / "a.txt").write_text("one")
    await call("read", path="a.txt")
    (folder / "a.txt").unlink()
    await call("write", path="a.txt", content="two")
    assert (folder / "a.txt").read_text() == "two"


async def test_the_agents_own_changes_do_not_count_as_others(call: Call, folder: Path):
    await call("write", path="a.txt", content="one")
    await call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])
    await call("write", path="a.txt", content="three")
    assert (folder / "a.txt").read_text() == "three"


async def test_what_the_person_typed_since_is_not_overwritten(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.txt").write_text("one")
    editor.show(folder / "a.txt", "one")
    await call("read", path="a.txt")
    editor.show(folder / "a.txt", "one and more", dirty=True)
    assert "read it again" in await fault_of(call("write", path="a.txt", content="mine"))
    await call("read", path="a.txt")
    await call("write", path="a.txt", content="mine")
    assert editor.open[folder / "a.txt"].text == "mine"


async def test_an_open_file_is_written_through_the_editor_with_its_line_ends(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.txt").write_bytes(b"one\r\n")
    editor.show(folder / "a.txt", "one\r\n")
    await call("write", path="a.txt", content="one\ntwo\n")
    assert editor.replacements == ["one\r\ntwo\r\n"]


async def test_the_same_text_again_changes_nothing(call: Call, folder: Path):
    (folder / "a.txt").write_text("same")
    before = (folder / "a.txt").stat()
    assert "nothing was changed" in text_of(await call("write", path="a.txt", content="same"))
    assert (folder / "a.txt").stat().st_ino == before.st_ino


async def test_a_folder_is_not_overwritten(call: Call, folder: Path):
    (folder / "sub").mkdir()
    assert "is a directory" in await fault_of(call("write", path="sub", content="x"))


async def test_a_parent_that_is_a_file_is_a_clear_error(call: Call, folder: Path):
    (folder / "a.txt").touch()
    assert "cannot be written" in await fault_of(call("write", path="a.txt/b.txt", content="x"))


async def test_lone_surrogates_are_replaced(call: Call, folder: Path):
    await call("write", path="a.txt", content="a\ud800b")
    assert (folder / "a.txt").read_text(encoding="utf-8") == "a\ufffdb"


async def test_a_disk_that_refuses_leaves_the_old_file_and_nothing_beside_it(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    (folder / "a.txt").write_text("old")
    monkeypatch.setattr(disk.os, "fsync", full)
    message = await fault_of(call("write", path="a.txt", content="new"))
    assert "no space left on device" in message
    assert os.listdir(folder) == ["a.txt"]
    assert (folder / "a.txt").read_text() == "old"
