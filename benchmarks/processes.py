"""Runs a program until it has done its task, and says how long that took, how long processors
worked on it, and how much memory it held at most."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import psutil

MODULES = Path(__file__).parents[1] / "tests" / "pi" / "node_modules"
NODE = MODULES / ".bin" / "node"
PI = MODULES / "@earendil-works" / "pi-coding-agent" / "dist"

SETTLE_S = 2.0
"""Seconds that a program stays after its task, so that what it does then counts as memory too."""


@dataclass(frozen=True)
class Sample:
    """One run: seconds to the end of the task, seconds of processor time of all its threads, and
    the most memory held, in MB."""

    seconds: float
    processor: float
    megabytes: float


class Times(NamedTuple):
    """Seconds that a program says it took, and its processor seconds."""

    seconds: float
    processor: float


@dataclass(frozen=True)
class Pipes:
    """A running program's standard input and output."""

    stdin: IO[bytes]
    stdout: IO[bytes]


def measure(
    command: Sequence[str | Path], folder: Path, home: Path, task: Callable[[Pipes], Times | None]
) -> Sample:
    """Starts a program in a folder and does a task with it.

    Args:
        home: takes the place of the person's home, so that nobody's settings count.
        task: returns when the program has done it: what the program says it took, or None when
            all from its start on counts.
    """
    environment = {
        **os.environ,
        "HOME": str(home),
        "PI_CODING_AGENT_DIR": str(home / ".pi" / "agent"),
        "PI_OFFLINE": "1",
        "ANTHROPIC_API_KEY": "none",
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        said = task(Pipes(process.stdin, process.stdout))
        times = said or _times_until_now(process.pid, start)
        if said is None:
            time.sleep(SETTLE_S)
    finally:
        process.kill()
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = -9
    unit = 1 if sys.platform == "darwin" else 1024
    return Sample(times.seconds, times.processor, used.ru_maxrss * unit / 1e6)


def _times_until_now(process_id: int, start: float) -> Times:
    used = psutil.Process(process_id).cpu_times()
    return Times(time.perf_counter() - start, used.user + used.system)


def compare(rounds: int, *runs: Callable[[], Sample]) -> list[Sample]:
    """The medians of each run, all of them in turn in each round, so that what else the machine
    does meets all alike. The first round only warms up the caches."""
    samples = [[run() for run in runs] for _ in range(rounds + 1)][1:]
    return [
        Sample(
            statistics.median(sample.seconds for sample in column),
            statistics.median(sample.processor for sample in column),
            statistics.median(sample.megabytes for sample in column),
        )
        for column in zip(*samples, strict=True)
    ]


def ask_pi(pipes: Pipes) -> None:
    """Asks pi in its RPC mode for its state, and waits for the answer."""
    pipes.stdin.write(b'{"type":"get_state"}\n')
    pipes.stdin.flush()
    for line in pipes.stdout:
        message = json.loads(line)
        if message.get("command") == "get_state":
            assert message["data"]["messageCount"] > 0, message
            return
    raise RuntimeError("pi ended without an answer")


def ask_server(folder: Path) -> Callable[[Pipes], None]:
    """Begins with our server as an editor does, and asks for the state of the session."""

    def ask(pipes: Pipes) -> None:
        workspace = {"uri": folder.as_uri(), "name": "measured"}
        options = {"trusted": True}
        params = {
            "processId": None,
            "rootUri": folder.as_uri(),
            "capabilities": {},
            "workspaceFolders": [workspace],
            "initializationOptions": options,
        }
        _request(pipes, 1, "initialize", params)
        _send(pipes, {"method": "initialized", "params": {}})
        state = _request(pipes, 2, "pi/state", {})
        assert state["messageCount"] > 0, state

    return ask


def _request(pipes: Pipes, request_id: int, method: str, params: object) -> dict[str, int]:
    _send(pipes, {"id": request_id, "method": method, "params": params})
    while True:
        message = _receive(pipes)
        if message.get("id") == request_id and "method" not in message:
            return message["result"]


def _send(pipes: Pipes, message: dict[str, object]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    pipes.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    pipes.stdin.flush()


def _receive(pipes: Pipes) -> dict[str, dict[str, int]]:
    length = 0
    while (line := pipes.stdout.readline().strip()) != b"":
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        raise RuntimeError("the server ended without an answer")
    return json.loads(pipes.stdout.read(length))
