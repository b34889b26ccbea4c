"""What was installed from a release works, away from the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pi_lsp import __version__
from tests.client import Client
from tests.packaging.conftest import Installed


@pytest.fixture
def folder(folder: Path) -> Path:
    """The workspace folder, with something to read."""
    (folder / "README.md").write_text("# hello\n")
    return folder


def ask(program: Path, *arguments: str, folder: Path, home: Path) -> str:
    """What a command prints, for a person who has nothing set up."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    done = subprocess.run(
        [str(program), *arguments],
        cwd=folder,
        env={**kept, "HOME": str(home), "USERPROFILE": str(home), "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_the_installed_one(installed: Installed, folder: Path, home: Path):
    where = ask(
        installed.python, "-c", "import pi_lsp; print(pi_lsp.__file__)", folder=folder, home=home
    )
    assert Path(where.strip()).is_relative_to(installed.packages)


def test_it_says_its_version(installed: Installed, folder: Path, home: Path):
    assert __version__ in ask(installed.command, "--version", folder=folder, home=home)


def test_it_finds_nothing_missing(installed: Installed, folder: Path, home: Path):
    said = ask(installed.command, "doctor", folder=folder, home=home)
    assert said.startswith(f"pi-lsp {__version__} in")
    assert "ok     server" in said


async def test_an_editor_starts_it_prompts_and_ends_it(
    installed: Installed, folder: Path, home: Path
):
    async with Client(folder, home, server=(str(installed.command),)) as editor:
        assert editor.info["serverInfo"]["version"] == __version__
        await editor.run("read README.md")
        assert await editor.quit() == 0
    (session,) = (folder / ".pi" / "sessions").glob("*.jsonl")
    assert "# hello" in session.read_text(encoding="utf-8")


def test_a_session_is_exported(installed: Installed, folder: Path, home: Path):
    """Which takes the files that are no code."""
    ask(installed.command, "prompt", "--trust", "say hello", folder=folder, home=home)
    ask(installed.command, "export", "--output", "out.html", folder=folder, home=home)
    assert "<style>" in (folder / "out.html").read_text(encoding="utf-8")
