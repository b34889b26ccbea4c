"""Starting commands so that they can be ended, with everything that they started.

A command gets a session of its own (POSIX) or a process group (Windows). What belongs to it are
its descendants and, on POSIX, every process of its session: a child whose parent has ended is
found by that.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

TERM_WAIT_S = 0.25
"""How long a process may take to end by itself before it is killed."""

_lock = threading.Lock()
_running: set[subprocess.Popen[bytes]] = set()
_left_behind: list[psutil.Process] = []
"""Background processes of commands that have ended; they end with the server."""


def start(
    arguments: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    """Start a command with nothing to read, and its output and errors in one pipe.

    Raises:
        OSError: the program or the folder is not there, or cannot be used.
    """
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=os.name == "posix",
        creationflags=_windows_flags(),
    )
    with _lock:
        if not _running and not _left_behind:
            atexit.register(end_all)
        _running.add(process)
    return process


def forget(process: subprocess.Popen[bytes]) -> None:
    """The command itself has ended; what it left in the background stays known."""
    left = _members(process)
    with _lock:
        _running.discard(process)
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


def _windows_flags() -> int:
    if sys.platform != "win32":
        return 0
    return subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW


def _members(command: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The living processes that belong to a command, itself included."""
    import psutil

    # Once the command has ended, its pid may be another process's.
    pids = [command.pid] if command.returncode is None else []
    members: dict[int, psutil.Process] = {}
    for pid in [*pids, *_session_pids(command.pid)]:
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


def _session_pids(session: int) -> list[int]:
    if sys.platform == "win32":
        return []
    import psutil

    found: list[int] = []
    for pid in psutil.pids():
        try:
            if os.getsid(pid) == session:
                found.append(pid)
        except OSError:
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
