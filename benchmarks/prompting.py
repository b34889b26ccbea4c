"""A prompt: until the provider is asked, and an answer in many small pieces.

Both programs are asked for the same; both have had `READY_S` to load what they load in the
background. The provider is a local server in another process.
"""

from __future__ import annotations

import itertools
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.processes import (
    OUR_COMMAND,
    PI_COMMAND,
    Pipes,
    Sample,
    Times,
    ask_pi,
    ask_server,
    compare,
    framed,
    measure,
    point_at,
    workspace,
)
from benchmarks.quick_provider import quick_provider
from benchmarks.session_files import write_session
from benchmarks.table import Row, rows_of

DELTAS = 20_000
CONTEXT_BYTES = 10_000_000
READY_S = 4.0

PI_PROMPT = b'{"type":"prompt","message":"go"}\n'
OUR_PROMPT = framed({"id": 9, "method": "pi/prompt", "params": {"text": "go"}})
PI_SETTLED = b'"type":"agent_settled"'
OUR_SETTLED = b'"type": "settled"'

Ready = Callable[[Pipes], None]
Task = Callable[[Pipes], Times]


def rows(rounds: int) -> list[Row]:
    """The lines of the table."""
    return [*_stream(rounds), *_first_byte(rounds)]


def _stream(rounds: int) -> list[Row]:
    with quick_provider(DELTAS) as url:
        pi, ours = _compare(
            rounds, url, 0, _until(PI_SETTLED, PI_PROMPT), _until(OUR_SETTLED, OUR_PROMPT)
        )
    what = f"{DELTAS:,} deltas until settled"
    share = 1 / DELTAS
    return [
        *rows_of(what, pi, ours, seconds=0.8, processor=0.8, memory=0.5),
        Row(
            f"{what}: to the client, per delta",
            "B",
            pi.bytes_read * share,
            ours.bytes_read * share,
            0.1,
        ),
    ]


def _first_byte(rounds: int) -> list[Row]:
    with _Listener() as listener:
        tasks = _until_asked(listener, PI_PROMPT), _until_asked(listener, OUR_PROMPT)
        pi, ours = _compare(rounds, listener.url, CONTEXT_BYTES, *tasks)
    what = "prompt on 10 MB of context, until the provider is asked"
    return rows_of(what, pi, ours, seconds=0.8)


def _compare(
    rounds: int, url: str, context_bytes: int, pi_task: Task, our_task: Task
) -> list[Sample]:
    """Each run gets a folder of its own, so that no answer is in the next one's context."""
    has_session = context_bytes > 0
    with tempfile.TemporaryDirectory() as name:
        numbers = itertools.count()

        def run(
            command: Sequence[str | Path], get_ready: Callable[[Path], Ready], task: Task
        ) -> Sample:
            folder, home = workspace(Path(name) / str(next(numbers)))
            point_at(url, home)
            if has_session:
                write_session(folder / ".pi" / "sessions", 1, context_bytes, window=None)
            return measure(command, folder, home, _when_ready(get_ready(folder), task))

        return compare(
            rounds,
            lambda: run(PI_COMMAND, lambda _folder: ask_pi(has_session=has_session), pi_task),
            lambda: run(OUR_COMMAND, partial(ask_server, has_session=has_session), our_task),
        )


def _when_ready(get_ready: Ready, task: Task) -> Task:
    def do(pipes: Pipes) -> Times:
        get_ready(pipes)
        time.sleep(READY_S)
        return task(pipes)

    return do


def _until(mark: bytes, prompt: bytes) -> Task:
    """Prompts, and reads all that comes as quickly as it can, until an event that ends the run."""

    def task(pipes: Pipes) -> Times:
        used, start, count, tail = pipes.processor(), time.perf_counter(), 0, b""
        pipes.stdin.write(prompt)
        pipes.stdin.flush()
        while mark not in tail:
            data = os.read(pipes.stdout.fileno(), 1 << 20)
            if not data:
                raise RuntimeError("the program ended in the middle of the run")
            count += len(data)
            tail = tail[-len(mark) :] + data
        seconds = time.perf_counter() - start
        return Times(seconds, pipes.processor() - used, count)

    return task


def _until_asked(listener: _Listener, prompt: bytes) -> Task:
    """Prompts, and waits for the first byte that the provider gets."""

    def task(pipes: Pipes) -> Times:
        listener.expect()
        used, start = pipes.processor(), time.perf_counter()
        pipes.stdin.write(prompt)
        pipes.stdin.flush()
        arrived = listener.arrival()
        return Times(arrived - start, pipes.processor() - used)

    return task


class _Listener:
    """A provider that notes when it is asked, and never answers."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._asked = threading.Event()
        self._arrival = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def expect(self) -> None:
        """What comes from now on counts."""
        self._asked.clear()

    def arrival(self) -> float:
        """When the first byte came, on the clock of `time.perf_counter`.

        Raises:
            RuntimeError: none has come within a minute.
        """
        if not self._asked.wait(60):
            raise RuntimeError("the provider was not asked")
        return self._arrival

    def __enter__(self) -> _Listener:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._take, args=[connection], daemon=True).start()

    def _take(self, connection: socket.socket) -> None:
        with connection:
            if connection.recv(1) and not self._asked.is_set():
                self._arrival = time.perf_counter()
                self._asked.set()
            while connection.recv(1 << 20):
                pass
