"""The files in which a project and a person tell the agent how to work.

`AGENTS.md`, or `CLAUDE.md` where there is no `AGENTS.md`, in pi's own folder and in the workspace
folder and each folder above it. Only a trusted folder's files are read: they are instructions. Of
them a link is followed only within the folder in which it lies, so that what a project says it is
cannot be a private file from elsewhere.
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
    candidates = [_first(agent_dir, links_lead_anywhere=True)]
    if trusted:
        candidates += [_first(place) for place in (*reversed(folder.parents), folder)]
    found: list[ContextFile] = []
    for file in candidates:
        if file is not None and all(file.path != other.path for other in found):
            found.append(file)
    return found


def _first(place: Path, *, links_lead_anywhere: bool = False) -> ContextFile | None:
    for name in NAMES:
        path = place / name
        try:
            real = path.resolve(strict=True)
            if not (links_lead_anywhere or real.is_relative_to(place.resolve())):
                log.warning("%s is a link that leads elsewhere, and is not read", path)
                continue
            if not real.is_file():
                log.warning("%s is no file, and is not read", path)
                continue
            with real.open("rb") as stream:
                data = stream.read(LIMIT)
        except FileNotFoundError:
            continue
        except (OSError, RuntimeError) as fault:  # a circle of links is the latter
            log.warning("%s cannot be read: %s", path, fault)
            continue
        return ContextFile(path, data.decode("utf-8-sig", errors="replace"))
    return None
