"""Diffs: right where they can be checked, and bounded whatever the texts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.tools.diff import FULL_BYTES, line_changes, unified_diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=12)


@given(LINES, LINES)
def test_changes_turn_one_text_into_the_other(a: list[str], b: list[str]):
    assert _patched(a, b) == b


@given(st.lists(st.integers(0, 900), min_size=500, max_size=700), st.randoms())
def test_changes_of_long_texts_too(numbers: list[int], random: object):
    a = [str(number) for number in numbers]
    b = [line for line in a if hash((line, str(random))) % 7]
    assert _patched(a, b) == b
    assert _patched(b, a) == a


def _patched(a: list[str], b: list[str]) -> list[str]:
    result: list[str] = []
    at = 0
    for a_start, a_end, b_start, b_end in line_changes(a, b):
        result += a[at:a_start] + b[b_start:b_end]
        at = a_end
    return result + a[at:]


@pytest.mark.skipif(shutil.which("patch") is None, reason="the program patch is not here")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\ntwo\nthree\n", "one\n2\nthree\n"),
        ("", "new\nfile\n"),
        ("gone\n", ""),
        ("no end", "no end either"),
        ("end\n", "end"),
        ("".join(f"{n}\n" for n in range(50)), "".join(f"{n}\n" for n in range(50) if n % 11)),
    ],
)
def test_patch_understands_them(tmp_path: Path, before: str, after: str):
    path = tmp_path / "f"
    path.write_text(before)
    diff = unified_diff(before, after, "f")
    subprocess.run(["patch", "-s", str(path)], input=diff, text=True, check=True)
    assert (path.read_text() if path.exists() else "") == after


def test_equal_texts_have_none():
    assert unified_diff("a\r\n", "a\n", "f") == ""


def test_long_lines_are_cut():
    diff = unified_diff("x" * 10_000_000, "y" * 10_000_000, "f")
    assert "[line cut, 10000000 characters]" in diff
    assert len(diff) < 2000


def test_a_long_diff_is_cut_and_says_so():
    diff = unified_diff("", "line\n" * 1_000_000, "f")
    assert len(diff.encode()) <= FULL_BYTES + 100
    assert diff.endswith("[The rest of the diff is left out.]\n")


def test_huge_texts_of_equal_lines_are_compared_all_the_same():
    a = "x\ny\n" * 100_000
    b = "y\nx\nx\n" * 90_000
    assert unified_diff(a, b, "f").startswith("--- a/f\n+++ b/f\n@@ ")
