"""A scratch folder, a scratch home, a scripted service, and a watched editor on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.client import JsonObject
from tests.fuzz.watched import WatchedClient
from tests.fuzz.whole import KEY, MODEL
from tests.messages_api import MessagesApi

StartWatched = Callable[..., Awaitable[WatchedClient]]


@pytest.fixture
def folder(folder: Path) -> Path:
    """The workspace folder, with something to read."""
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    """A service that takes any key, and refuses what the real one would."""
    with MessagesApi() as service:
        yield service


@pytest_asyncio.fixture
async def start(folder: Path, home: Path, api: MessagesApi) -> AsyncIterator[StartWatched]:
    """Starts watched editors whose agent runs on `api`, without asking."""
    async with AsyncExitStack() as stack:

        async def start_client(
            *, settings: JsonObject | None = None, **options: Any
        ) -> WatchedClient:
            given = {
                "providers": {"anthropic": {"baseUrl": api.url, "apiKey": KEY}},
                "defaultModel": MODEL[1],
                "approval": {"mode": "auto"},
                "retry": {"baseDelayMs": 1, "maxAgentDelayMs": 5},
                **(settings or {}),
            }
            client = WatchedClient(folder, home, settings=given, **options)
            await stack.enter_async_context(client)
            return client

        yield start_client
