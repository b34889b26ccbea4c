"""ripgrep and fd, where they are on the PATH and see the same as our own walk.

They are told to look at hidden files and at git's rules of this folder only, so that a machine
without them finds the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import IO

from pi_lsp.tools.paths import is_inside
from pi_lsp.tools.threads import StopFlag
from pi_lsp.tools.walk import repository_root

_MAX_COMPLAINT = 4096
_CHUNK = 64 * 1024


class ProgramFailed(Exception):
    """The program did not do it; its own words are the message."""


def ripgrep_for(root: Path, workspace: Path) -> list[str] | None:
    """ripgrep and what it must be told to see what our own walk sees; None when it cannot."""
    program = shutil.which("rg")
    if program is None or not _sees_the_same(root, workspace):
        return None
    return [
        program,
        "--no-config",
        "--hidden",
        "--no-require-git",
        "--no-ignore-dot",
        "--no-ignore-global",
        "--no-messages",
        "--glob=!.git",
        "--glob=!**/.pi/sessions",
        *_without_above(root),
    ]


def fd_for(root: Path, workspace: Path) -> list[str] | None:
    """The same for fd; Debian calls it fdfind. It also heeds `.ignore` files, which we do not."""
    program = shutil.which("fd") or shutil.which("fdfind")
    if program is None or not _sees_the_same(root, workspace):
        return None
    arguments = [
        program,
        "--hidden",
        "--no-global-ignore-file",
        "--color=never",
        "--exclude=.git",
        "--exclude=**/.pi/sessions",
        *_without_above(root),
    ]
    if repository_root(root) is not None:
        return arguments
    return [*arguments, "--no-require-git"] if _has_no_require_git(program) else None


def records(
    arguments: list[str], folder: Path, separator: bytes, flag: StopFlag
) -> Generator[bytes]:
    """Run a program and give what it prints, piece by piece; closing the iterator ends it.

    Raises:
        ProgramFailed: it could not be started, or said that something is wrong.
        Stopped: the flag was set.
    """
    with tempfile.TemporaryFile() as errors:
        process = _start(arguments, folder, errors)
        flag.on_stop(process.kill)
        try:
            yield from _split(process, separator, flag)
            process.wait()
        finally:
            _end(process)
        flag.check()
        if process.returncode not in (0, 1):
            errors.seek(0)
            if complaint := errors.read(_MAX_COMPLAINT).decode("utf-8", "replace").strip():
                raise ProgramFailed(complaint)


def _start(arguments: list[str], folder: Path, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        environment[name] = os.devnull  # fd cannot be told to leave out the person's own rules
    try:
        return subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    except OSError as fault:
        raise ProgramFailed(str(fault)) from fault


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _split(process: subprocess.Popen[bytes], separator: bytes, flag: StopFlag) -> Iterator[bytes]:
    if process.stdout is None:
        raise AssertionError("the program was started with a pipe")
    rest = b""
    while chunk := os.read(process.stdout.fileno(), _CHUNK):
        flag.check()
        *whole, rest = (rest + chunk).split(separator)
        yield from whole
    if rest:
        yield rest


def _sees_the_same(root: Path, workspace: Path) -> bool:
    """Whether these programs find the same `.gitignore` files above the searched folder.

    They look all the way up to the root of a repository, or of the disk: without a repository
    they are told not to look up at all, which is right only for the workspace folder itself and
    what lies outside of it.
    """
    return repository_root(root) is not None or root == workspace or not is_inside(root, workspace)


def _without_above(root: Path) -> list[str]:
    return [] if repository_root(root) is not None else ["--no-ignore-parent"]


@cache
def _has_no_require_git(program: str) -> bool:
    try:
        told = subprocess.run([program, "--help"], capture_output=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"--no-require-git" in told.stdout
