"""Throwing a file away so that a person can get it back."""

from __future__ import annotations

from pathlib import Path


def throw_away(path: Path) -> None:
    """Puts a file into the system's trash; removes it where there is none.

    Raises:
        OSError: the file is there and cannot be removed.
    """
    from send2trash import send2trash

    try:
        send2trash(str(path))
    except OSError:
        path.unlink(missing_ok=True)
