"""From the start of the program to its first answer: pi's for its state, ours in the handshake."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.processes import (
    OUR_COMMAND,
    PI_COMMAND,
    SETTLE_S,
    ask_pi,
    ask_server,
    compare,
    greet_server,
    measure,
    workspace,
)
from benchmarks.table import Row, rows_of


def rows(rounds: int) -> list[Row]:
    """The lines of the table. The one for the state says what an editor waits for until it can
    show an empty conversation."""
    with tempfile.TemporaryDirectory() as name:
        folder, home = workspace(Path(name))
        pi, first, state = compare(
            rounds,
            lambda: measure(PI_COMMAND, folder, home, ask_pi(has_session=False)),
            lambda: measure(OUR_COMMAND, folder, home, greet_server(folder)),
            lambda: measure(OUR_COMMAND, folder, home, ask_server(folder, has_session=False)),
        )
    later = f"start: memory {SETTLE_S:.0f} s after the state"
    return [
        *rows_of("start until the first answer", pi, first, seconds=0.6, memory=0.4),
        Row("start until the state", "s", pi.seconds, state.seconds),
        Row(later, "MB", pi.megabytes_later, state.megabytes_later),
    ]
