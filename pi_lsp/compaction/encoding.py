"""The tokens of a text: OpenAI's encoding cl100k_base, its ranks shipped with this package.

Two answers are given: `count_text` encodes, and `guess_text` only looks at the length. Encoding
runs at some 7 MB a second and outside the interpreter's lock; loading the ranks takes about 0.3 s,
once. Both belong into a thread, not on an event loop; `guess_text` may be called anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import io
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""OpenAI's own hash of the rank file, as tiktoken expects it."""

PIECE_CHARS = 16_384
"""The most that one call encodes, in characters: bounds the time of a call and the list that it
makes, whatever the text is. A cut costs at most one token too many."""

_WORDS = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""How cl100k_base splits text into words before it merges bytes (part of its definition)."""


@lru_cache(maxsize=1)
def load_encoding() -> Encoding:
    """The encoding; the first call reads, checks and builds it (about 0.3 s).

    tiktoken's own loader is not used, since it copies the file into a cache folder, and fails
    where that folder cannot be written.

    Raises:
        ValueError: the rank file is not the one that was published.
    """
    from tiktoken import Encoding

    data = files("pi_lsp.compaction").joinpath("data/cl100k_base.tiktoken").read_bytes()
    if hashlib.sha256(data).hexdigest() != RANKS_SHA256:
        raise ValueError("cl100k_base.tiktoken was changed: install pi-lsp again.")
    ranks: dict[bytes, int] = {}
    for line in io.BytesIO(data):
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return Encoding("cl100k_base", pat_str=_WORDS, mergeable_ranks=ranks, special_tokens={})


def is_loaded() -> bool:
    """Whether `load_encoding` has built the encoding."""
    return load_encoding.cache_info().currsize > 0


def count_text(text: str) -> int:
    """The tokens of a text. What looks like a special token counts as the text that it is."""
    encode = load_encoding().encode_ordinary
    return sum(
        len(encode(text[start : start + PIECE_CHARS])) for start in range(0, len(text), PIECE_CHARS)
    )


def guess_text(text: str) -> int:
    """The tokens of a text by its length, in no time.

    A token is about 4 ASCII characters, but hardly more than one character of Chinese: each byte
    that UTF-8 needs beyond one per character adds 0.4 tokens.
    """
    if text.isascii():
        return (len(text) + 3) // 4
    more_bytes = len(text.encode("utf-8", "surrogatepass")) - len(text)
    return (len(text) + 3) // 4 + more_bytes * 2 // 5
