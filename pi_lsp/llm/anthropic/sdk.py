"""Anthropic's SDK: imported only when needed, as that takes about a second, and set up for us."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import anthropic

_QUIET = ("anthropic", "httpx2", "httpcore2")
"""Loggers that would write requests, and so conversations, into a log."""

READ_TIMEOUT = 30 * 60.0
"""Seconds without a byte after which a stream counts as dead.

A stream is never cut for being long; but a local model may read a long prompt for many minutes
before its first byte.
"""
CONNECT_TIMEOUT = 20.0


def warm_up() -> None:
    """Import the SDK now. Blocks for about a second: call it from a background thread."""
    # The SDK itself imports `resources.messages` late, when a client is first used.
    import_module("anthropic.resources.messages")
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def new_client(key: str, base_url: str | None) -> anthropic.AsyncAnthropic:
    """A client of the SDK. Blocks while it loads certificates.

    Nothing is retried by it, since retries are the agent's to tell of. Redirects are not
    followed, since the conversation would go with them to a place that nobody named.

    Raises:
        ValueError, OSError: a proxy or certificate of the environment cannot be used.
    """
    import anthropic
    import httpx2

    timeout = httpx2.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT)
    return anthropic.AsyncAnthropic(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        http_client=anthropic.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
    )
