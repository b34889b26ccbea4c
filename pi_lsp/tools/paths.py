"""Paths as the model writes them, and as it is shown them."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from pi_lsp import system
from pi_lsp.tools.characters import plain_characters
from pi_lsp.tools.tool import ToolFault


@dataclass(frozen=True)
class Place:
    """A path of a call.

    Attributes:
        named: absolute, as the model named it; links are not resolved.
        real: the file itself; all links are resolved.
    """

    named: Path
    real: Path


def locate(text: str, folder: Path) -> Place:
    """Where a path leads.

    Relative paths start at `folder`; `~` is the person's home, and a leading `@` (as people
    write when they mention a file) is dropped. A name that does not exist as written, but does
    with other spaces, quotes or Unicode normal forms, is that one.

    Raises:
        ToolFault: it is no path.
    """
    named = _absolute(text, folder)
    if not os.path.lexists(named):
        named = _existing_spelling(named)
    return Place(named, system.real_path(named))


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a real path is the folder or lies in it."""
    return path == folder or folder in path.parents


def shown(path: Path, folder: Path) -> str:
    """A path for the model and for people: relative inside the folder, with `/`."""
    if path == folder:
        return "."
    if folder in path.parents:
        return path.relative_to(folder).as_posix()
    return path.as_posix()


def _absolute(text: str, folder: Path) -> Path:
    if not text.strip():
        raise ToolFault("`path` is empty.")
    text = system.shell_path(_without_mention(text, folder))
    if text == "~" or text.startswith(("~/", "~" + os.sep)):
        text = str(Path.home()) + text[1:]
    return folder / text


def _without_mention(text: str, folder: Path) -> str:
    """Drop a leading `@`, but not from a name that has one (`@types/node`)."""
    if not text.startswith("@") or len(text) == 1:
        return text
    first = Path(text).parts[0]
    return text if os.path.lexists(folder / first) else text[1:]


def _existing_spelling(path: Path) -> Path:
    """The path with each missing part replaced by the one entry that looks the same."""
    found = Path(path.anchor)
    for part in path.parts[1:]:
        candidate = found / part
        if part != ".." and not os.path.lexists(candidate):
            spelled = _look_alike(found, part)
            if spelled is None:
                return path
            candidate = found / spelled
        found = candidate
    return found


def _look_alike(directory: Path, name: str) -> str | None:
    wanted = _folded(name)
    try:
        names = os.listdir(directory)
    except OSError:
        return None
    alike = [one for one in names if _folded(one) == wanted]
    return alike[0] if len(alike) == 1 else None


def _folded(name: str) -> str:
    return plain_characters(unicodedata.normalize("NFKD", name))
