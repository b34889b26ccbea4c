"""How long compacting a session of 100 MB takes until the model is asked, beside the real pi.

    python -m benchmarks.compaction                the table
    python -m benchmarks.compaction --rounds 9     the medians of more runs

Both programs have opened the session (it holds a recent compaction) and had 5 s to load what they
load in the background; measured is from the command to the arrival of the first question at a
local server that speaks the Messages API. Ours may take 300 ms longer than pi.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.long_session import SESSION_ID, write_long_session
from benchmarks.processes import (
    NODE,
    OUR_COMMAND,
    PI_COMMAND,
    Pipes,
    Times,
    ask_pi,
    ask_server,
    compare,
    framed,
    measure,
    point_at,
)
from tests.messages_api import MessagesApi, Reply, Text

SESSION_BYTES = 100_000_000
LIMIT_S = 0.3
READY_S = 5.0
COMPACT = {"id": 99, "method": "pi/compact", "params": {}}


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; 1 when the limit is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (default: 5)")
    rounds: int = parser.parse_args(arguments).rounds
    if not NODE.exists():
        print("The real pi is not installed: make bench installs it.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name, MessagesApi(strict=False) as api:
        api.otherwise(lambda _request: Reply((Text("## Goal\nRead all files."),)))
        folder, home = Path(name).resolve() / "workspace", Path(name).resolve() / "home"
        stored = write_long_session(folder, SESSION_BYTES).read_bytes()
        point_at(api.url, home)
        task = _Task(api, folder, stored)
        pi, ours = compare(
            rounds,
            lambda: measure(PI_COMMAND, folder, home, task.of(ask_pi(), b'{"type":"compact"}\n')),
            lambda: measure(
                OUR_COMMAND, folder, home, task.of(ask_server(folder), framed(COMPACT))
            ),
        )
    within = ours.seconds <= pi.seconds + LIMIT_S
    print(f"{'medians of ' + str(rounds):40} {'pi':>8} {'pi-lsp':>8}")
    figures = f"{pi.seconds:8.2f} {ours.seconds:8.2f} s"
    print(f"{'compact 100 MB, until the question':40} {figures}  {'ok' if within else 'MISSED'}")
    return int(not within)


class _Task:
    """What each program does: get ready, then compact the session as it stood at first."""

    def __init__(self, api: MessagesApi, folder: Path, stored: bytes) -> None:
        self._api = api
        self._file = next((folder / ".pi" / "sessions").glob(f"*{SESSION_ID}.jsonl"))
        self._stored = stored

    def of(self, get_ready: Callable[[Pipes], None], command: bytes) -> Callable[[Pipes], Times]:
        """The seconds from the command to the question; what a person waits for, so the
        processor's are not asked for."""

        def task(pipes: Pipes) -> Times:
            get_ready(pipes)
            time.sleep(READY_S)
            asked_before = len(self._api.requests)
            start = time.perf_counter()
            pipes.stdin.write(command)
            pipes.stdin.flush()
            self._api.wait_for(asked_before + 1)
            return Times(time.perf_counter() - start, processor=0)

        self._file.write_bytes(self._stored)
        return task


if __name__ == "__main__":
    sys.exit(main())
