"""The limits of a compaction for one model, in tokens."""

from __future__ import annotations

from dataclasses import dataclass

from pi_lsp.llm.provider import Model
from pi_lsp.settings import CompactionLimits, CompactionSettings

LARGEST_SHARE = 4
"""Reserve and kept part are each held to this part of the window (a quarter), so that a setting
for large models leaves a small one room to work."""


@dataclass(frozen=True)
class Limits:
    """Tokens.

    Attributes:
        window: all that a request and its answer may have together.
        reserve: what stays free for the answer and the next summary.
        keep_recent: what of the newest messages is kept as it stands.
    """

    window: int
    reserve: int
    keep_recent: int

    @property
    def threshold(self) -> int:
        """A context with more tokens than this is compacted."""
        return self.window - self.reserve

    def crossed_by(self, context_tokens: int) -> bool:
        """Whether a context of this size is to be compacted."""
        return context_tokens > self.threshold


def limits_for(model: Model, settings: CompactionSettings) -> Limits:
    """The limits by the settings, with the model's own overrides, held to the model's window."""
    overrides = _overrides(model, settings)
    reserve = overrides.reserve_tokens
    keep_recent = overrides.keep_recent_tokens
    most = model.context_window // LARGEST_SHARE
    return Limits(
        window=model.context_window,
        reserve=min(settings.reserve_tokens if reserve is None else reserve, most),
        keep_recent=min(settings.keep_recent_tokens if keep_recent is None else keep_recent, most),
    )


def _overrides(model: Model, settings: CompactionSettings) -> CompactionLimits:
    by_name = settings.model_overrides
    named = by_name.get(f"{model.provider}/{model.id}") or by_name.get(model.id)
    return named or CompactionLimits()
