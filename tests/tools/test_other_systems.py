"""What the tools do on other systems, with the platform layer swapped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pi_lsp import system
from pi_lsp.settings import ApprovalRule
from pi_lsp.tools import processes, shell_program
from pi_lsp.tools.approval_rules import RuleBook
from pi_lsp.tools.disk import replace_file
from pi_lsp.tools.paths import locate
from pi_lsp.tools.redirections import may_write_inside
from pi_lsp.tools.tool import Access, ShellSettings, ToolFault
from tests.tools.fake_editor import Call

GIT = "C:/Program Files/Git"
HANG = "import time; time.sleep(600)"


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own code takes this for Windows; the libraries do not."""
    monkeypatch.setattr(system, "is_windows", lambda: True)
    for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")


Installed = Callable[[str], None]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Makes a program the only one that is there beside those before; on the PATH by its name."""
    there: dict[str, str] = {}

    def add(path: str) -> None:
        there[path] = there[Path(path).stem] = path

    monkeypatch.setattr(shell_program.shutil, "which", there.get)
    return add


# The shell


@pytest.mark.usefixtures("on_windows")
@pytest.mark.parametrize(
    ("variable", "value", "bash"),
    [
        ("PROGRAMFILES", "C:/Program Files", f"{GIT}/bin/bash.exe"),
        ("PROGRAMFILES(X86)", "C:/Program Files (x86)", "C:/Program Files (x86)/Git/bin/bash.exe"),
        ("LOCALAPPDATA", "C:/Users/a/Local", "C:/Users/a/Local/Programs/Git/bin/bash.exe"),
    ],
)
def test_git_for_windows_brings_the_shell(
    variable: str, value: str, bash: str, installed: Installed, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(variable, value)
    installed(bash)
    assert shell_program.shell_program(ShellSettings()) == bash


@pytest.mark.usefixtures("on_windows")
def test_git_in_an_unusual_place_brings_it_too(installed: Installed):
    installed("D:/tools/Git/bin/bash.exe")
    installed("D:/tools/Git/cmd/git.exe")
    assert shell_program.shell_program(ShellSettings()) == "D:/tools/Git/bin/bash.exe"


@pytest.mark.usefixtures("on_windows")
def test_the_bash_that_starts_another_system_is_not_taken(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
):
    folders = ["/Windows/System32", "/Users/a/AppData/Local/Microsoft/WindowsApps", "/msys/usr/bin"]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    installed("/Windows/System32/bash.exe")
    installed("/Users/a/AppData/Local/Microsoft/WindowsApps/bash.exe")
    with pytest.raises(ToolFault, match="Install Git for Windows"):
        shell_program.shell_program(ShellSettings())
    installed("/msys/usr/bin/bash.exe")
    assert shell_program.shell_program(ShellSettings()) == "/msys/usr/bin/bash.exe"


@pytest.mark.usefixtures("on_windows")
def test_a_shell_that_a_person_set_is_taken_as_it_is(installed: Installed):
    installed("C:/Windows/System32/bash.exe")
    settings = ShellSettings(path="C:/Windows/System32/bash.exe")
    assert shell_program.shell_program(settings) == "C:/Windows/System32/bash.exe"


# Processes


def test_without_sessions_the_tree_is_found_by_parents(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HANG!r}])"
    command = processes.start([sys.executable, "-c", nested], folder, dict(os.environ))
    monkeypatch.setattr(system, "is_windows", lambda: True)
    parent = psutil.Process(command.pid)
    while not (children := parent.children()):
        pass
    processes.kill(command, [])
    command.wait(10)
    psutil.wait_procs(children, timeout=10)
    assert not any(
        child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children
    )
    processes.forget(command)


class AsOnWindows(psutil.Process):
    """A process that keeps the id of its parent when that has ended."""

    def __init__(self, pid: int, parent: int) -> None:
        super().__init__(pid)
        self._parent = parent

    def ppid(self) -> int:
        return self._parent


@pytest.mark.skipif(os.name != "posix", reason="the command is for a POSIX shell")
def test_what_an_ended_command_left_behind_ends_with_the_server(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    script = f'"{sys.executable}" -c "{HANG}" >/dev/null 2>&1 & echo $!'
    command = processes.start(["/bin/sh", "-c", script], folder, dict(os.environ))
    assert command.stdout is not None
    left = AsOnWindows(int(command.stdout.read()), parent=command.pid)
    stranger = AsOnWindows(os.getpid(), parent=command.pid)  # older: it means another parent
    command.wait(10)

    def all_processes() -> Iterator[psutil.Process]:
        yield from (stranger, left)

    monkeypatch.setattr(system, "is_windows", lambda: True)
    monkeypatch.setattr(psutil, "process_iter", all_processes)
    processes.forget(command)
    processes.end_all()
    psutil.wait_procs([left], timeout=10)
    assert not left.is_running() or left.status() == psutil.STATUS_ZOMBIE


# Files


def test_a_file_that_another_program_has_open_is_written_in_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    file = folder / "a.txt"
    file.write_text("old")

    def refuse(source: object, target: object) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refuse)
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert os.listdir(folder) == ["a.txt"]


async def test_a_disk_without_modes_and_owners_takes_files_all_the_same(
    folder: Path, call: Call, monkeypatch: pytest.MonkeyPatch
):
    """On Windows `chmod` does next to nothing, and there is no `chown`."""
    monkeypatch.delattr(os, "chown", raising=False)
    monkeypatch.setattr(os, "chmod", lambda path, mode: None)
    (folder / "a.txt").write_text("one\n")
    await call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])
    await call("write", path="new/b.txt", content="b\n")
    assert (folder / "a.txt").read_text() == "two\n"
    assert (folder / "new" / "b.txt").read_text() == "b\n"


# Paths


@pytest.mark.usefixtures("on_windows")
def test_a_path_of_the_shell_is_one_for_the_tools_too(folder: Path):
    assert locate("/c/work/a.py", folder).named == folder / "C:/work/a.py"


@pytest.mark.usefixtures("on_windows")
def test_a_redirection_to_a_path_of_the_shell_is_seen(folder: Path):
    # Here `C:/…` is a relative path; so the folder of the sessions lies where that leads.
    sessions = folder / "C:/work/.pi/sessions"
    assert may_write_inside("echo x > /c/work/.pi/sessions/a.jsonl", folder, [sessions])
    assert may_write_inside("cd /c/work/.pi && echo x > sessions/a.jsonl", folder, [sessions])
    assert not may_write_inside("echo x > /c/work/notes.txt", folder, [sessions])


@pytest.mark.usefixtures("on_windows")
def test_a_rule_may_be_written_with_backslashes(folder: Path):
    rules = [
        ApprovalRule(tool="read", pattern="secrets\\*", decision="deny"),
        ApprovalRule(tool="read", pattern=f"{folder.parent}\\shared\\*", decision="allow"),
    ]
    book = RuleBook.of(rules, "read", folder)

    def decision(path: Path) -> str | None:
        return book.decision(Access("read", path, path))

    assert decision(folder / "secrets" / "key.txt") == "deny"
    assert decision(folder.parent / "shared" / "a.txt") == "allow"
    assert decision(folder / "other.txt") is None


def test_elsewhere_a_backslash_is_a_letter(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(system, "is_windows", lambda: False)
    book = RuleBook.of(
        [ApprovalRule(tool="read", pattern="secrets\\*", decision="deny")], "read", folder
    )
    path = folder / "secrets" / "key.txt"
    assert book.decision(Access("read", path, path)) is None
