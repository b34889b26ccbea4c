"""A scratch folder, a scratch home, and editors to start in them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.client import Client, JsonObject
from tests.messages_api import MessagesApi

StartClient = Callable[..., Awaitable[Client]]


@pytest_asyncio.fixture
async def start(folder: Path, home: Path) -> AsyncIterator[StartClient]:
    """Starts editors, by default in `folder` with a plugin; takes what `Client` takes."""
    async with AsyncExitStack() as stack:

        async def start_client(**options: Any) -> Client:
            return await stack.enter_async_context(Client(folder, home, **options))

        yield start_client


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    """A scripted service; it refuses what the real one would."""
    with MessagesApi(key="test-key") as service:
        yield service


@pytest.fixture
def scripted(start: StartClient, api: MessagesApi) -> StartClient:
    """Starts editors whose agent runs on `api`, without asking; takes what `Client` takes."""

    async def start_client(*, settings: JsonObject | None = None, **options: Any) -> Client:
        given = {
            "providers": {"anthropic": {"baseUrl": api.url, "apiKey": "test-key"}},
            "defaultModel": "claude-sonnet-4-5",
            "approval": {"mode": "auto"},
            "retry": {"baseDelayMs": 1},
            **(settings or {}),
        }
        return await start(settings=given, **options)

    return start_client


async def stored(client: Client) -> list[JsonObject]:
    """All lines of the current session's file, the header first."""
    state = await client.request("pi/state")
    text = Path(state["file"]).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def stored_messages(client: Client) -> list[JsonObject]:
    """The messages of the current session's file, in file order."""
    return [line["message"] for line in await stored(client) if line["type"] == "message"]


def text_of(message: JsonObject) -> str:
    """The text of a stored message."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content if block["type"] == "text")
