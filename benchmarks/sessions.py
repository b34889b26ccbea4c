"""How long it takes to start on a long session and to list many, side by side with the real pi.

    python -m benchmarks.sessions                  the table
    python -m benchmarks.sessions --rounds 9       the medians of more runs

Both programs read the same generated files, in turn, in processes of their own. "start" is from
the start of the program to its answer for the session's state: pi in its RPC mode, ours as a
language server. "open" and "list" are what each program's own session code takes in a process
that has loaded it. Memory is the most that a process held; after a start, in the 2 s that follow
the answer too, so that what is loaded in the background counts. On a machine that does other
work, the ratio of processor times says more than that of the times by the clock.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import (
    NODE,
    PI,
    Pipes,
    Sample,
    Times,
    ask_pi,
    ask_server,
    compare,
    measure,
)
from benchmarks.session_files import write_session

SESSION_BYTES = 100_000_000
LISTED = 1000
LISTED_BYTES = 200_000_000

OPEN_OURS = """
import json, sys, time
from pathlib import Path
from pi_lsp.session import SessionStore
start, used = time.perf_counter(), time.process_time()
session, _ = SessionStore(Path.cwd()).continue_newest()
count = len(session.context().messages)
print(json.dumps([time.perf_counter() - start, time.process_time() - used, count]), flush=True)
sys.stdin.read()
"""
OPEN_PI = """
const pi = await import(process.argv[1]);
const start = performance.now(), before = process.cpuUsage();
const session = pi.SessionManager.continueRecent(process.cwd(), ".pi/sessions");
const count = session.buildSessionContext().messages.length;
const used = process.cpuUsage(before);
const seconds = [(performance.now() - start) / 1000, (used.user + used.system) / 1e6];
console.log(JSON.stringify([...seconds, count]));
await new Promise(() => setInterval(() => {}, 1000));
"""
LIST_OURS = """
import json, sys, time
from pathlib import Path
from pi_lsp.session import SessionStore
start, used = time.perf_counter(), time.process_time()
count = len(SessionStore(Path.cwd()).list())
print(json.dumps([time.perf_counter() - start, time.process_time() - used, count]), flush=True)
sys.stdin.read()
"""
LIST_PI = """
const pi = await import(process.argv[1]);
const start = performance.now(), before = process.cpuUsage();
const count = (await pi.SessionManager.list(process.cwd(), ".pi/sessions")).length;
const used = process.cpuUsage(before);
const seconds = [(performance.now() - start) / 1000, (used.user + used.system) / 1e6];
console.log(JSON.stringify([...seconds, count]));
await new Promise(() => setInterval(() => {}, 1000));
"""


@dataclass(frozen=True)
class Row:
    """A line of the table; `limit` is the share of pi's figure that ours may have."""

    what: str
    unit: str
    pi: float
    ours: float
    limit: float | None

    def __str__(self) -> str:
        ratio = self.ours / self.pi
        limit = "" if self.limit is None else f"{self.limit:.2f}"
        verdict = "" if self.limit is None else ("ok" if ratio <= self.limit else "MISSED")
        figures = f"{self.pi:9.2f} {self.ours:9.2f} {self.unit:3} {ratio:7.2f} {limit:>8}"
        return f"{self.what:34} {figures}  {verdict}"


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; 1 when a figure misses its limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (default: 5)")
    rounds: int = parser.parse_args(arguments).rounds
    if not NODE.exists():
        print("The real pi is not installed: make bench installs it.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        rows = [*_long_session(Path(name) / "long", rounds), *_list(Path(name) / "many", rounds)]
    print(f"{'medians of ' + str(rounds):34} {'pi':>9} {'pi-lsp':>9} {'':3} {'ratio':>7}  at most")
    for row in rows:
        print(row)
    return int(any(row.limit is not None and row.ours / row.pi > row.limit for row in rows))


def _long_session(place: Path, rounds: int) -> list[Row]:
    folder, home = _workspace(place)
    write_session(folder / ".pi" / "sessions", 1, SESSION_BYTES)
    cli = [NODE, PI / "bundle" / "cli.js", "--mode", "rpc"]
    pi_command = [*cli, "--session-dir", ".pi/sessions", "--continue"]
    our_command = [sys.executable, "-m", "pi_lsp"]
    pi, ours = compare(
        rounds,
        lambda: measure(pi_command, folder, home, ask_pi),
        lambda: measure(our_command, folder, home, ask_server(folder)),
    )
    pi_open, our_open = compare(rounds, *_scripts(OPEN_PI, OPEN_OURS, folder, home))
    return [
        *_rows("start on a session of 100 MB", pi, ours, time_limit=0.5, memory_limit=0.35),
        *_rows("open a session of 100 MB", pi_open, our_open, time_limit=0.5, memory_limit=0.35),
    ]


def _list(place: Path, rounds: int) -> list[Row]:
    folder, home = _workspace(place)
    for number in range(LISTED):
        write_session(folder / ".pi" / "sessions", number, LISTED_BYTES // LISTED)
    pi, ours = compare(rounds, *_scripts(LIST_PI, LIST_OURS, folder, home))
    return _rows("list 1,000 sessions of 200 MB", pi, ours, time_limit=0.5)


def _rows(
    what: str, pi: Sample, ours: Sample, *, time_limit: float, memory_limit: float | None = None
) -> list[Row]:
    return [
        Row(what, "s", pi.seconds, ours.seconds, time_limit),
        Row("  processor time", "s", pi.processor, ours.processor, None),
        Row("  memory", "MB", pi.megabytes, ours.megabytes, memory_limit),
    ]


def _scripts(
    for_pi: str, for_ours: str, folder: Path, home: Path
) -> tuple[Callable[[], Sample], Callable[[], Sample]]:
    module = (PI / "core" / "session-manager.js").as_uri()
    return (
        lambda: measure(
            [NODE, "--input-type=module", "-e", for_pi, module], folder, home, _times_said
        ),
        lambda: measure([sys.executable, "-c", for_ours], folder, home, _times_said),
    )


def _times_said(pipes: Pipes) -> Times:
    seconds, processor, count = json.loads(pipes.stdout.readline())
    assert count > 0
    return Times(seconds, processor)


def _workspace(place: Path) -> tuple[Path, Path]:
    folder, home = place / "workspace", place / "home"
    (folder / ".pi" / "sessions").mkdir(parents=True)
    home.mkdir()
    return folder.resolve(), home


if __name__ == "__main__":
    sys.exit(main())
