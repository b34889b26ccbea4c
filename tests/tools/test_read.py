"""Reading: the right lines of a file, as the editor shows them, and never more than fits."""

from __future__ import annotations

import base64
import os
import struct
import zlib
from pathlib import Path

import pytest

from pi_lsp.tools.truncation import MAX_BYTES
from tests.tools.fake_editor import Call, FakeEditor, fault_of, text_of


def png(width: int, height: int) -> bytes:
    """A real picture, black."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * (width + 1) * height)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


async def test_a_short_file_is_given_whole(call: Call, folder: Path):
    (folder / "a.txt").write_text("one\ntwo\n")
    assert text_of(await call("read", path="a.txt")) == "one\ntwo"


async def test_a_range_is_given_with_a_way_to_go_on(call: Call, folder: Path):
    (folder / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    text = text_of(await call("read", path="a.txt", offset=3, limit=2))
    assert text == "line 3\nline 4\n\n[Lines 3-4 of 10 are shown. Go on with offset=5.]"


async def test_the_last_lines_have_no_note(call: Call, folder: Path):
    (folder / "a.txt").write_text("one\ntwo\nthree")
    assert text_of(await call("read", path="a.txt", offset=2, limit=2)) == "two\nthree"


async def test_a_long_file_is_cut_at_2000_lines(call: Call, folder: Path):
    (folder / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 3001)))
    text = text_of(await call("read", path="a.txt"))
    assert text.endswith("\n2000\n\n[Lines 1-2000 of 3000 are shown. Go on with offset=2001.]")


async def test_exactly_2000_lines_are_not_called_cut(call: Call, folder: Path):
    (folder / "a.txt").write_text("x\n" * 2000)
    assert "[" not in text_of(await call("read", path="a.txt"))


async def test_wide_lines_are_cut_at_50_kb_between_lines(call: Call, folder: Path):
    (folder / "a.txt").write_text(("ä" * 500 + "\n") * 100)
    text = text_of(await call("read", path="a.txt"))
    shown, note = text.split("\n\n")
    assert len(shown.encode()) <= MAX_BYTES
    assert set(shown.split("\n")) == {"ä" * 500}
    assert note == "[Lines 1-51 of 100 are shown. Go on with offset=52.]"


async def test_a_line_that_is_too_long_shows_its_beginning(call: Call, folder: Path):
    (folder / "a.json").write_text("ö" * 200_000 + "\nnext\n")
    text = text_of(await call("read", path="a.json"))
    shown, note = text.split("\n\n")
    assert shown == "ö" * (MAX_BYTES // 2)
    assert "first 50 KB of line 1" in note
    assert "offset=2" in note
    assert text_of(await call("read", path="a.json", offset=2)) == "next"


async def test_a_range_of_a_huge_file_does_not_load_it(call: Call, folder: Path):
    path = folder / "huge.log"
    with path.open("wb") as file:
        file.write(b"first\n" * 2000)
        file.seek(8 * 1024**3)  # a hole: nothing could hold this in memory
        file.write(b"\nlast\n")
    assert text_of(await call("read", path="huge.log", offset=1, limit=1)) == (
        "first\n\n[Lines 1-1 are shown. Go on with offset=2.]"
    )


async def test_an_offset_past_the_end_says_how_long_the_file_is(call: Call, folder: Path):
    (folder / "a.txt").write_text("one\ntwo")
    assert await fault_of(call("read", path="a.txt", offset=3)) == (
        "Line 3 is past the end: a.txt has 2 lines."
    )


async def test_an_empty_file_is_said_to_be_empty(call: Call, folder: Path):
    (folder / "a.txt").touch()
    assert text_of(await call("read", path="a.txt")) == "[The file is empty.]"


async def test_line_ends_and_a_bom_are_not_shown(call: Call, folder: Path):
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert text_of(await call("read", path="a.txt")) == "one\ntwo"


async def test_bytes_that_are_no_utf8_are_replaced(call: Call, folder: Path):
    (folder / "a.txt").write_bytes(b"caf\xe9\n")
    assert text_of(await call("read", path="a.txt")) == "caf\ufffd"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.txt", "does not exist"),
        ("sub", "is a directory"),
        ("data.bin", "is a binary file"),
    ],
)
async def test_what_is_no_text_file_is_a_clear_error(
    call: Call, folder: Path, name: str, words: str
):
    (folder / "sub").mkdir()
    (folder / "data.bin").write_bytes(b"\x7fELF\0\0\0")
    assert words in await fault_of(call("read", path=name))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
async def test_a_pipe_is_not_waited_for(call: Call, folder: Path):
    os.mkfifo(folder / "pipe")
    assert "no regular file" in await fault_of(call("read", path="pipe"))


async def test_a_picture_is_known_by_its_content(call: Call, folder: Path):
    (folder / "logo.txt").write_bytes(png(3, 2))
    result = await call("read", path="logo.txt")
    label, picture = result.content
    assert label["type"] == "text"
    assert label["text"].startswith("[logo.txt: image/png, 3×2")
    assert picture["type"] == "image"
    assert picture["mimeType"] == "image/png"
    assert base64.b64decode(picture["data"]) == png(3, 2)


async def test_text_in_a_file_called_png_is_text(call: Call, folder: Path):
    (folder / "logo.png").write_text("not a picture")
    assert text_of(await call("read", path="logo.png")) == "not a picture"


async def test_a_picture_that_is_too_large_is_an_error(call: Call, folder: Path):
    (folder / "wide.png").write_bytes(png(8001, 1))
    assert "8000 pixels" in await fault_of(call("read", path="wide.png"))
    (folder / "big.png").write_bytes(png(1, 1) + b"\0" * (4 * 1024 * 1024))
    assert "3.8 MB" in await fault_of(call("read", path="big.png"))


async def test_a_damaged_picture_is_an_error(call: Call, folder: Path):
    (folder / "cut.png").write_bytes(png(3, 2)[:12])
    assert "damaged" in await fault_of(call("read", path="cut.png"))


async def test_an_unsaved_buffer_is_read_as_the_editor_shows_it(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.txt").write_text("on disk\n")
    editor.show(folder / "a.txt", "in the editor\n", dirty=True)
    text = text_of(await call("read", path="a.txt"))
    assert text.startswith("in the editor\n")
    assert "not saved" in text


async def test_a_new_file_that_only_the_editor_has_is_read(
    call: Call, folder: Path, editor: FakeEditor
):
    editor.show(folder / "new.txt", "draft", dirty=True)
    assert text_of(await call("read", path="new.txt")).startswith("draft\n")


async def test_what_a_program_wrote_under_a_clean_buffer_is_read_from_disk(
    call: Call, folder: Path, editor: FakeEditor
):
    (folder / "a.txt").write_text("new\n")
    editor.show(folder / "a.txt", "old\n")
    assert text_of(await call("read", path="a.txt")) == "new"


async def test_a_range_of_a_buffer(call: Call, folder: Path, editor: FakeEditor):
    editor.show(folder / "a.txt", "one\r\ntwo\r\nthree\r\n", dirty=True)
    text = text_of(await call("read", path="a.txt", offset=2, limit=1))
    assert text.startswith("two\n\n")
    assert text.endswith("[Lines 2-2 of 3 are shown. Go on with offset=3.]")


async def test_a_long_line_of_a_buffer_is_cut(call: Call, folder: Path, editor: FakeEditor):
    editor.show(folder / "a.txt", "x" * 100_000, dirty=True)
    text = text_of(await call("read", path="a.txt"))
    assert "first 50 KB of line 1" in text
    assert len(text) < 60_000
