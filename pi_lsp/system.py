"""What differs between operating systems, in one place: a test answers for another one by
replacing `is_windows` or `is_mac`, and everything else follows."""

from __future__ import annotations

import os
import re
import sys
import time
import unicodedata
from pathlib import Path
from typing import TypedDict

# https://learn.microsoft.com/windows/win32/procthread/process-creation-flags
# The module `subprocess` has these names on Windows only.
_CREATE_NEW_PROCESS_GROUP = 0x0000_0200
_CREATE_NO_WINDOW = 0x0800_0000

_REPLACE_PATIENCE_S = 1.0
_REPLACE_RETRY_S = 0.02

_SHELL_DRIVE = re.compile(r"/([A-Za-z])(/|$)")


def is_windows() -> bool:
    return os.name == "nt"


def is_mac() -> bool:
    return sys.platform == "darwin"


class StartOptions(TypedDict):
    """Options of `subprocess.Popen`."""

    start_new_session: bool
    creationflags: int


def apart() -> StartOptions:
    """Starts a program that a Ctrl-C in our terminal does not reach."""
    if is_windows():
        return {"start_new_session": False, "creationflags": _CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True, "creationflags": 0}


def apart_and_hidden() -> StartOptions:
    """The same, and without a window for its console: for programs whose output we take."""
    options = apart()
    options["creationflags"] |= hidden()
    return options


def hidden() -> int:
    """The `creationflags` of a program whose output we take: under an editor, which has no console,
    Windows would open a window for it."""
    return _CREATE_NO_WINDOW if is_windows() else 0


def replace(source: Path, target: Path) -> None:
    """Put a file into another's place, in one step.

    Windows refuses that while a program has the target open, a virus scanner for example; there it
    is tried for a second.

    Raises:
        OSError: it cannot be done; both files are as they were.
    """
    deadline = time.monotonic() + _REPLACE_PATIENCE_S
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if not is_windows() or time.monotonic() > deadline:
                raise
            time.sleep(_REPLACE_RETRY_S)


def real_path(path: Path) -> Path:
    """The one name of a file by which two paths to it can be compared: links are resolved, and on
    macOS names are spelled as on the disk, since its file systems take upper and lower case, and
    composed and decomposed letters, for the same. (Windows spells them so by itself.)

    What does not exist, and a link that leads in a circle, keeps its name.
    """
    real = Path(os.path.realpath(path))
    return _as_on_disk(real) if is_mac() else real


def shell_path(text: str) -> str:
    """A path as a shell writes it, for this system: on Windows the shell of Git says `/c/Users`
    where all other programs say `C:/Users`."""
    drive = _SHELL_DRIVE.match(text) if is_windows() else None
    return f"{drive[1].upper()}:/{text[drive.end() :]}" if drive else text


def with_slashes(text: str) -> str:
    """A path, or a pattern of paths, with `/` between its names whatever the system writes."""
    return text.replace("\\", "/") if is_windows() else text


def _as_on_disk(path: Path) -> Path:
    found = Path(path.anchor)
    for name in path.parts[1:]:
        found /= _name_on_disk(found, name)
    return found


def _name_on_disk(folder: Path, name: str) -> str:
    """The name of an entry as its folder lists it; as given when there is none, or when the folder
    does not say."""
    if not os.path.lexists(folder / name):
        return name
    try:
        names = os.listdir(folder)
    except OSError:
        return name
    if name in names:
        return name
    return next((one for one in names if _folded(one) == _folded(name)), name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
