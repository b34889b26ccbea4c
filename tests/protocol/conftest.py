"""A scratch folder, a scratch home, and editors to start in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.client import Client

StartClient = Callable[..., Awaitable[Client]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace folder."""
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The person's home, with nothing in it."""
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest_asyncio.fixture
async def start(folder: Path, home: Path) -> AsyncIterator[StartClient]:
    """Starts editors, by default in `folder` with a plugin; takes what `Client` takes."""
    async with AsyncExitStack() as stack:

        async def start_client(**options: Any) -> Client:
            return await stack.enter_async_context(Client(folder, home, **options))

        yield start_client
