"""A scratch workspace, and the installed command in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]

PI_LSP = Path(sys.executable).with_name("pi-lsp")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a few files, that nobody has trusted."""
    folder = tmp_path / "workspace"
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# hello\n\nA tiny program that greets people.\n")
    (folder / "src" / "hello.py").write_text('print("Hello, world!")\n')
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has nothing set up: no key, no settings."""
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    home = tmp_path / "home"
    home.mkdir()
    return {
        **keep,
        "HOME": str(home),
        "PI_CODING_AGENT_DIR": str(tmp_path / "agent"),
        "PYTHONUTF8": "1",
    }


@pytest.fixture
def run(workspace: Path, environment: dict[str, str]) -> Command:
    """Runs `pi-lsp ARGUMENTS` in the workspace with nobody there, and gives what it printed."""

    def run_command(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(PI_LSP), *arguments],
            cwd=workspace,
            env={**environment, **changes},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )

    return run_command
