"""The counts against the last tokenizer that Anthropic published, on the benchmark's samples."""

from __future__ import annotations

import pytest

from benchmarks.token_counting import KINDS, error_of_whole_context, errors


@pytest.mark.parametrize("kind", KINDS)
def test_an_estimate_is_near_and_nearer_after_one_answer(kind: str) -> None:
    found = errors(kind)
    assert abs(found.before) < 16
    assert found.after < 8


def test_four_characters_a_token_would_lose_most_of_a_chinese_text() -> None:
    found = errors("chinese")
    assert found.by_characters < -60
    assert abs(found.guessed) < 20


def test_after_the_first_answer_the_whole_context_is_within_5_percent() -> None:
    assert error_of_whole_context() < 5
