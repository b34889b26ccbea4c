"""Which cases a story tries, and how one that failed is found again.

With the other tests a story tries a few cases, always the same. `make fuzz` gives each story
`PI_LSP_FUZZ_SECONDS`, from a random beginning. `PI_LSP_FUZZ_SEED` tries that one case.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = float(os.environ.get("PI_LSP_FUZZ_SECONDS", "0"))
SEED = os.environ.get("PI_LSP_FUZZ_SEED")

SHORT_SECONDS = 4.0
"""Even a slow machine tries no longer, when it is only asked for a few cases."""

TIMEOUT = SECONDS + 120
"""Seconds for a whole story."""


def seeds(few: int) -> Iterator[int]:
    """The seeds of the cases to try: `few` of them, unless more or one was asked for."""
    if SEED is not None:
        yield int(SEED)
        return
    first = random.SystemRandom().randrange(10**9) if SECONDS else 0
    end = time.monotonic() + (SECONDS or SHORT_SECONDS)
    count = 0
    while time.monotonic() < end and (SECONDS or count < few):
        yield first + count
        count += 1
    print(f"{count} cases from seed {first} on")


@contextmanager
def case(seed: int) -> Iterator[random.Random]:
    """The random source of a case; what fails in it says how to see it again."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
    try:
        yield random.Random(seed)
    except Exception as error:
        raise AssertionError(
            f"{type(error).__name__}: {error}\n"
            f"To see this case alone: PI_LSP_FUZZ_SEED={seed} pytest '{test}'"
        ) from error
