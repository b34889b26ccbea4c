"""Paths as models write them."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.tool import ToolFault
from tests.tools.fake_editor import Call


def test_relative_paths_start_at_the_workspace_folder(folder: Path):
    assert locate("src/a.py", folder).real == folder / "src" / "a.py"
    assert locate("./a.py", folder).real == folder / "a.py"
    assert locate(".", folder).real == folder


def test_a_mention_is_a_path(folder: Path):
    assert locate("@src/a.py", folder).real == folder / "src" / "a.py"


def test_a_name_with_an_at_sign_keeps_it(folder: Path):
    (folder / "@types").mkdir()
    assert locate("@types/node.d.ts", folder).real == folder / "@types" / "node.d.ts"


def test_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert locate("~/a.py", folder).named == tmp_path / "a.py"
    assert locate("~", folder).named == tmp_path
    assert locate("~other/a.py", folder).real == folder / "~other" / "a.py"


@pytest.mark.parametrize(
    ("on_disk", "asked"),
    [
        ("Screenshot 9.41.05\u202fAM.png", "Screenshot 9.41.05 AM.png"),
        ("it\u2019s.txt", "it's.txt"),
        ("caf\u00e9.txt", unicodedata.normalize("NFD", "caf\u00e9.txt")),
        (unicodedata.normalize("NFD", "caf\u00e9.txt"), "caf\u00e9.txt"),
        ("a\u2013b.txt", "a-b.txt"),
    ],
)
def test_a_name_that_looks_the_same_is_found(folder: Path, on_disk: str, asked: str):
    (folder / "sub\u00a0folder").mkdir()
    (folder / "sub\u00a0folder" / on_disk).touch()
    assert locate(f"sub folder/{asked}", folder).real == folder / "sub\u00a0folder" / on_disk


def test_two_names_that_look_the_same_are_not_guessed(folder: Path):
    (folder / "a\u2019b").touch()
    (folder / "a\u2018b").touch()
    assert locate("a'b", folder).real == folder / "a'b"


def test_links_are_followed(folder: Path, tmp_path: Path):
    (folder / "link").symlink_to(tmp_path)
    place = locate("link/x", folder)
    assert place.named == folder / "link" / "x"
    assert place.real == tmp_path.resolve() / "x"


async def test_links_that_lead_in_a_circle_are_a_fault(folder: Path, call: Call):
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    assert locate("one", folder).real == folder / "one"
    for tool, arguments in {"read": {}, "ls": {}, "write": {"content": ""}}.items():
        with pytest.raises(ToolFault, match="one"):
            await call(tool, path="one", **arguments)


@pytest.mark.parametrize("text", ["", "  "])
def test_what_is_no_path_is_a_fault(folder: Path, text: str):
    with pytest.raises(ToolFault):
        locate(text, folder)


def test_paths_are_shown_relative_inside_of_the_folder(folder: Path):
    assert shown(folder / "src" / "a.py", folder) == "src/a.py"
    assert shown(folder, folder) == "."
    outside = folder.parent / "a.py"
    assert shown(outside, folder) == str(outside).replace(os.sep, "/")
