"""Thinking levels: which ones a model takes, and what a level means to its service.

Newer models decide themselves how long to think and take an effort; older ones take a budget of
tokens. A service refuses an effort that it does not know, so `xhigh` and `max`, which only some
models have, count for these only where the catalogue names them. A budget is a plain number, so
older models take every level.
"""

from __future__ import annotations

from pi_lsp.llm.provider import Model
from pi_lsp.messages import THINKING_LEVELS, ThinkingLevel

_NAMED_ONLY: frozenset[ThinkingLevel] = frozenset(("xhigh", "max"))

_EFFORTS: dict[ThinkingLevel, str] = {"minimal": "low"}
"""Efforts begin at `low`: https://platform.claude.com/docs/en/build-with-claude/effort."""

_BUDGETS: dict[ThinkingLevel, int] = {
    "off": 0,
    "minimal": 1024,
    "low": 4096,
    "medium": 10240,
    "high": 20480,
    "xhigh": 32768,
    "max": 49152,
}


def levels(model: Model) -> list[ThinkingLevel]:
    """The levels that a model takes, from the least; only `off` when it does not think."""
    if not model.reasoning:
        return ["off"]
    return [level for level in THINKING_LEVELS if _takes(model, level)]


def clamp(model: Model, level: ThinkingLevel) -> ThinkingLevel:
    """The nearest level that the model takes; of two as near, the lower.

    Thinking is never turned off by this while the model can think and some was asked for.
    """
    taken = levels(model)
    if level in taken:
        return level
    wanted = THINKING_LEVELS.index(level)
    thinking: list[ThinkingLevel] = [other for other in taken if other != "off"] or taken
    return min(thinking, key=lambda candidate: abs(THINKING_LEVELS.index(candidate) - wanted))


def effort(model: Model, level: ThinkingLevel) -> str:
    """What the service of an adaptive model calls a level that the model takes."""
    named = (model.thinking_levels or {}).get(level)
    return named or _EFFORTS.get(level, level)


def budget(level: ThinkingLevel) -> int:
    """The most tokens that a model with budgets may think at this level."""
    return _BUDGETS[level]


def _takes(model: Model, level: ThinkingLevel) -> bool:
    named = model.thinking_levels or {}
    if level in named:
        return named[level] is not None
    return not (model.adaptive_thinking and level in _NAMED_ONLY)
