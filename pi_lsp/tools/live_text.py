"""Text that comes in a thread, handed to the event loop in pieces that can be read."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

_INTERVAL_S = 0.05
"""At most so often is text handed over."""
_MAX_PIECE = 16 * 1024
"""Characters of one piece; of what comes faster only the end is handed over, and a note."""


class LiveText:
    """Joins text and hands it over a few times a second, at most so much at a time.

    Args:
        take: gets the text in the loop's thread.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, take: Callable[[str], None]) -> None:
        self._loop = loop
        self._take = take
        self._lock = threading.Lock()
        self._pending: list[str] = []
        self._size = 0
        self._left_out = 0
        self._scheduled = False

    def add(self, text: str) -> None:
        """More text; any thread may call this."""
        with self._lock:
            self._pending.append(text)
            self._size += len(text)
            if self._size > 4 * _MAX_PIECE:
                self._shorten()
            if self._scheduled:
                return
            self._scheduled = True
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody reads any more
            self._loop.call_soon_threadsafe(self._loop.call_later, _INTERVAL_S, self._flush)

    def close(self) -> None:
        """Hand over what waits; in the loop's thread."""
        self._flush()

    def _flush(self) -> None:
        with self._lock:
            self._scheduled = False
            if self._size > _MAX_PIECE:
                self._shorten()
            text, left_out = "".join(self._pending), self._left_out
            self._pending, self._size, self._left_out = [], 0, 0
        if left_out:
            text = f"\n[{left_out} characters are not shown here]\n{text}"
        if text:
            self._take(text)

    def _shorten(self) -> None:
        text = "".join(self._pending)
        self._left_out += len(text) - _MAX_PIECE
        self._pending, self._size = [text[-_MAX_PIECE:]], _MAX_PIECE
