"""The forms that a secret may take in the person's own files, which are pi's.

    $NAME, ${NAME}    the value of an environment variable, anywhere in the text
    $$, $!            a plain `$` or `!`
    !command          at the start: what the command prints, without the white space around it

Anything else stands for itself.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping

from pi_lsp import system

COMMAND_TIMEOUT_S = 10

_REFERENCE = re.compile(r"\$(?:([$!])|\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)


def is_command(value: str) -> bool:
    """Whether a program has to run for this value."""
    return value.startswith("!")


def variables(value: str) -> set[str]:
    """The environment variables that a value names."""
    if is_command(value):
        return set()
    return {braced or bare for _, braced, bare in _REFERENCE.findall(value)} - {""}


def expanded(value: str, environ: Mapping[str, str]) -> str | None:
    """A value with its variables filled in; None when one of them is not set.

    A variable that is set to nothing counts as not set.
    """
    missing = False

    def fill(match: re.Match[str]) -> str:
        nonlocal missing
        plain, braced, bare = match.groups()
        if plain:
            return plain
        found = environ.get(braced or bare, "")
        missing = missing or not found
        return found

    text = _REFERENCE.sub(fill, value)
    return None if missing else text or None


def printed(value: str) -> str | None:
    """What the command of a value prints; it blocks for up to 10 s.

    None when it fails, takes too long or prints nothing. What it says on stderr is dropped: it
    may hold the secret.
    """
    try:
        done = subprocess.run(
            value[1:],
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=COMMAND_TIMEOUT_S,
            check=True,
            creationflags=system.hidden(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", errors="replace").strip() or None
