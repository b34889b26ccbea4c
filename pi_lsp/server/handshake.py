"""The handshake: what the editor says of itself, and what the server says that it can do."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from pi_lsp import __version__
from pi_lsp.agent.events import WireModel, event_types
from pi_lsp.messages import JsonObject
from pi_lsp.server.errors import invalid_params, refuse_params
from pi_lsp.server.json_values import as_list, as_object, member, without_empty_list
from pi_lsp.server.positions import Encoding
from pi_lsp.server.protocol import COMMAND_PREFIX, METHOD_PREFIX, PROTOCOL_VERSION
from pi_lsp.server.virtual_documents import SCHEME

_INCREMENTAL = 2
"""LSP's number for documents that are kept in step by their changes."""


class _Folder(WireModel, frozen=True):
    uri: str


class InitializeParams(WireModel, frozen=True):
    """What of LSP's `initialize` says which folders are open; the rest is read elsewhere."""

    process_id: int | None = None
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: list[_Folder] | None = None

    @classmethod
    def of(cls, params: object) -> InitializeParams:
        """
        Raises:
            RequestError: a member is not as LSP says.
        """
        given = as_object({} if params is None else without_empty_list(params))
        if given is None:
            raise refuse_params("they are no object")
        try:
            return cls.model_validate(given, strict=True, by_name=False)
        except ValidationError as error:
            raise invalid_params(error) from error

    def folders(self) -> list[str]:
        """The URIs of the open folders; of one that is given by its path alone, too."""
        if self.workspace_folders:
            return [folder.uri for folder in self.workspace_folders]
        if self.root_uri:
            return [self.root_uri]
        if self.root_path and Path(self.root_path).is_absolute():
            return [Path(self.root_path).as_uri()]
        return []


def chosen_encoding(capabilities: object) -> Encoding:
    """How positions count: the first of the editor's encodings that there is; else UTF-16, as
    LSP says."""
    for offered in as_list(member(capabilities, "general", "positionEncodings")) or ():
        for encoding in get_args(Encoding):
            if offered == encoding:
                return encoding
    return "utf-16"


def initialize_result(encoding: Encoding, methods: list[str]) -> JsonObject:
    """LSP's `InitializeResult`.

    Args:
        encoding: the one that was chosen.
        methods: the names of our own requests.
    """
    commands = [COMMAND_PREFIX + name.removeprefix(METHOD_PREFIX) for name in methods]
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
                "methods": methods,
                "events": event_types(),
            }
        },
    }
    return {
        "capabilities": capabilities,
        "serverInfo": {"name": "pi-lsp", "version": __version__},
    }
