"""The editor at the other end, as something that can be told and asked."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from pydantic import ValidationError

from pi_lsp.agent.events import WireModel
from pi_lsp.messages import JsonObject
from pi_lsp.server.client_abilities import ClientAbilities
from pi_lsp.server.codes import MESSAGE_TYPES, LspMethod, MessageKind
from pi_lsp.server.json_values import member, without_empty_list
from pi_lsp.server.protocol import client_requests as wire

Ask = Callable[[str, JsonObject], Coroutine[Any, Any, Any]]
Tell = Callable[[str, JsonObject], None]
W = TypeVar("W", bound=WireModel)


class ClientError(Exception):
    """The editor answered with an error, with nonsense, or is gone; the text says which."""


class Client:
    """One method for each thing that an editor can be told or asked.

    Args:
        ask: sends a request and gives the result; raises ClientError.
        tell: sends a notification.

    Attributes:
        abilities: what the editor said that it can do.
    """

    def __init__(self, ask: Ask, tell: Tell) -> None:
        self.abilities = ClientAbilities()
        self._ask = ask
        self._tell = tell

    def event(self, params: wire.EventParams) -> None:
        self._tell(wire.EVENT, params.to_wire())

    async def approve(self, params: JsonObject) -> wire.ApproveAnswer:
        """Ask whether a call may run.

        Raises:
            ClientError: there is no usable answer. So do all that follow.
        """
        return _parsed(wire.ApproveAnswer, await self._ask(wire.APPROVE, params), wire.APPROVE)

    async def save(self, uris: list[str]) -> list[str]:
        """Have open documents saved; returns the URIs of those that were."""
        return _parsed(wire.SaveAnswer, await self._ask(wire.SAVE, {"uris": uris}), wire.SAVE).saved

    async def diagnostics(self, uris: list[str] | None) -> list[wire.DocumentDiagnostics]:
        """What the editor's servers found in these documents; in all for None."""
        answer = await self._ask(wire.DIAGNOSTICS, {} if uris is None else {"uris": uris})
        return _parsed(wire.DiagnosticsAnswer, answer, wire.DIAGNOSTICS).diagnostics

    async def apply_edit(self, edit: JsonObject) -> str | None:
        """Have open documents changed; returns why they were not, None when the editor says so.

        Args:
            edit: LSP's `WorkspaceEdit`.
        """
        answer: Any = await self._ask(LspMethod.APPLY_EDIT, {"label": "pi", "edit": edit})
        if member(answer, "applied") is True:
            return None
        reason = member(answer, "failureReason")
        return str(reason) if reason else "the editor refused the edit"

    async def choose(self, message: str, titles: list[str]) -> str | None:
        """Ask with buttons; returns the title of the one that was pressed."""
        params: JsonObject = {
            "type": MESSAGE_TYPES["warning"],
            "message": message,
            "actions": [{"title": title} for title in titles],
        }
        answer: Any = await self._ask(LspMethod.SHOW_MESSAGE_REQUEST, params)
        return member(answer, "title")

    async def show_document(self, uri: str) -> bool:
        """Show a document, without taking the focus; returns whether it was shown."""
        answer: Any = await self._ask(LspMethod.SHOW_DOCUMENT, {"uri": uri, "takeFocus": False})
        return member(answer, "success") is True

    async def create_progress(self, token: str) -> None:
        await self._ask(LspMethod.CREATE_PROGRESS, {"token": token})

    def progress(self, token: str, value: JsonObject) -> None:
        """Tell of a progress.

        Args:
            value: LSP's `WorkDoneProgressBegin`, `…Report` or `…End`.
        """
        self._tell(LspMethod.PROGRESS, {"token": token, "value": value})

    def show_message(self, message: str, kind: MessageKind) -> None:
        self._tell(LspMethod.SHOW_MESSAGE, {"type": MESSAGE_TYPES[kind], "message": message})


def _parsed(model: type[W], answer: Any, method: str) -> W:
    try:
        return model.model_validate({} if answer is None else without_empty_list(answer))
    except ValidationError as error:
        raise ClientError(f"the editor's answer to {method} cannot be understood") from error
