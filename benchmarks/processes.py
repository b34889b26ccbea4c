"""Runs a program until it has done its task, and says how long that took, how long processors
worked on it, and how much memory it held at most."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import IO, NamedTuple

import psutil

MODULES = Path(__file__).parents[1] / "tests" / "pi" / "node_modules"
NODE = MODULES / ".bin" / "node"
PI = MODULES / "@earendil-works" / "pi-coding-agent" / "dist"

PI_COMMAND = [
    *(NODE, PI / "bundle" / "cli.js", "--mode", "rpc"),
    *("--session-dir", ".pi/sessions", "--continue"),
]
OUR_COMMAND = [sys.executable, "-m", "pi_lsp"]

MODEL_ID = "claude-sonnet-4-5"

SETTLE_S = 2.0
"""Seconds that a program stays after its task, so that what it does then counts as memory too."""


@dataclass(frozen=True)
class Sample:
    """One run: seconds to the end of the task, seconds of processor time of all its threads, the
    most memory held until then and until the end (a while later), in MB, and the bytes that a
    client had to read."""

    seconds: float
    processor: float
    megabytes: float
    megabytes_later: float
    bytes_read: float


class Times(NamedTuple):
    """Seconds of a task, its processor seconds, and the bytes that a client read meanwhile."""

    seconds: float
    processor: float
    bytes_read: int = 0


@dataclass(frozen=True)
class Pipes:
    """A running program, with its standard input and output."""

    process_id: int
    stdin: IO[bytes]
    stdout: IO[bytes]

    def processor(self) -> float:
        """Seconds that processors have worked on it until now."""
        used = psutil.Process(self.process_id).cpu_times()
        return used.user + used.system


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
    pipes = Pipes(process.pid, process.stdin, process.stdout)
    try:
        said = task(pipes)
        times = said or Times(time.perf_counter() - start, pipes.processor())
        megabytes = _peak_megabytes(process.pid)
        if said is None:
            time.sleep(SETTLE_S)
        later = _peak_megabytes(process.pid)
    finally:
        process.kill()
        process.wait()
    return Sample(times.seconds, times.processor, megabytes, later, times.bytes_read)


def workspace(place: Path) -> tuple[Path, Path]:
    """A workspace folder with room for sessions, and a home without any settings."""
    folder, home = place / "workspace", place / "home"
    (folder / ".pi" / "sessions").mkdir(parents=True)
    home.mkdir()
    return folder.resolve(), home.resolve()


def point_at(url: str, home: Path) -> None:
    """Have both programs ask a server of ours: they read its URL from pi's own file."""
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True, exist_ok=True)
    models = {"providers": {"anthropic": {"baseUrl": url}}}
    settings = {"defaultProvider": "anthropic", "defaultModel": MODEL_ID}
    (agent / "models.json").write_text(json.dumps(models), encoding="utf-8")
    (agent / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _peak_megabytes(process_id: int) -> float:
    """The most memory that a process has held until now. Source: Linux' /proc; elsewhere what it
    holds now."""
    status = Path(f"/proc/{process_id}/status")
    if not status.exists():
        return psutil.Process(process_id).memory_info().rss / 1e6
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(found[1]) * 1024 / 1e6 if found else 0.0


def compare(rounds: int, *runs: Callable[[], Sample]) -> list[Sample]:
    """The medians of each run, all of them in turn in each round, so that what else the machine
    does meets all alike. The first round only warms up the caches."""
    samples = [[run() for run in runs] for _ in range(rounds + 1)][1:]
    return [
        Sample(*(statistics.median(figures) for figures in zip(*map(astuple, column), strict=True)))
        for column in zip(*samples, strict=True)
    ]


def ask_pi(*, has_session: bool = True) -> Callable[[Pipes], None]:
    """Asks pi in its RPC mode for its state, and waits for the answer.

    Args:
        has_session: whether the folder has a session, which it must have opened then.
    """

    def ask(pipes: Pipes) -> None:
        pipes.stdin.write(b'{"type":"get_state"}\n')
        pipes.stdin.flush()
        for line in pipes.stdout:
            message = json.loads(line)
            if message.get("command") == "get_state":
                assert (message["data"]["messageCount"] > 0) is has_session, message
                return
        raise RuntimeError("pi ended without an answer")

    return ask


def ask_server(folder: Path, *, has_session: bool = True) -> Callable[[Pipes], None]:
    """Begins with our server as an editor does, and asks for the state of the session.

    Args:
        has_session: as for `ask_pi`.
    """

    def ask(pipes: Pipes) -> None:
        greet_server(folder)(pipes)
        _send(pipes, {"method": "initialized", "params": {}})
        state = _request(pipes, 2, "pi/state", {})
        assert (state["messageCount"] > 0) is has_session, state

    return ask


def greet_server(folder: Path) -> Callable[[Pipes], None]:
    """The handshake with our server: its first request, and its first answer."""
    params = {
        "processId": None,
        "rootUri": folder.as_uri(),
        "capabilities": {},
        "workspaceFolders": [{"uri": folder.as_uri(), "name": "measured"}],
        "initializationOptions": {"trusted": True, "approval": {"mode": "auto"}},
    }

    def greet(pipes: Pipes) -> None:
        _request(pipes, 1, "initialize", params)

    return greet


def _request(pipes: Pipes, request_id: int, method: str, params: object) -> dict[str, int]:
    _send(pipes, {"id": request_id, "method": method, "params": params})
    while True:
        message = _receive(pipes)
        if message.get("id") == request_id and "method" not in message:
            return message["result"]


def framed(message: dict[str, object]) -> bytes:
    """A message for our server, as it travels."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _send(pipes: Pipes, message: dict[str, object]) -> None:
    pipes.stdin.write(framed(message))
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
