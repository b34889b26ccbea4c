from __future__ import annotations

from collections.abc import Iterator

import pytest

from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.context_size import ContextMeter
from pi_lsp.compaction.tokens import TokenCounter


@pytest.fixture
def counter() -> Iterator[TokenCounter]:
    counter = TokenCounter()
    yield counter
    counter.close()


@pytest.fixture
def meter(counter: TokenCounter) -> ContextMeter:
    return ContextMeter(counter, Calibration())
