"""Side by side with the real pi: starting, prompting, long sessions and many.

    python -m benchmarks.beside_pi                  the table; it is kept in benchmarks/RESULTS.md
    python -m benchmarks.beside_pi --rounds 9       the medians of more runs
    python -m benchmarks.beside_pi starting         a part of it, which is not kept

The programs take turns in each round, so that what else the machine does meets both alike; still,
measure on a machine that does nothing else. Memory is the most that a process has held.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks import prompting, sessions, starting
from benchmarks.processes import NODE
from benchmarks.table import Row, as_markdown, as_text

RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS: dict[str, Callable[[int], list[Row]]] = {
    "starting": starting.rows,
    "prompting": prompting.rows,
    "sessions": sessions.rows,
}


def main(arguments: list[str] | None = None) -> int:
    """Prints the table, and keeps it when it is whole; 1 when a figure misses its limit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (default: 5)")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}")
    if not NODE.exists():
        print("The real pi is not installed: make bench installs it.", file=sys.stderr)
        return 2
    names: list[str] = chosen.parts or list(PARTS)
    rows = [row for name in names for row in PARTS[name](chosen.rounds)]
    print(as_text(rows))
    if not chosen.parts:
        RESULTS.write_text(_document(rows, chosen.rounds), encoding="utf-8")
    return int(any(row.verdict == "MISSED" for row in rows))


def _document(rows: list[Row], rounds: int) -> str:
    memory = round(psutil.virtual_memory().total / 1024**3)
    return f"""# Results

Written by `make bench`: medians of {rounds} runs, side by side with pi 1.6.0 in one run, on a
machine with {os.cpu_count()} cores and {memory} GB of memory, with Python
{platform.python_version()}. What each line measures is said in `benchmarks/*.py`.

{as_markdown(rows)}
"""


if __name__ == "__main__":
    sys.exit(main())
