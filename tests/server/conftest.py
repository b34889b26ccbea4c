"""An editor made of answers: what the server asks is recorded, and answered as a test says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client, ClientError
from pi_lsp.server.client_abilities import ClientAbilities

Answer = Callable[[JsonObject], Any]


class FakeEditor:
    """The far end of a `Client`.

    Attributes:
        asked, told: every request and notification, as (method, params).
        answers: by method; what is not here is answered with an error.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, JsonObject]] = []
        self.told: list[tuple[str, JsonObject]] = []
        self.answers: dict[str, Answer] = {}
        self.client = Client(self._ask, self._tell)
        self.client.abilities = ClientAbilities.of(
            {
                "experimental": {"pi": {"approval": True, "diagnostics": True, "save": True}},
                "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
                "window": {"workDoneProgress": True, "showDocument": {"support": True}},
            }
        )

    def is_plain(self) -> None:
        """Be an editor without a plugin."""
        self.client.abilities = ClientAbilities.of(
            {"window": {"workDoneProgress": True, "showDocument": {"support": True}}}
        )

    def _tell(self, method: str, params: JsonObject) -> None:
        self.told.append((method, params))

    async def _ask(self, method: str, params: JsonObject) -> Any:
        self.asked.append((method, params))
        if method not in self.answers:
            raise ClientError(f"{method} is not known")
        answer = self.answers[method](params)
        return await answer if inspect.isawaitable(answer) else answer


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()
