"""The real pi 1.6.0 on the Node that it needs, both from npm (`make test` installs them)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.messages_api import MessagesApi
from tests.pi.rpc import NODE, PI
from tests.pi.shared_folder import KEY, SETTINGS, SharedFolder

NOT_INSTALLED = "the real pi is not installed: make test installs it"

AskPi = Callable[..., Any]


@pytest.fixture
def pi_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pi's own directory, empty, for both programs."""
    directory = tmp_path / "agent"
    directory.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(directory))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return directory


@pytest.fixture
def ask_pi(pi_home: Path) -> AskPi:
    """Run a JavaScript function in one of pi's modules: `ask_pi(module, script, *arguments)`.

    The script sees the module as `pi`, pi's directory as `home` and the arguments as `args`; what
    it returns comes back.
    """
    if not NODE.exists():
        pytest.skip(NOT_INSTALLED)

    def ask(module: str, script: str, *arguments: Any) -> Any:
        source = (PI / "dist" / f"{module}.js").as_uri()
        program = (
            f"const pi = await import({json.dumps(source)});"
            "const [home, args] = JSON.parse(process.argv[1]);"
            f"const answer = await (async () => {{ {script} }})();"
            "console.log(JSON.stringify(answer ?? null));"
        )
        done = subprocess.run(
            [
                str(NODE),
                "--input-type=module",
                "-e",
                program,
                json.dumps([str(pi_home), arguments]),
            ],
            env={**os.environ, "HOME": str(pi_home.parent), "PI_OFFLINE": "1"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return json.loads(done.stdout)

    return ask


@pytest_asyncio.fixture
async def shared(tmp_path: Path) -> AsyncIterator[SharedFolder]:
    """A folder for both programs, with pi's files of a person who has set pi up."""
    if not NODE.exists():
        pytest.skip(NOT_INSTALLED)
    folder = tmp_path / "project"
    folder.mkdir()
    with MessagesApi(key=KEY, lenient=True) as api:
        async with AsyncExitStack() as stack:
            made = SharedFolder(folder, tmp_path / "home", api, stack)
            made.keep("settings.json", SETTINGS)
            made.keep("models.json", {"providers": {"anthropic": {"baseUrl": api.url}}})
            made.keep("auth.json", {"anthropic": {"type": "api_key", "key": KEY}})
            made.keep("trust.json", {str(folder.resolve()): True})
            yield made


@pytest.fixture(params=["ours", "pi"])
def who(request: pytest.FixtureRequest) -> str:
    """The program that makes the session of a story."""
    return request.param
