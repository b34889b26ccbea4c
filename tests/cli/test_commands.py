"""What can be typed, and what comes of it before anything runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pi_lsp import __version__
from tests.cli.conftest import Command


def test_the_version(run: Command) -> None:
    assert __version__ in run("--version").stdout


def test_python_m_is_the_same_command(environment: dict[str, str], tmp_path: Path) -> None:
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "pi_lsp", "--version"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith("pi-lsp")


def test_help_lists_the_commands_and_the_exit_codes(run: Command) -> None:
    text = run("--help").stdout

    for word in ("prompt", "sessions", "tree", "export", "doctor", "Exit codes", "130"):
        assert word in text


@pytest.mark.parametrize("command", ["prompt", "sessions", "tree", "export", "doctor"])
def test_each_command_has_help(command: str, run: Command) -> None:
    done = run(command, "--help")

    assert done.returncode == 0
    assert "--cwd" in done.stdout


@pytest.mark.parametrize(
    "address", ["0.0.0.0:8000", "192.168.0.1:8000", "example.org:8000", "[::]:8000", ":8000"]
)
def test_other_machines_are_refused_with_a_reason(address: str, run: Command) -> None:
    done = run("--tcp", address)

    assert done.returncode == 2
    assert "run commands as you" in " ".join(done.stderr.split())


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.1:port", "localhost:99999"])
def test_an_address_without_a_port_is_not_understood(address: str, run: Command) -> None:
    done = run("--tcp", address)

    assert done.returncode == 2
    assert "HOST:PORT" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-command",),
        ("prompt",),
        ("prompt", "  "),
        ("prompt", "hi", "--approval", "yolo"),
        ("prompt", "hi", "--thinking", "hard"),
        ("prompt", "hi", "--cwd", "no/such/folder"),
        ("--log-file", "/dev/null/log"),
    ],
)
def test_what_is_not_understood_exits_with_2(arguments: tuple[str, ...], run: Command) -> None:
    done = run(*arguments)

    assert done.returncode == 2
    assert "Error" in done.stderr
    assert "Traceback" not in done.stderr
