"""Starting on a long session, and listing many.

Both programs read the same generated files. "start" is from the start of the program to its answer
for the session's state: pi in its RPC mode, ours as a language server. "open" and "list" are what
each program's own session code takes in a process that has loaded it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.processes import (
    NODE,
    OUR_COMMAND,
    PI,
    PI_COMMAND,
    SETTLE_S,
    Pipes,
    Sample,
    Times,
    ask_pi,
    ask_server,
    compare,
    measure,
    workspace,
)
from benchmarks.session_files import write_session
from benchmarks.table import Row, rows_of

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


def rows(rounds: int) -> list[Row]:
    """The lines of the table."""
    with tempfile.TemporaryDirectory() as name:
        return [*_long_session(Path(name) / "long", rounds), *_list(Path(name) / "many", rounds)]


def _long_session(place: Path, rounds: int) -> list[Row]:
    folder, home = workspace(place)
    write_session(folder / ".pi" / "sessions", 1, SESSION_BYTES)
    pi, ours = compare(
        rounds,
        lambda: measure(PI_COMMAND, folder, home, ask_pi),
        lambda: measure(OUR_COMMAND, folder, home, ask_server(folder)),
    )
    what = "start on a session of 100 MB"
    pi_open, our_open = compare(rounds, *_scripts(OPEN_PI, OPEN_OURS, folder, home))
    return [
        *rows_of(what, pi, ours, seconds=0.5, memory=0.35),
        Row(
            f"{what}: memory {SETTLE_S:.0f} s later", "MB", pi.megabytes_later, ours.megabytes_later
        ),
        *rows_of("open a session of 100 MB", pi_open, our_open),
    ]


def _list(place: Path, rounds: int) -> list[Row]:
    folder, home = workspace(place)
    for number in range(LISTED):
        write_session(folder / ".pi" / "sessions", number, LISTED_BYTES // LISTED)
    pi, ours = compare(rounds, *_scripts(LIST_PI, LIST_OURS, folder, home))
    return rows_of("list 1,000 sessions of 200 MB", pi, ours, seconds=0.5)


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
