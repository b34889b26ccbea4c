"""Replacements: exactly the target changes, or nothing does."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pi_lsp.tools.replacements import Replacement, replace_all
from pi_lsp.tools.text_file import lf_view
from pi_lsp.tools.tool import ToolFault


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    return replace_all(text, [Replacement(old, new) for old, new in pairs], "a.txt")


def refusal(text: str, *pairs: tuple[str, str]) -> str:
    with pytest.raises(ToolFault) as caught:
        replaced(text, *pairs)
    return caught.value.message


LINES = st.text(st.sampled_from("ab \t“é\u0301–\ufb01\U0001f600\udc80"), max_size=8)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Texts with all kinds of line ends, mixed, and with an end or not."""
    lines = draw(st.lists(st.tuples(LINES, LINE_ENDS), max_size=8))
    return "".join(line + end for line, end in lines) + draw(LINES)


@given(texts(), st.data())
@example("a\r\nb", None)
def test_exactly_the_target_changes(text: str, data: st.DataObject | None):
    start, end = (0, 1) if data is None else _span(text, data)
    old, new = text[start:end], "<new>"
    view = lf_view(text)
    assume(_occurrences(view, lf_view(old)) == 1)
    assume(not (text[end - 1 : end + 1] == "\r\n" or text[start - 1 : start + 1] == "\r\n"))
    assert replaced(text, (old, new)) == text[:start] + new + text[end:]


@given(texts(), st.data())
def test_a_target_given_with_other_line_ends_is_the_same_target(text: str, data: st.DataObject):
    start, end = _span(text, data)
    old = text[start:end]
    assume(_occurrences(lf_view(text), lf_view(old)) == 1)
    expected = replaced(text, (old, "<new>"))
    assert replaced(text, (lf_view(old).replace("\n", "\r\n"), "<new>")) == expected
    assert replaced(text, (lf_view(old), "<new>")) == expected


@given(texts(), st.data())
def test_whatever_is_found_the_rest_stays(text: str, data: st.DataObject):
    old = data.draw(texts())
    try:
        result = replaced(text, (old, "<new>"))
    except ToolFault:
        return
    before, _, after = result.partition("<new>")
    assert text.startswith(before)
    assert text.endswith(after)
    assert len(before) + len(after) < len(text)


@given(texts(), st.data(), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_a_target_in_another_normal_form_is_found_where_it_is(
    text: str, data: st.DataObject, form: str
):
    start, end = _span(text, data)
    old = text[start:end]
    assume(not _cuts_a_character(text, start) and not _cuts_a_character(text, end))
    other = unicodedata.normalize(form, old)  # pyright: ignore[reportArgumentType]
    assume(old.strip())
    try:
        result = replaced(text, (other, "<new>"))
    except ToolFault as fault:
        if "was not found" in fault.message:
            raise
        return
    before, _, after = result.partition("<new>")
    assert text.startswith(before)
    assert text.endswith(after)


def _span(text: str, data: st.DataObject) -> tuple[int, int]:
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    return start, data.draw(st.integers(start + 1, len(text)))


def _occurrences(text: str, part: str) -> int:
    return sum(text.startswith(part, at) for at in range(len(text)))


def _cuts_a_character(text: str, at: int) -> bool:
    return text[at - 1 : at + 1] == "\r\n" or bool(
        at < len(text) and unicodedata.combining(text[at])
    )


def test_new_lines_take_the_line_end_of_their_place():
    text = "one\r\ntwo\r\nthree\nfour\n"
    assert replaced(text, ("two", "2\n2")) == "one\r\n2\r\n2\r\nthree\nfour\n"
    assert replaced(text, ("four", "4\r\n4")) == "one\r\ntwo\r\nthree\n4\n4\n"
    assert replaced("one\rtwo", ("two", "2\n2")) == "one\r2\r2"


def test_several_are_found_in_the_text_as_it_was():
    assert replaced("a b c", ("a", "b"), ("b", "c"), ("c", "a")) == "b c a"


def test_targets_may_touch_but_not_overlap():
    assert replaced("abcd", ("ab", "1"), ("cd", "2")) == "12"
    assert "Edits 1 and 2 of a.txt overlap" in refusal("abcd", ("abc", "1"), ("cd", "2"))


def test_all_or_nothing():
    assert "oldText of edit 2 was not found" in refusal("a b", ("a", "x"), ("missing", "y"))


def test_a_target_that_occurs_twice_is_not_guessed():
    assert "occurs 2 times" in refusal("x = 1\nx = 1\n", ("x = 1", "x = 2"))
    assert "occurs 2 times" in refusal("aaa", ("aa", "b"))


def test_one_of_many_is_not_counted_to_the_end():
    assert "at least 100 times" in refusal("a" * 1_000_000, ("a", "b"))


@pytest.mark.parametrize("text", ["", "a\n"])
def test_an_empty_target_is_refused(text: str):
    assert "oldText is empty" in refusal(text, ("", "x"))


def test_a_change_that_changes_nothing_is_refused():
    assert "Nothing would change" in refusal("a b", ("a", "a"))


def test_a_missing_target_says_where_its_beginning_is():
    message = refusal("def f():\n    return 1\n", ("def f():\n    return 2", "x"))
    assert "first line is found at line 1" in message


def test_typography_is_forgiven():
    text = "print(\u201chello\u201d)  # \u2013 it\u2019s\u00a0so \u2026\n"
    assert replaced(text, ('print("hello")', "pass")) == "pass  # \u2013 it\u2019s\u00a0so \u2026\n"
    assert replaced(text, ("- it's so ...", "no")) == "print(\u201chello\u201d)  # no\n"


def test_trailing_spaces_are_forgiven_and_left_alone_around_the_target():
    text = "one   \ntwo\t\nthree  \n"
    assert replaced(text, ("one\ntwo", "1\n2")) == "1\n2\t\nthree  \n"
    assert replaced("one\ntwo\n", ("one  \ntwo  ", "1")) == "1\n"


def test_indentation_at_the_end_of_a_target_is_not_trailing_space():
    text = "if a: \n    b\n    c\n"
    assert replaced(text, ("if a:\n    ", "if x:\n    ")) == "if x:\n    b\n    c\n"


def test_a_blank_line_may_have_spaces_or_not():
    assert replaced("a \n\nb\n", ("a\n  ", "c\n")) == "c\n\nb\n"
    assert "was not found" in refusal("a \n  b\n", ("a\n    ", "c\n"))


def test_an_accent_is_not_cut_off_its_letter():
    assert "was not found" in refusal("cafe\u0301\u2019", ("cafe'", "x"))


def test_an_exact_target_wins_over_one_that_only_looks_so():
    assert replaced("it\u2019s it's", ("it's", "x")) == "it\u2019s x"


def test_bytes_that_are_no_text_stay():
    assert replaced("a\udce9b c", ("c", "d")) == "a\udce9b d"
