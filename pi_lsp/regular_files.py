"""Reading files that another person or program may have put there: regular ones only.

A pipe makes its reader wait for ever, a device may have no end; a folder that was cloned can hold
links to both.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that came between the look and the opening
)


def read_regular(path: Path, max_bytes: int | None = None) -> bytes:
    """The bytes of a regular file, links followed.

    Args:
        max_bytes: a larger file is refused with EFBIG, and never read further than that.

    Raises:
        OSError: it is something else, too large, or cannot be read.
    """
    _require_regular(path.stat())
    descriptor = os.open(path, _OPEN_FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        _require_regular(os.fstat(descriptor))
        if max_bytes is None:
            return file.read()
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def _require_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file (a device, pipe or socket)")
