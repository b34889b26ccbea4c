"""Listing folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.fake_editor import Call, fault_of, text_of


async def test_entries_are_sorted_and_folders_marked(call: Call, folder: Path):
    for name in ("b.txt", "A.txt", ".hidden"):
        (folder / name).touch()
    (folder / "aa").mkdir()
    (folder / "link").symlink_to(folder / "aa")
    assert text_of(await call("ls")) == ".hidden\nA.txt\naa/\nb.txt\nlink/"


async def test_a_folder_by_its_path(call: Call, folder: Path):
    (folder / "sub").mkdir()
    (folder / "sub" / "x").touch()
    assert text_of(await call("ls", path="sub/")) == "x"


async def test_an_empty_folder_is_said_to_be_empty(call: Call):
    assert text_of(await call("ls")) == "[The folder is empty.]"


async def test_the_limit_is_told_only_when_there_are_more(call: Call, folder: Path):
    for name in "abc":
        (folder / name).touch()
    assert text_of(await call("ls", limit=3)) == "a\nb\nc"
    assert text_of(await call("ls", limit=2)) == (
        "a\nb\n\n[2 of 3 entries are shown; use a larger limit.]"
    )


async def test_a_listing_is_bounded(call: Call, folder: Path):
    for number in range(400):
        (folder / f"{number:03}-{'x' * 200}").touch()
    text = text_of(await call("ls"))
    assert len(text.encode()) < 51_300
    assert text.endswith("of 400 entries are shown; 50 KB are the most.]")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "missing"}, "missing does not exist"),
        ({"path": "a.txt"}, "a.txt is a file"),
        ({"limit": 0}, "limit: "),
    ],
)
async def test_ls_faults(call: Call, folder: Path, arguments: dict[str, object], words: str):
    (folder / "a.txt").touch()
    assert words in await fault_of(call("ls", **arguments))
