"""Characters that look the same to people: typographic quotes, dashes and spaces."""

from __future__ import annotations

_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)

_PLAIN = str.maketrans(
    {
        **dict.fromkeys(_SINGLE_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_SPACES, " "),
    }
)


def plain_characters(text: str) -> str:
    """The text with typographic quotes, dashes and spaces made plain; its length stays."""
    return text.translate(_PLAIN)


def without_lone_surrogates(text: str) -> str:
    """The text with what is no character of Unicode replaced, so that it can be written."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
