"""Where the person's own files lie."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER_SETTINGS = Path(".pi", "settings.json")
"""A folder's settings, relative to it."""


def agent_directory() -> Path:
    """pi's own directory: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. It need not exist."""
    moved = os.environ.get("PI_CODING_AGENT_DIR")
    if moved:
        return Path(moved).expanduser().absolute()
    return Path.home() / ".pi" / "agent"
