"""Paths of Windows: letters of drives, other machines, and no difference between `A` and `a`."""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath
from typing import cast

import pytest

from pi_lsp import trust
from pi_lsp.session.header import file_name
from pi_lsp.tools.paths import is_inside, shown


def windows(text: str) -> Path:
    """A path of Windows; what is asked of it here needs no disk."""
    return cast(Path, PureWindowsPath(text))


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("C:\\Work\\a.py", True),
        ("c:\\work\\SUB\\a.py", True),
        ("C:/work", True),
        ("C:\\workshop\\a.py", False),
        ("D:\\work\\a.py", False),
        ("\\\\server\\work\\a.py", False),
    ],
)
def test_what_lies_in_the_folder(path: str, inside: bool):
    assert is_inside(windows(path), windows("C:\\Work")) is inside


def test_paths_are_shown_with_slashes():
    assert shown(windows("c:\\work\\src\\a.py"), windows("C:\\Work")) == "src/a.py"
    assert shown(windows("C:\\other\\a.py"), windows("C:\\Work")) == "C:/other/a.py"
    share = windows("\\\\server\\share\\project")
    assert shown(windows("\\\\server\\share\\project\\a.py"), share) == "a.py"


def test_a_decision_on_a_folder_holds_for_all_its_spellings(monkeypatch: pytest.MonkeyPatch):
    import ntpath

    monkeypatch.setattr(os.path, "normcase", ntpath.normcase)
    assert trust._compared(windows("C:\\Work")) == trust._compared(windows("c:/work"))


@pytest.mark.parametrize("session_id", ["01a22e8d-e67a-7652-8054-f40245710d05", 'a:b*c?"<>|\\/d'])
def test_the_name_of_a_session_is_one_that_every_disk_takes(session_id: str):
    name = file_name(session_id, "2026-11-30T22:23:01.242Z")
    assert not set(name) & set('<>:"/\\|?*')
    assert not name.endswith((".", " "))
    assert PureWindowsPath(name).name == name
