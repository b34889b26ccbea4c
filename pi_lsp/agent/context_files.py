"""The files in which a project and a person tell the agent how to work.

`AGENTS.md`, or `CLAUDE.md` where there is no `AGENTS.md`, in pi's own folder and in the workspace
folder and each folder above it. Only a trusted folder's files are read: they are instructions.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

NAMES = ("AGENTS.md", "CLAUDE.md")
LIMIT = 100_000
"""Bytes that are read of one file; a longer one is cut."""


@dataclass(frozen=True)
class ContextFile:
    path: Path
    text: str


def find_context_files(folder: Path, agent_dir: Path, *, trusted: bool) -> list[ContextFile]:
    """The context files that count for a folder, the most general first.

    Args:
        folder: the workspace folder, absolute.
        agent_dir: pi's own folder of the user.
        trusted: whether the folder's files, and those above it, may be read.
    """
    folders = [agent_dir]
    if trusted:
        folders += [*reversed(folder.parents), folder]
    found: list[ContextFile] = []
    for place in folders:
        file = _first(place)
        if file is not None and all(file.path != other.path for other in found):
            found.append(file)
    return found


def _first(place: Path) -> ContextFile | None:
    for name in NAMES:
        path = place / name
        try:
            with path.open("rb") as stream:
                data = stream.read(LIMIT)
        except FileNotFoundError:
            continue
        except OSError as fault:
            log.warning("%s cannot be read: %s", path, fault.strerror)
            continue
        return ContextFile(path, data.decode("utf-8-sig", errors="replace"))
    return None
