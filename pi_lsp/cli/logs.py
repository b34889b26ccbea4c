"""Where the server's log goes. Nothing secret is logged, whatever the level."""

from __future__ import annotations

import logging
import os
from pathlib import Path

LEVELS = ("debug", "info", "warning", "error")
DEFAULT_LEVEL = "warning"

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_MAX_BYTES = 5_000_000


def configure_logging(file: Path | None, level: str) -> None:
    """Log to a file (0600, at most 10 MB with the one before it), or to standard error.

    Raises:
        OSError: the file cannot be written.
    """
    handler: logging.Handler
    if file is None:
        handler = logging.StreamHandler()
    else:
        from logging.handlers import RotatingFileHandler

        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        handler = RotatingFileHandler(file, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8")
    logging.basicConfig(level=level.upper(), format=_FORMAT, handlers=[handler])
    logging.getLogger("pygls").setLevel(logging.WARNING)  # below, it logs every body
