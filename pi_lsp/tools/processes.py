"""Starting commands so that they can be ended, with everything that they started.

A command gets a session of its own (POSIX) or a process group (Windows). What belongs to it are
its descendants and, on POSIX, every process of its session: a child whose parent has ended is
found by that. Windows has no sessions; there a child is known by the id of its parent, which it
keeps when that has ended.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pi_lsp import system

if TYPE_CHECKING:
    import psutil

TERM_WAIT_S = 0.25
"""How long a process may take to end by itself before it is killed."""

_CLOCK_SLACK_S = 1.0
"""By so much the system may take a process for older than it is."""

_lock = threading.Lock()
_running: dict[subprocess.Popen[bytes], float] = {}
"""The commands that run, and since when (seconds of the system's clock)."""
_left_behind: list[psutil.Process] = []
"""Background processes of commands that have ended; they end with the server."""


def start(
    arguments: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """Start a command with nothing to read, and its output and errors in one pipe.

    Raises:
        OSError: the program or the folder is not there, or cannot be used.
    """
    now = time.time()
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **system.apart_and_hidden(),
    )
    with _lock:
        if not _running and not _left_behind:
            atexit.register(end_all)
        _running[process] = now
    return process


def forget(process: subprocess.Popen[bytes]) -> None:
    """The command itself has ended; what it left in the background stays known."""
    left = _members(process)
    with _lock:
        _running.pop(process, None)
        _left_behind[:] = [one for one in _left_behind if one.is_running()] + left


def ask_to_end(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Ask a command and all that belongs to it to end (SIGTERM).

    Returns:
        All that was asked, for `kill`.
    """
    members = _members(process)
    for member in members:
        _signal(member, "terminate")
    return members


def kill(process: subprocess.Popen[bytes], known: list[psutil.Process]) -> None:
    """Kill a command and all that belongs to it, also what it started meanwhile."""
    for _ in range(5):  # a process that is starting another one may escape the first rounds
        members = _members(process)
        for member in [*members, *known]:
            _signal(member, "kill")
        if not members:
            return


def end_all() -> None:
    """Kill all commands that run, and what ended ones left in the background."""
    with _lock:
        running, left = list(_running), list(_left_behind)
        _running.clear()
        _left_behind.clear()
    for process in running:
        kill(process, [])
    for member in left:
        _signal(member, "kill")


def _members(command: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The living processes that belong to a command, itself included."""
    import psutil

    # Once the command has ended, its pid may be another process's.
    pids = [command.pid] if command.returncode is None else []
    members: dict[int, psutil.Process] = {}
    for pid in [*pids, *_pids_beside(command)]:
        if pid in members:
            continue
        try:
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE:
                members[pid] = process
                members.update((child.pid, child) for child in process.children(recursive=True))
        except psutil.Error:
            continue  # it has ended meanwhile, or is not ours to look at
    return list(members.values())


def _pids_beside(command: subprocess.Popen[bytes]) -> Iterable[int]:
    """What belongs to a command although a parent may be missing in between."""
    if not system.is_windows():
        return _session_pids(command.pid)
    # Nobody else gets the command's id as long as we hold on to the command.
    return _child_pids(command.pid, _running.get(command, time.time()))


def _session_pids(session: int) -> list[int]:
    import psutil

    found: list[int] = []
    for pid in psutil.pids():
        try:
            if os.getsid(pid) == session:
                found.append(pid)
        except OSError:
            continue  # it has ended meanwhile, or is not ours to look at
    return found


def _child_pids(parent: int, since: float) -> list[int]:
    """The processes that say that this is their parent.

    Args:
        since: when the parent was started; older ones mean another that had the same id.
    """
    import psutil

    found: list[int] = []
    for process in psutil.process_iter():
        try:
            if process.create_time() >= since - _CLOCK_SLACK_S and process.ppid() == parent:
                found.append(process.pid)
        except psutil.Error:
            continue  # it has ended meanwhile, or is not ours to look at
    return found


def _signal(process: psutil.Process, how: str) -> None:
    import psutil

    try:
        if how == "kill":
            process.kill()
        else:
            process.terminate()
    except (psutil.Error, OSError):
        return  # it has ended meanwhile, or is not ours to end
