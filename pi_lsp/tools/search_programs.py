"""ripgrep and fd, where they are on the PATH and see the same as our own walk.

They are told to look at hidden files and at git's rules of this folder only, so that a machine
without them finds the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import IO

from pi_lsp import system
from pi_lsp.tools.paths import is_inside
from pi_lsp.tools.threads import StopFlag
from pi_lsp.tools.walk import repository_root

_MAX_COMPLAINT = 4096
_CHUNK = 64 * 1024
_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore", ".fdignore", ".git/info/exclude")

_MAX_SILENCE_S = 30.0
_MAX_MEMORY_BYTES = 1024 * 1024 * 1024
_WATCH_EVERY_S = 0.1
"""A `.gitignore` anywhere in the tree may be a link to a pipe or to a device without an end, at
which these programs hang, or which they load whole. Looking for one beforehand would be a walk of
its own, so they are watched instead."""


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
        "--no-mmap",  # else large files count as its memory
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
        watch = _Watch(process)
        try:
            yield from _split(process, separator, flag, watch)
            process.wait()
        finally:
            watch.end()
            _end(process)
        flag.check()
        if watch.complaint is not None:
            raise ProgramFailed(watch.complaint)
        if process.returncode not in (0, 1):
            errors.seek(0)
            if complaint := errors.read(_MAX_COMPLAINT).decode("utf-8", "replace").strip():
                raise ProgramFailed(complaint)


class _Watch:
    """Kills a program that is silent for too long, or takes too much memory.

    Attributes:
        complaint: why it was killed; None when it was not.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.complaint: str | None = None
        self._process = process
        self._waiting_since: float | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="pi-tools-watch", daemon=True)
        self._thread.start()

    def read(self, descriptor: int) -> bytes:
        """Wait for what the program prints next; only this waiting counts as its silence."""
        self._waiting_since = time.monotonic()
        try:
            return os.read(descriptor, _CHUNK)
        finally:
            self._waiting_since = None

    def end(self) -> None:
        """Call before the process is waited for: after that its id may be another's."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        import psutil

        with suppress(psutil.Error):  # it has ended by itself
            program = psutil.Process(self._process.pid)
            while self.complaint is None and not self._ended.wait(_WATCH_EVERY_S):
                since = self._waiting_since
                if since is not None and time.monotonic() - since > _MAX_SILENCE_S:
                    self.complaint = "It printed nothing for too long."
                elif program.memory_info().rss > _MAX_MEMORY_BYTES:
                    self.complaint = "It took too much memory."
        if self.complaint is not None:
            self._process.kill()


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
            creationflags=system.hidden(),
        )
    except OSError as fault:
        raise ProgramFailed(str(fault)) from fault


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _split(
    process: subprocess.Popen[bytes], separator: bytes, flag: StopFlag, watch: _Watch
) -> Iterator[bytes]:
    if process.stdout is None:
        raise AssertionError("the program was started with a pipe")
    rest = b""
    while chunk := watch.read(process.stdout.fileno()):
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
    top = repository_root(root)
    if top is None and root != workspace and is_inside(root, workspace):
        return False
    return not any(
        _is_no_file(folder / name)
        for folder in (root, *root.parents)
        if is_inside(folder, top or root)
        for name in _IGNORE_FILES
    )


def _is_no_file(path: Path) -> bool:
    """Whether something is there that is no regular file."""
    try:
        return not S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _without_above(root: Path) -> list[str]:
    return [] if repository_root(root) is not None else ["--no-ignore-parent"]


@cache
def _has_no_require_git(program: str) -> bool:
    try:
        told = subprocess.run(
            [program, "--help"],
            capture_output=True,
            check=False,
            timeout=5,
            creationflags=system.hidden(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"--no-require-git" in told.stdout
