"""Runs a command in a shell: the `bash` tool's, and the person's own (`pi/bash`)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_lsp.tools import processes
from pi_lsp.tools.command_output import CommandOutput
from pi_lsp.tools.live_text import LiveText
from pi_lsp.tools.shell_program import shell_program
from pi_lsp.tools.tool import ShellSettings, ToolFault

_READ_BYTES = 64 * 1024
_PIPE_WAIT_S = 0.2
"""How long the output of a command that has ended may still come in: background children may
hold the pipe for ever."""
_KILL_WAIT_S = 0.4
"""How long the end of a killed command is waited for."""


@dataclass(frozen=True)
class CommandResult:
    """What became of a command.

    Attributes:
        output: its end, at most 2000 lines and 50 KB, and a note when that is not all.
        exit_code: 128 + the signal when it was ended by one; None when it was stopped.
        cancelled: it was stopped from outside.
        timed_out: it was stopped because it took too long.
        full_output_path: the file with all of the output, when `output` is not all.
    """

    output: str
    exit_code: int | None
    cancelled: bool = False
    timed_out: bool = False
    full_output_path: Path | None = None

    @property
    def truncated(self) -> bool:
        return self.full_output_path is not None


async def run_command(
    command: str,
    folder: Path,
    settings: ShellSettings,
    *,
    timeout: float | None = None,
    on_output: Callable[[str], None] = lambda _text: None,
    stop: asyncio.Event | None = None,
) -> CommandResult:
    """Run a command to its end; its children in the background may live on.

    Cancelling, or setting `stop`, ends it and all that it started within a second.

    Args:
        timeout: seconds.
        on_output: takes text as it is printed, in the event loop; of output that comes too fast
            to be read only the end of each piece.

    Raises:
        ToolFault: it could not be started.
    """
    process = _start(command, folder, settings)
    running = _Running(process, on_output)
    try:
        ended_itself = await running.wait(timeout, stop)
    except asyncio.CancelledError:
        await running.end()
        raise
    if not ended_itself:
        await running.end()
    await running.finish()
    stopped = stop is not None and stop.is_set()
    return CommandResult(
        output=running.output.tail(),
        exit_code=_exit_code(process.returncode) if ended_itself else None,
        cancelled=not ended_itself and stopped,
        timed_out=not ended_itself and not stopped,
        full_output_path=running.output.full_path,
    )


class _Running:
    """A running command: one thread reads its pipe, another waits for its end.

    Threads, because the event loop's own subprocesses wait for the pipe to close, which a
    background child can put off for ever, and because not every loop can watch a pipe. What a
    background child prints after the command has ended is read on and dropped, so that it does
    not die of a broken pipe.
    """

    def __init__(self, process: subprocess.Popen[bytes], on_output: Callable[[str], None]) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._all_read = asyncio.Event()
        self._live = LiveText(self._loop, on_output)
        self.output = CommandOutput(self._live.add)
        for work in (self._read, self._wait_for_end):
            threading.Thread(target=work, name="pi-command", daemon=True).start()

    async def wait(self, timeout: float | None, stop: asyncio.Event | None) -> bool:
        """Whether the command ended before the time was over or it was stopped."""
        events = [self._ended] if stop is None else [self._ended, stop]
        waiting = [asyncio.ensure_future(event.wait()) for event in events]
        try:
            await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()
        return self._ended.is_set()

    async def end(self) -> None:
        """End the command and all that belongs to it; a second cancellation does not stop this."""
        ending = asyncio.ensure_future(self._end())
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            await asyncio.wait([ending])
            raise

    async def _end(self) -> None:
        members = processes.ask_to_end(self._process)
        await _within(processes.TERM_WAIT_S, self._ended)
        processes.kill(self._process, members)
        await _within(_KILL_WAIT_S, self._ended)

    async def finish(self) -> None:
        """Take what is still in the pipe, and let go of it."""
        await _within(_PIPE_WAIT_S, self._all_read)
        self.output.close()
        self._live.close()

    def _read(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            raise AssertionError("the command was started with a pipe")
        with pipe:
            while data := os.read(pipe.fileno(), _READ_BYTES):
                self.output.add(data)
        self._tell(self._all_read)

    def _wait_for_end(self) -> None:
        self._process.wait()
        processes.forget(self._process)
        self._tell(self._ended)

    def _tell(self, event: asyncio.Event) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self._loop.call_soon_threadsafe(event.set)


async def _within(seconds: float, event: asyncio.Event) -> None:
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def _exit_code(returncode: int) -> int:
    return 128 - returncode if returncode < 0 else returncode


def _start(command: str, folder: Path, settings: ShellSettings) -> subprocess.Popen[bytes]:
    if not folder.is_dir():
        raise ToolFault(f"The folder {folder} does not exist, so no command can run in it.")
    shell = shell_program(settings)
    if settings.command_prefix:
        command = f"{settings.command_prefix}\n{command}"
    hidden = {name.upper() for name in settings.hidden_variables}
    environment = {k: v for k, v in os.environ.items() if k.upper() not in hidden}
    try:
        return processes.start([shell, "-c", command], folder, environment)
    except (OSError, ValueError) as fault:
        raise ToolFault(f"The command could not be started with {shell}: {fault}") from fault
