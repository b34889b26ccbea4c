"""The numbers and names that JSON-RPC and LSP fix for all servers.

Source: the JSON-RPC 2.0 specification and LSP 3.18. They stand here once more because the library
that has them takes longer to import than the first answers may take.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal


class RpcErrorCode(IntEnum):
    """Why a message was refused."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800


class LspMethod:
    """The messages that are handled or sent without LSP's types."""

    INITIALIZE: Final = "initialize"
    INITIALIZED: Final = "initialized"
    SHUTDOWN: Final = "shutdown"
    EXIT: Final = "exit"
    CANCEL_REQUEST: Final = "$/cancelRequest"
    PROGRESS: Final = "$/progress"
    APPLY_EDIT: Final = "workspace/applyEdit"
    CREATE_PROGRESS: Final = "window/workDoneProgress/create"
    SHOW_DOCUMENT: Final = "window/showDocument"
    SHOW_MESSAGE: Final = "window/showMessage"
    SHOW_MESSAGE_REQUEST: Final = "window/showMessageRequest"


OVERTAKEN = frozenset(
    {
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didSave",
        "textDocument/didClose",
        "workspace/didChangeConfiguration",
        "$/setTrace",
    }
)
"""Notifications that change nothing of what a request for the conversation is answered with."""

MessageKind = Literal["error", "warning", "info"]

MESSAGE_TYPES: dict[MessageKind, int] = {"error": 1, "warning": 2, "info": 3}
"""LSP's numbers for the kinds of messages that people are shown."""
