"""What the editor at the other end can do, as far as the server cares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pi_lsp.messages import JsonObject
from pi_lsp.server.protocol.client_requests import ClientPi


@dataclass(frozen=True)
class ClientAbilities:
    """Read from the capabilities of `initialize`, which may be of any shape.

    Attributes:
        plain: an editor without a plugin of ours; it knows nothing that is named `pi/…`.
    """

    plain: bool = True
    pi: ClientPi = ClientPi()
    apply_edit: bool = False
    document_changes: bool = False
    show_document: bool = False
    work_done_progress: bool = False
    text_document_content: bool = False
    code_action_literals: bool = False

    @classmethod
    def of(cls, capabilities: Any) -> ClientAbilities:
        pi = _at(capabilities, "experimental", "pi")
        return cls(
            plain=not isinstance(pi, dict | list),  # an empty table of Lua arrives as a list
            pi=_client_pi(pi),
            apply_edit=_is_on(capabilities, "workspace", "applyEdit"),
            document_changes=_is_on(capabilities, "workspace", "workspaceEdit", "documentChanges"),
            show_document=_is_on(capabilities, "window", "showDocument", "support"),
            work_done_progress=_is_on(capabilities, "window", "workDoneProgress"),
            text_document_content=_at(capabilities, "workspace", "textDocumentContent") is not None,
            code_action_literals=_at(
                capabilities, "textDocument", "codeAction", "codeActionLiteralSupport"
            )
            is not None,
        )


def pruned(capabilities: Any) -> JsonObject:
    """The capabilities that pygls is told of.

    Only what it decides something by: an editor of tomorrow may send values elsewhere that the
    LSP types of today refuse, and that must not stop it.
    """
    encodings = _at(capabilities, "general", "positionEncodings")
    if not isinstance(encodings, list):
        return {}
    known: list[str] = [one for one in encodings if isinstance(one, str)]
    return {"general": {"positionEncodings": known}}


def _client_pi(value: Any) -> ClientPi:
    try:
        return ClientPi.model_validate(value if isinstance(value, dict) else {})
    except ValidationError:
        # A value of the wrong type promises nothing: the fall-backs of a plain client are used.
        return ClientPi()


def _at(value: Any, *path: str) -> Any:
    for member in path:
        if not isinstance(value, dict):
            return None
        value = value.get(member)
    return value


def _is_on(value: Any, *path: str) -> bool:
    return _at(value, *path) is True
