"""One writer at a time: a lock per session that dies with its process.

Lock files lie in a folder of their own beside the sessions, and stay there: a lock file that is
removed while another process waits for it would let two of them in.
"""

from __future__ import annotations

import os
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

LOCKS = ".locks"
"""The folder of the lock files, in the folder of the sessions."""

_PATIENCE_S = 0.2
"""Seconds; longer than `is_locked` elsewhere holds the lock for its question."""


def lock_path(session_file: Path) -> Path:
    """The lock file of a session."""
    return session_file.parent / LOCKS / f"{session_file.stem}.lock"


class SessionLock:
    """The right to write a session."""

    def __init__(self, session_file: Path) -> None:
        self._lock = FileLock(lock_path(session_file), mode=0o600, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._lock.is_locked

    def acquire(self) -> bool:
        """Takes the lock; False when another program has it.

        Raises:
            OSError: the lock file cannot be made, or the disk knows no locks.
        """
        folder = Path(self._lock.lock_file).parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            _acquire(self._lock, _PATIENCE_S)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Gives the lock back; idempotent."""
        self._lock.release()


def is_locked(session_file: Path) -> bool:
    """Whether some program, this one included, is writing this session now."""
    if not os.path.lexists(lock_path(session_file)):
        return False
    lock = FileLock(lock_path(session_file), mode=0o600, thread_local=False)
    try:
        _acquire(lock, 0)
    except (Timeout, OSError):
        return True
    lock.release()
    return False


def _acquire(lock: BaseFileLock, timeout_s: float) -> None:
    lock.acquire(timeout=timeout_s, poll_interval=0.02)  # pyright: ignore[reportUnknownMemberType]
