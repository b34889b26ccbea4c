from __future__ import annotations

import pytest

from pi_lsp.llm.cost import Tokens, priced
from tests.llm.words import model


def test_an_answer_costs_its_tokens_times_the_prices_per_million() -> None:
    usage = priced(
        model("claude-sonnet-5-5"),
        Tokens(input=1_000_000, output=100_000, cache_read=2_000_000, cache_write=400_000),
    )
    assert usage["totalTokens"] == 3_500_000
    assert usage["cost"] == pytest.approx(
        {"input": 2, "output": 1, "cacheRead": 0.2, "cacheWrite": 1, "total": 4.2}
    )


def test_a_long_request_is_charged_the_dearer_prices_for_all_of_it() -> None:
    haiku = model("claude-haiku-5-5")
    just_below = priced(haiku, Tokens(input=40_000, cache_read=60_000, output=1000))
    just_above = priced(haiku, Tokens(input=40_001, cache_read=60_000, output=1000))
    assert just_below["cost"]["output"] == pytest.approx(0.0005)
    assert just_above["cost"]["output"] == pytest.approx(0.0025)
    assert just_above["cost"]["cacheRead"] == pytest.approx(0.003)
