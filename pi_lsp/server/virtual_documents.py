"""Texts that the editor can open under a `pi:` URI.

The before and after of an edit are kept here for as long as they are of use; what stands in a
session (a compaction's summary, the transcript) is made from it when it is asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import quote, unquote, urlsplit

from pi_lsp.errors import NotFoundError

SCHEME = "pi"

_MAX_CHARACTERS = 32 * 1024 * 1024
"""What is kept of befores and afters; the oldest go first."""


def virtual_uri(kind: str, owner: str, name: str) -> str:
    """The URI of a text, e.g. the `before` of call `owner`; `name` gives it its look."""
    return f"{SCHEME}:/{kind}/{quote(owner, safe='')}/{quote(name, safe='')}"


class VirtualDocuments:
    """Gives the text behind a URI.

    Args:
        render: makes the text of a kind that is not kept (kind, owner); None when it has none.
    """

    def __init__(self, render: Callable[[str, str], str | None]) -> None:
        self._render = render
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._characters = 0

    def keep(self, kind: str, owner: str, name: str, text: str) -> str:
        """Keep a text; returns its URI."""
        uri = virtual_uri(kind, owner, name)
        self._forget(uri)
        self._kept[uri] = text
        self._characters += len(text)
        while self._characters > _MAX_CHARACTERS and len(self._kept) > 1:
            self._forget(next(iter(self._kept)))
        return uri

    def text(self, uri: str) -> str:
        """The text behind a URI.

        Raises:
            NotFoundError: there is none, or it is not kept any more.
        """
        kept = self._kept.get(uri)
        if kept is not None:
            return kept
        kind, owner, name = _parts(uri)
        # Editors spell a URI in their own way: the kept one is found by what it says, too.
        text = self._kept.get(virtual_uri(kind, owner, name))
        if text is None:
            text = self._render(kind, owner)
        if text is None:
            raise NotFoundError(f"There is no document {uri} any more.")
        return text

    def _forget(self, uri: str) -> None:
        self._characters -= len(self._kept.pop(uri, ""))


def _parts(uri: str) -> tuple[str, str, str]:
    split = urlsplit(uri)
    parts = [unquote(part) for part in split.path.strip("/").split("/", 2)]
    if split.scheme != SCHEME or len(parts) != 3:
        raise NotFoundError(f"There is no document {uri}.")
    kind, owner, name = parts
    return kind, owner, name
