"""What an answer costs: the service's count of tokens times the model's prices."""

from __future__ import annotations

from typing import NamedTuple

from pi_lsp.llm.provider import Model, ModelCost
from pi_lsp.messages import Usage

_MILLION = 1_000_000


class Tokens(NamedTuple):
    """Tokens of one answer. `input` counts only those that no cache gave or took."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def sent(self) -> int:
        """All tokens of the request, cached or not."""
        return self.input + self.cache_read + self.cache_write


def priced(model: Model, tokens: Tokens) -> Usage:
    """The usage of an answer with its cost in US dollars."""
    prices = _prices(model.cost, tokens.sent)
    input_cost = tokens.input * prices.input / _MILLION
    output_cost = tokens.output * prices.output / _MILLION
    cache_read_cost = tokens.cache_read * prices.cache_read / _MILLION
    cache_write_cost = tokens.cache_write * prices.cache_write / _MILLION
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cacheRead": tokens.cache_read,
        "cacheWrite": tokens.cache_write,
        "totalTokens": tokens.sent + tokens.output,
        "cost": {
            "input": input_cost,
            "output": output_cost,
            "cacheRead": cache_read_cost,
            "cacheWrite": cache_write_cost,
            "total": input_cost + output_cost + cache_read_cost + cache_write_cost,
        },
    }


def _prices(cost: ModelCost, sent: int) -> ModelCost:
    """The prices of the whole request: those of the highest tier that its size goes over."""
    prices = cost
    for above, dearer in sorted(cost.tiers, key=lambda tier: tier[0]):
        if sent > above:
            prices = dearer
    return prices
