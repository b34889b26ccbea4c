from __future__ import annotations

from dataclasses import replace

from pi_lsp.compaction.limits import limits_for
from pi_lsp.settings import CompactionLimits, CompactionSettings
from tests.compaction.conversation import MODEL


def test_a_large_window_gets_the_settings_as_they_stand() -> None:
    limits = limits_for(MODEL, CompactionSettings())
    assert (limits.reserve, limits.keep_recent) == (16384, 20000)
    assert limits.threshold == 200_000 - 16384


def test_a_context_at_the_threshold_is_not_compacted_and_one_token_more_is() -> None:
    limits = limits_for(MODEL, CompactionSettings())
    assert not limits.crossed_by(limits.threshold)
    assert limits.crossed_by(limits.threshold + 1)


def test_reserve_and_kept_part_are_held_to_a_quarter_of_a_small_window() -> None:
    limits = limits_for(replace(MODEL, context_window=8000), CompactionSettings())
    assert (limits.reserve, limits.keep_recent, limits.threshold) == (2000, 2000, 6000)


def test_a_model_has_its_own_limits_by_full_name_or_by_id() -> None:
    by_id = {"claude-test": CompactionLimits(keep_recent_tokens=5000)}
    by_name = {"anthropic/claude-test": CompactionLimits(reserve_tokens=0)}
    limits = limits_for(MODEL, CompactionSettings(model_overrides=by_id))
    assert (limits.reserve, limits.keep_recent) == (16384, 5000)
    limits = limits_for(MODEL, CompactionSettings(model_overrides=by_id | by_name))
    assert (limits.reserve, limits.keep_recent) == (0, 20000)
