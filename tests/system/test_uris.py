"""The files behind an editor's URIs, on other systems."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from pi_lsp import system
from pi_lsp.server.open_documents import path_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/ada/a%20b.py", "c:/Users/ada/a b.py"),
        ("file:///C:/work/a.py", "C:/work/a.py"),
        ("file:///C:/caf%C3%A9/100%25.txt", "C:/café/100%.txt"),
        ("file://localhost/C:/work", "C:/work"),
        ("file://server/share/a.py", "//server/share/a.py"),
    ],
)
@pytest.mark.usefixtures("on_windows")
def test_a_file_of_windows(uri: str, path: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(system, "real_path", lambda path: path)  # which needs the disk
    assert path_of(uri) == Path(path)


@pytest.mark.usefixtures("on_mac")
def test_two_spellings_of_a_uri_are_one_file_on_a_mac(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    on_disk = tmp_path.resolve() / unicodedata.normalize("NFD", "café.txt")
    on_disk.touch()
    composed = on_disk.with_name(unicodedata.normalize("NFC", on_disk.name))
    monkeypatch.setattr(os.path, "lexists", lambda path: True)
    assert path_of(composed.as_uri()) == path_of(on_disk.as_uri()) == on_disk
