"""The handshake: what the editor says of itself, and what the server says that it can do."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from pi_lsp import __version__
from pi_lsp.messages import JsonObject
from pi_lsp.server.errors import refuse_params
from pi_lsp.server.json_values import as_list, as_object, member, without_empty_list
from pi_lsp.server.positions import Encoding
from pi_lsp.server.protocol import COMMAND_PREFIX, METHOD_PREFIX, PROTOCOL_VERSION
from pi_lsp.server.protocol.names import EVENT_NAMES, METHOD_NAMES
from pi_lsp.server.virtual_documents import SCHEME

_INCREMENTAL = 2
"""LSP's number for documents that are kept in step by their changes."""


def open_folders(params: object) -> list[str]:
    """The URIs of the folders that the editor has open; of one that is given by its path alone,
    too.

    Args:
        params: those of `initialize`. They are read by hand: what checks all other params takes
            longer to load than the handshake may take.

    Raises:
        RequestError: a member is not as LSP says.
    """
    given = as_object({} if params is None else without_empty_list(params))
    if given is None:
        raise refuse_params("they are no object")
    folders = given.get("workspaceFolders")
    if folders:
        listed = as_list(folders)
        if listed is None:
            raise refuse_params("`workspaceFolders` is no list")
        return [
            _text(member(one, "uri"), f"workspaceFolders[{n}].uri") for n, one in enumerate(listed)
        ]
    if (root_uri := given.get("rootUri")) is not None:
        return [_text(root_uri, "rootUri")]
    root_path = given.get("rootPath")
    if root_path is not None and Path(_text(root_path, "rootPath")).is_absolute():
        return [Path(root_path).as_uri()]
    return []


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise refuse_params(f"`{name}` is no string")
    return value


def chosen_encoding(capabilities: object) -> Encoding:
    """How positions count: the first of the editor's encodings that there is; else UTF-16, as
    LSP says."""
    for offered in as_list(member(capabilities, "general", "positionEncodings")) or ():
        for encoding in get_args(Encoding):
            if offered == encoding:
                return encoding
    return "utf-16"


def initialize_result(encoding: Encoding) -> JsonObject:
    """LSP's `InitializeResult`, with the encoding that was chosen."""
    commands = [COMMAND_PREFIX + name.removeprefix(METHOD_PREFIX) for name in METHOD_NAMES]
    capabilities: JsonObject = {
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": True},
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor"]},
        "executeCommandProvider": {"commands": commands},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "textDocumentContent": {"schemes": [SCHEME]},
        },
        "experimental": {
            "pi": {
                "protocolVersion": PROTOCOL_VERSION,
                "methods": list(METHOD_NAMES),
                "events": list(EVENT_NAMES),
            }
        },
    }
    return {
        "capabilities": capabilities,
        "serverInfo": {"name": "pi-lsp", "version": __version__},
    }
