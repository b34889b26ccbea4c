from __future__ import annotations

import socket
from importlib import resources
from typing import NoReturn

import pytest

from pi_lsp.compaction import encoding
from pi_lsp.compaction.encoding import PIECE_CHARS, count_text, guess_text, load_encoding


def test_the_shipped_ranks_give_the_published_tokens() -> None:
    # From the examples that OpenAI publishes for cl100k_base.
    assert load_encoding().encode_ordinary("tiktoken is great!") == [83, 1609, 5963, 374, 2294, 0]
    assert count_text("2 + 2 = 4") == 7
    assert count_text("お誕生日おめでとう") == 9


def test_counting_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", no_network)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "/nowhere/that/exists")
    load_encoding.cache_clear()
    assert count_text("hello world") == 2


def test_a_changed_rank_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "RANKS_SHA256", "0" * 64)
    load_encoding.cache_clear()
    with pytest.raises(ValueError, match="install pi-lsp again"):
        load_encoding()
    load_encoding.cache_clear()


def test_the_licence_of_the_ranks_is_shipped_with_them() -> None:
    notice = resources.files("pi_lsp.compaction").joinpath("data/NOTICE.txt").read_text()
    assert "MIT License" in notice
    assert encoding.RANKS_SHA256 in notice


@pytest.mark.parametrize("letter", ["a", " ", "\n", "啊", "😀", "\ud800"])
def test_200_000_equal_characters_do_not_hang(letter: str) -> None:
    assert count_text(letter * 200_000) > 0


def test_a_text_of_many_pieces_counts_as_the_whole() -> None:
    sentence = "The quick brown fox jumps over the lazy dog. "
    text = sentence * (3 * PIECE_CHARS // len(sentence))
    whole = len(load_encoding().encode_ordinary(text))
    assert whole <= count_text(text) <= whole + 3


def test_what_looks_like_a_special_token_is_text() -> None:
    assert count_text("<|endoftext|>") > 1


def test_nothing_is_no_token() -> None:
    assert count_text("") == 0
    assert guess_text("") == 0


@pytest.mark.parametrize(
    "text",
    [
        "The guess need not be good, but it must not be far off on plain English prose. " * 20,
        "for (let i = 0; i < items.length; i++) { total += items[i].price * rate; }\n" * 20,
        "压缩会把旧的消息换成摘要，最近的消息保持不变，这样对话就可以继续下去。" * 20,
        "Сжатие заменяет старые сообщения кратким изложением, а новые остаются. " * 20,
    ],
)
def test_a_guess_is_within_half_and_double(text: str) -> None:
    assert count_text(text) / 2 < guess_text(text) < count_text(text) * 2
