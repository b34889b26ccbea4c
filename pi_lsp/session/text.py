"""Texts for people: one line, shortened, and the first words of a message."""

from __future__ import annotations

from typing import Any

from pi_lsp.session import shapes


def one_line(text: str) -> str:
    """The text with its line breaks and other white space as single spaces."""
    return " ".join(text.split())


def shortened(text: str, limit: int) -> str:
    """The text as one line of at most so many characters."""
    line = one_line(text[: 4 * limit])
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def first_text(content: Any) -> str:
    """The first text block of a message's content that is not blank, whole."""
    if isinstance(content, str):
        return content
    blocks = shapes.objects(content)
    texts = (shapes.text(block.get("text")) for block in blocks if block.get("type") == "text")
    return next((text for text in texts if text.strip()), "")
