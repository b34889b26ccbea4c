"""pi's `trust.json`: which folders the person trusts.

The file maps real paths of folders to true, false or null; the nearest folder upwards that has
true or false decides. It is pi's own file, read and written as pi 1.6.0 does.
"""

from __future__ import annotations

import os
from pathlib import Path

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.settings.json_files import change_object, read_object
from pi_lsp.settings.locations import agent_directory


class TrustFile:
    """The file in pi's own directory; both methods block on disk.

    Args:
        directory: pi's own directory; None for the usual one.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.path = (directory or agent_directory()) / "trust.json"

    def decision(self, folder: Path) -> bool | None:
        """What the person decided on this folder or the nearest one around it; None: nothing.

        Raises:
            StorageError: the file cannot be read, or holds something else. Then nothing is
                trusted.
        """
        decisions = read_object(self.path) or {}
        self._check(decisions)
        by_name = {_compared(Path(name)): value for name, value in decisions.items()}
        real = Path(os.path.realpath(folder))
        for place in (real, *real.parents):
            decided = by_name.get(_compared(place))
            if isinstance(decided, bool):
                return decided
        return None

    def decide(self, folder: Path, trusted: bool) -> None:
        """Keep the person's decision on this folder.

        Raises:
            StorageError: the file cannot be read or written, or holds something else.
        """
        real = Path(os.path.realpath(folder))

        def set_decision(decisions: JsonObject) -> None:
            self._check(decisions)
            for name in [name for name in decisions if _compared(Path(name)) == _compared(real)]:
                del decisions[name]
            decisions[str(real)] = trusted
            in_order = sorted(decisions.items())
            decisions.clear()
            decisions.update(in_order)

        change_object(self.path, set_decision)

    def _check(self, decisions: JsonObject) -> None:
        if not all(value is None or isinstance(value, bool) for value in decisions.values()):
            raise StorageError(f"{self.path} holds something else than decisions on folders.")


def _compared(path: Path) -> str:
    """As two paths are compared: without regard to case on Windows."""
    return os.path.normcase(path)
