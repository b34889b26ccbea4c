"""What differs between systems, asked as on each of them."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp import system


@pytest.mark.usefixtures("on_windows")
def test_programs_are_started_in_a_group_of_their_own_on_windows():
    assert system.apart() == {"start_new_session": False, "creationflags": 0x200}
    assert system.apart_and_hidden()["creationflags"] == 0x800_0200
    assert system.hidden() == 0x800_0000


@pytest.mark.skipif(os.name != "posix", reason="Windows has no sessions")
def test_programs_are_started_in_a_session_of_their_own_elsewhere():
    ask = [sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())"]
    for options in (system.apart(), system.apart_and_hidden()):
        done = subprocess.run(ask, stdout=subprocess.PIPE, check=True, **options)
        assert done.stdout.split() == [b"True"]
    assert system.hidden() == 0


class Refusing:
    """`os.replace` as on Windows while another program has the target open."""

    def __init__(self, times: int, then: Callable[[Path, Path], None]) -> None:
        self.left = times
        self.then = then

    def __call__(self, source: Path, target: Path) -> None:
        if self.left:
            self.left -= 1
            raise PermissionError(13, "Access is denied", str(target))
        self.then(source, target)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A new file, and the old one that it is to replace."""
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new")
    old.write_text("old")
    return new, old


@pytest.mark.usefixtures("on_windows")
def test_a_file_that_is_open_for_a_moment_is_waited_for_on_windows(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    new, old = files
    monkeypatch.setattr(os, "replace", Refusing(3, os.replace))
    system.replace(new, old)
    assert old.read_text() == "new"
    assert not new.exists()


@pytest.mark.usefixtures("on_windows")
def test_one_that_stays_open_is_a_fault(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch):
    new, old = files
    monkeypatch.setattr(system, "_REPLACE_PATIENCE_S", 0.05)
    monkeypatch.setattr(os, "replace", Refusing(10_000, os.replace))
    with pytest.raises(PermissionError):
        system.replace(new, old)
    assert old.read_text() == "old"


def test_elsewhere_what_is_refused_is_refused_at_once(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(system, "is_windows", lambda: False)
    refusing = Refusing(10_000, os.replace)
    monkeypatch.setattr(os, "replace", refusing)
    with pytest.raises(PermissionError):
        system.replace(*files)
    assert refusing.left == 10_000 - 1


class CaseBlindDisk:
    """`os.path.lexists` as on a disk of macOS, which takes all spellings of a name for the same."""

    def __init__(self) -> None:
        self.real = os.path.lexists

    def __call__(self, path: Path) -> bool:
        if self.real(path):
            return True
        try:
            names = os.listdir(path.parent)
        except OSError:
            return False
        return self.spelled(path.name) in map(self.spelled, names)

    @staticmethod
    def spelled(name: str) -> str:
        return unicodedata.normalize("NFC", name).casefold()


@pytest.mark.usefixtures("on_mac")
@pytest.mark.parametrize(
    ("on_disk", "asked"),
    [
        ("README.md", "readme.MD"),
        (unicodedata.normalize("NFD", "café.txt"), unicodedata.normalize("NFC", "café.txt")),
        (unicodedata.normalize("NFC", "café.txt"), unicodedata.normalize("NFD", "CAFÉ.txt")),
    ],
)
def test_two_spellings_are_one_file_on_a_mac(
    on_disk: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path.resolve() / "Project"
    folder.mkdir()
    (folder / on_disk).touch()
    monkeypatch.setattr(os.path, "lexists", CaseBlindDisk())
    assert system.real_path(folder / asked) == folder / on_disk
    assert system.real_path(folder.with_name("PROJECT") / asked) == folder / on_disk


@pytest.mark.usefixtures("on_mac")
def test_what_is_not_there_keeps_its_spelling_on_a_mac(tmp_path: Path):
    (tmp_path / "README.md").touch()
    folder = tmp_path.resolve()
    # A disk that can be formatted to tell upper from lower case, as this one does.
    assert system.real_path(folder / "readme.md") == folder / "readme.md"
    assert system.real_path(folder / "new" / "File.txt") == folder / "new" / "File.txt"


@pytest.mark.usefixtures("on_windows")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/c/Users/ada/a.py", "C:/Users/ada/a.py"),
        ("/d", "D:/"),
        ("/d/", "D:/"),
        ("/dev/null", "/dev/null"),
        ("c/a.py", "c/a.py"),
        ("C:\\Users\\ada", "C:\\Users\\ada"),
    ],
)
def test_a_path_as_the_shell_of_git_writes_it(written: str, meant: str):
    assert system.shell_path(written) == meant


@pytest.mark.usefixtures("on_mac")
def test_elsewhere_a_path_is_what_it_says():
    assert system.shell_path("/c/Users") == "/c/Users"
    assert system.with_slashes("a\\b") == "a\\b"
