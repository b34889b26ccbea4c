"""The shell that runs commands: bash, which on Windows comes with Git."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pi_lsp import system
from pi_lsp.tools.tool import ShellSettings, ToolFault

_GIT_PLACES = (
    ("PROGRAMFILES", "Git"),
    ("PROGRAMFILES(X86)", "Git"),
    ("LOCALAPPDATA", "Programs", "Git"),
)
"""Where Git for Windows installs itself, for everybody or for one person."""

_OF_WINDOWS = frozenset({"system32", "sysnative", "windowsapps"})
"""The folders in which Windows has a `bash` of its own, which starts another system: there this
folder has another path, and the programs of this one are missing."""


def shell_program(settings: ShellSettings) -> str:
    """The program, which takes a command after `-c`.

    Raises:
        ToolFault: there is none.
    """
    if settings.path:
        path = shutil.which(os.path.expanduser(settings.path))
        if path is None:
            raise ToolFault(f"The shell {settings.path} (setting `shellPath`) was not found.")
        return path
    for candidate in _candidates_on_windows() if system.is_windows() else _CANDIDATES:
        if path := shutil.which(candidate):
            return path
    if system.is_windows():
        raise ToolFault(
            "No bash was found. Install Git for Windows, which brings one, or set `shellPath`."
        )
    raise ToolFault("No shell was found; set `shellPath` to one that understands `-c`.")


_CANDIDATES = ("/bin/bash", "bash", "sh")


def _candidates_on_windows() -> Iterator[str]:
    for variable, *names in _GIT_PLACES:
        if place := os.environ.get(variable):
            yield _bash_of_git(Path(place, *names))
    if git := shutil.which("git"):
        yield _bash_of_git(Path(git).parent.parent)  # from its cmd or bin
    for folder in os.get_exec_path():
        if Path(folder).name.casefold() not in _OF_WINDOWS:
            yield str(Path(folder, "bash.exe"))


def _bash_of_git(place: Path) -> str:
    return str(place / "bin" / "bash.exe")
