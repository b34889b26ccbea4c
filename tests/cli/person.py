"""A person at a terminal: runs a command in a real one, reads, types and presses Ctrl-C."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType

PATIENCE_S = 60


class Person:
    """Use it in `with`; the command is ended with it."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._terminal, terminal_of_command = pty.openpty()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "TERM": "xterm"},
            stdin=terminal_of_command,
            stdout=terminal_of_command,
            stderr=terminal_of_command,
            start_new_session=True,
            preexec_fn=_own_the_terminal,
        )
        os.close(terminal_of_command)
        self.seen = ""

    def __enter__(self) -> Person:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

    def sees(self, text: str) -> None:
        """Wait until this text is shown; what was shown before it does not count again."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            assert time.monotonic() < deadline, f"{text!r} never came; there was {self.seen!r}"
            assert self._read(), f"it ended without {text!r}; there was {self.seen!r}"
        self.seen = self.seen.partition(text)[2]

    def types(self, text: str) -> None:
        """Type a line."""
        os.write(self._terminal, text.encode() + b"\n")

    def presses_ctrl_c(self) -> None:
        os.write(self._terminal, b"\x03")

    def waits_for_the_end(self) -> int:
        """The exit code; `seen` then holds all that was shown last."""
        while self._read():
            pass
        return self._process.wait(PATIENCE_S)

    def _read(self) -> bool:
        """Read what there is; False at the end."""
        readable, _, _ = select.select([self._terminal], [], [], PATIENCE_S)
        if not readable:
            return False
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # Linux says so when the last program has closed its end
            return False
        self.seen += data.decode("utf-8", errors="replace").replace("\r\n", "\n")
        return bool(data)


def _own_the_terminal() -> None:
    """Make the terminal the new session's own, so that Ctrl-C in it becomes a signal.

    What a shell runs in the background ignores that signal, and hands this down; so the tests may.
    """
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
