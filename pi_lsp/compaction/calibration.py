"""How far a model's tokens are from the estimate: a running ratio per model.

After each answer the service says how many tokens the request had; against the estimate of the
same request that gives a ratio, which the next estimates are multiplied by.
"""

from __future__ import annotations

from pi_lsp.llm.provider import Model

LEAST_RATIO = 0.5
MOST_RATIO = 2.0
NEWEST_SHARE = 0.3
"""How much a new ratio moves the running one."""


class Calibration:
    """The ratios of all models that answered since the server started; 1 for one that did not."""

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, str], float] = {}

    def ratio(self, model: Model) -> float:
        """Reported tokens per estimated token."""
        return self._ratios.get((model.provider, model.id), 1.0)

    def observe(self, model: Model, *, estimated: int, reported: int) -> None:
        """Learn from an answer: the request was estimated at one figure and reported at another.

        A ratio outside 0.5 to 2 is not believed: a service that reports no usage, or that counts
        something else, must not spoil the estimates.
        """
        if estimated <= 0 or not LEAST_RATIO <= reported / estimated <= MOST_RATIO:
            return
        key = (model.provider, model.id)
        newest = reported / estimated
        running = self._ratios.get(key, newest)
        self._ratios[key] = running + NEWEST_SHARE * (newest - running)
