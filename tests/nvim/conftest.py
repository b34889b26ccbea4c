"""A person at Neovim: fixtures that start it, and keep pictures of its screen under artifacts/."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.messages_api import MessagesApi, Text
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened

REPOSITORY = Path(__file__).parents[2]
ARTIFACTS = REPOSITORY / "artifacts" / "nvim"

TRUSTED = "settings = { trusted = true }"
"""Options of a person who trusts the folder."""

StartNeovim = Callable[..., Neovim]
Shoot = Callable[[Neovim, str], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project to work in."""
    made = tmp_path / "project"
    (made / ".git").mkdir(parents=True)
    (made / "README.md").write_text("# Kettle\n\nBoils water.\n", encoding="utf-8")
    (made / "kettle.py").write_text(
        "def boil(water):\n    return water + 80\n\n\ndef pour(cup):\n    cup.fill()\n",
        encoding="utf-8",
    )
    return made


@pytest.fixture
def start(folder: Path, tmp_path: Path) -> Iterator[StartNeovim]:
    """Starts a Neovim in the project; all of them are left at the end."""
    running: list[Neovim] = []

    def start_one(setup: str = TRUSTED, **options: Any) -> Neovim:
        init = f"require('pi').setup({{ {setup} }})"
        neovim = Neovim(folder, options.pop("home", tmp_path / "home"), init, **options)
        running.append(neovim)
        return neovim

    yield start_one
    for neovim in running:
        neovim.quit()


@pytest.fixture
def service() -> Iterator[MessagesApi]:
    """A scripted model behind the Messages API."""
    with MessagesApi() as api:
        yield api


@pytest.fixture
def start_with_service(start: StartNeovim, service: MessagesApi) -> StartNeovim:
    """Starts a Neovim of a person who has a key; the service answers."""

    def start_one(setup: str = TRUSTED, **options: Any) -> Neovim:
        environment = {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": service.url}
        return start(setup, environment=environment, **options)

    return start_one


@pytest.fixture
def play(start: StartNeovim, tmp_path: Path) -> Callable[..., Neovim]:
    """Starts a Neovim whose server plays a script (tests/nvim/scripted_server.py)."""

    def play_one(
        answers: dict[str, Any],
        on: dict[str, list[dict[str, Any]]] | None = None,
        setup: str = "",
        **options: Any,
    ) -> Neovim:
        script = tmp_path / "script.json"
        script.write_text(json.dumps({"answers": answers, "on": on or {}}), encoding="utf-8")
        command = (
            f"cmd = {{ [[{sys.executable}]], '-m', 'tests.nvim.scripted_server', [[{script}]] }}"
        )
        environment = {"PYTHONPATH": str(REPOSITORY)}
        return start(f"{command}, {setup}", environment=environment, **options)

    return play_one


@pytest.fixture
def shoot(request: pytest.FixtureRequest) -> Shoot:
    """Keeps a picture of a screen as artifacts/nvim/<test>-<name>.png."""
    test = re.sub(r"\W+", "-", request.node.name.removeprefix("test_")).strip("-")

    def shoot_one(neovim: Neovim, name: str) -> None:
        neovim.look()
        neovim.screen.save(ARTIFACTS / f"{test}-{name}")

    return shoot_one


@pytest.fixture
def talking(start_with_service: StartNeovim, service: MessagesApi) -> Neovim:
    """A Neovim after a first question and its answer."""
    service.reply(Text("First answer."))
    neovim = opened(start_with_service())
    ask(neovim, "first question")
    neovim.sees("First answer.")
    is_idle(neovim)
    return neovim
