"""A real model on this machine (`make test-local`), set up as docs/local-models.md shows it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import pytest_asyncio

from tests.client import Client, JsonObject

DOCUMENT = Path(__file__).parents[2] / "docs" / "local-models.md"
WINDOW = 8192
"""Tokens; what the tests' model was trained for, and enough for the system prompt and the tools."""
START_S = 120.0

StartClient = Callable[[JsonObject], Awaitable[Client]]


@dataclass(frozen=True)
class Service:
    """Where a model is served, and its name there."""

    url: str
    model: str


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service that is named by the environment, or a llama-server for the model named there."""
    if url := os.environ.get("PI_LSP_LOCAL_URL"):
        yield Service(url, _first_model(url))
        return
    model = os.environ.get("PI_LSP_LOCAL_MODEL")
    if not model:
        pytest.skip(
            "needs a local model: PI_LSP_LOCAL_MODEL (a .gguf file, for the llama-server on the "
            "PATH) or PI_LSP_LOCAL_URL (a service that runs); make test-local brings one"
        )
    program = shutil.which("llama-server")
    if program is None:
        pytest.skip("needs llama-server on the PATH; make test-local brings one")
    log = tmp_path_factory.mktemp("llama") / "log.txt"
    port = _free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            # As in the document.
            [program, "-m", model, "--port", str(port), "--jinja", "-c", str(WINDOW), "-np", "1"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_it_serves(url, process, log)
        yield Service(url, _first_model(url))
    finally:
        process.kill()
        process.wait()


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[StartClient]:
    """Starts an editor in an empty folder, with these settings as the person's own file."""
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    async with AsyncExitStack() as stack:

        async def start_client(settings: JsonObject) -> Client:
            write(home / ".pi" / "agent" / "settings.json", settings)
            return await stack.enter_async_context(Client(folder, home))

        yield start_client


def documented(heading: str, service: Service) -> JsonObject:
    """The settings that the document shows under a heading, with this service in their place.

    Answers are kept short: a model that is this small rambles.
    """
    text = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    shown = re.search(r"^    \{\n(?:    .*\n)+?    \}\n", text, re.MULTILINE)
    assert shown is not None, f"the document shows no settings under {heading}"
    settings: JsonObject = json.loads(shown[0])
    (provider,) = settings["providers"].values()
    provider["baseUrl"] = service.url
    (model,) = settings["models"]
    model |= {"id": service.model, "contextWindow": WINDOW, "maxTokens": 64}
    settings["defaultModel"] = service.model
    return settings


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def _first_model(url: str) -> str:
    with urlopen(f"{url}/v1/models", timeout=10) as answer:
        return json.load(answer)["data"][0]["id"]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def _wait_until_it_serves(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the model is loaded: before that its health is an error."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(errors="replace")
        try:
            with urlopen(f"{url}/health", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"llama-server did not begin to serve:\n{log.read_text(errors='replace')}")
