"""Starting on a long session, and listing many.

Both programs read the same generated files. "start" is from the start of the program to its answer
for the session's state: pi in its RPC mode, ours as a language server. Ours keeps the index of a
long session when it has opened or closed it, and finds it there the next time; "never opened
before" is without. "list" is what each program's own session code takes in a process that has
loaded it.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
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
from pi_lsp.session.kept_index import INDEXES

SESSION_BYTES = 100_000_000
LISTED = 1000
LISTED_BYTES = 200_000_000

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
    indexes = folder / ".pi" / "sessions" / INDEXES

    def ours_for_the_first_time() -> Sample:
        shutil.rmtree(indexes, ignore_errors=True)
        return measure(OUR_COMMAND, folder, home, ask_server(folder))

    pi, ours = compare(
        rounds,
        lambda: measure(PI_COMMAND, folder, home, ask_pi()),
        lambda: measure(OUR_COMMAND, folder, home, ask_server(folder)),
    )
    first_pi, first = compare(
        rounds,
        lambda: measure(PI_COMMAND, folder, home, ask_pi()),
        ours_for_the_first_time,
    )
    what = "start on a session of 100 MB"
    later = f"{what}: memory {SETTLE_S:.0f} s later"
    return [
        *rows_of(what, pi, ours, seconds=0.5, memory=0.35),
        Row(later, "MB", pi.megabytes_later, ours.megabytes_later),
        *rows_of(f"{what}, never opened before", first_pi, first),
    ]


def _list(place: Path, rounds: int) -> list[Row]:
    folder, home = workspace(place)
    for number in range(LISTED):
        write_session(folder / ".pi" / "sessions", number, LISTED_BYTES // LISTED)
    module = (PI / "core" / "session-manager.js").as_uri()
    pi_command = [NODE, "--input-type=module", "-e", LIST_PI, module]
    our_command = [sys.executable, "-c", LIST_OURS]
    pi, ours = compare(
        rounds,
        lambda: measure(pi_command, folder, home, _times_said),
        lambda: measure(our_command, folder, home, _times_said),
    )
    return rows_of("list 1,000 sessions of 200 MB", pi, ours, seconds=0.5)


def _times_said(pipes: Pipes) -> Times:
    seconds, processor, count = json.loads(pipes.stdout.readline())
    assert count > 0
    return Times(seconds, processor)
