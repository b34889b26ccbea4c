"""What differs on Windows, with the platform layer swapped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from pi_lsp.tools import processes, shell


def test_git_for_windows_brings_the_shell(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shell, "_IS_WINDOWS", True)
    monkeypatch.setenv("PROGRAMFILES", "C:\\Program Files")
    monkeypatch.delenv("PROGRAMFILES(X86)", raising=False)
    bash = "C:\\Program Files\\Git\\bin\\bash.exe"
    monkeypatch.setattr(shell.shutil, "which", lambda name: name if name == bash else None)
    assert shell.default_shell() == bash


def test_without_sessions_the_tree_is_found_by_parents(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    """Windows has no sessions: a command's children are found by their parents alone."""
    monkeypatch.setattr(processes, "_session_pids", lambda _session: [])
    sleep = "import time; time.sleep(600)"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {sleep!r}])"
    command = processes.start([sys.executable, "-c", nested], folder, dict(os.environ))
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


def test_a_group_of_its_own_on_windows(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(processes.sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x8000000, raising=False)
    assert processes._windows_flags() == 0x8000200
    assert processes._session_pids(1) == []
