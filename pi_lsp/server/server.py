"""The language server: pygls with our protocol, its features, and its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from pi_lsp import __version__
from pi_lsp.agent.events import event_types
from pi_lsp.server.client import Client
from pi_lsp.server.connection import Connection
from pi_lsp.server.features import register_features
from pi_lsp.server.handlers import METHODS
from pi_lsp.server.lsp_types import lsp_converter
from pi_lsp.server.open_documents import OpenDocuments
from pi_lsp.server.positions import encoding_of
from pi_lsp.server.protocol import COMMAND_PREFIX, METHOD_PREFIX, PROTOCOL_VERSION
from pi_lsp.server.rpc import PiProtocol
from pi_lsp.server.transport import Transport
from pi_lsp.server.virtual_documents import SCHEME, VirtualDocuments
from pi_lsp.server.workspaces import Workspaces

logger = logging.getLogger(__name__)

CLOSE_TIMEOUT = 10.0
"""Seconds in which what runs must have stopped and been written when the server ends."""

WRITE_TIMEOUT = 2.0
"""Seconds that an editor has to read the last messages."""


class PiServer(LanguageServer):
    """One server for one editor. `connect` comes before anything else.

    Args:
        log_file: where the log is written, to tell people; None for standard error.

    Attributes:
        client: the editor.
        client_settings: `initializationOptions` as they came, of any shape.
        documents: what the editor has open.
        ended: the exit code, once everything is closed.
    """

    protocol: PiProtocol  # pyright: ignore[reportIncompatibleVariableOverride] - made by pygls

    def __init__(self, log_file: Path | None = None) -> None:
        converter = lsp_converter()
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "pi-lsp", __version__, protocol_cls=PiProtocol, converter_factory=lambda: converter
        )
        self.protocol.methods = METHODS
        self.client = Client(self.protocol.ask, self.protocol.tell, converter)
        self.client_settings: object = None
        self.documents = OpenDocuments()
        self.texts = VirtualDocuments(self._render)
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._log_file = log_file
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending = False
        register_features(self)

    def connect(self, transport: Transport) -> None:
        """Speak through this transport from now on."""
        self._transport = transport
        self.protocol.send = transport.send
        connection = Connection(self.client, transport, self.documents, self.texts, self._log_file)
        self.workspaces = Workspaces(connection)

    def begin(self, params: types.InitializeParams) -> None:
        """The editor has said who it is, and which folders it has open."""
        self.documents.encoding = encoding_of(self.workspace.position_encoding)
        self.workspaces.use_settings(self.client_settings)
        uris = [folder.uri for folder in params.workspace_folders or ()]
        root = params.root_uri or (params.root_path and from_fs_path(params.root_path))
        for uri in uris or ([root] if root else []):
            self.workspaces.add(uri)

    def declare(self, capabilities: types.ServerCapabilities) -> None:
        """Add what pygls does not know to what the server says that it can do."""
        capabilities.experimental = {
            "pi": {
                "protocolVersion": PROTOCOL_VERSION,
                "methods": sorted(METHODS),
                "events": event_types(),
            }
        }
        capabilities.execute_command_provider = types.ExecuteCommandOptions(
            [COMMAND_PREFIX + name.removeprefix(METHOD_PREFIX) for name in sorted(METHODS)]
        )
        workspace = capabilities.workspace or types.WorkspaceOptions()
        workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        capabilities.workspace = workspace

    def run_in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something that nobody waits for; its fault goes into the log."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    async def close_workspaces(self) -> None:
        """Stop what runs, write it down, and let go of the sessions."""
        try:
            await asyncio.wait_for(self.workspaces.close(), CLOSE_TIMEOUT)
        except asyncio.TimeoutError:
            logger.error("what ran did not stop within %s s", CLOSE_TIMEOUT)

    def client_is_gone(self) -> None:
        """The editor has closed its end, as Neovim does when it quits: that is a normal end."""
        self.protocol.client_is_gone()
        self.end(0)

    def end(self, exit_code: int) -> None:
        """Close everything, then end with this exit code."""
        if not self._ending:
            self._ending = True
            self.run_in_background(self._end(exit_code))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Faults outside of requests are for the log; a message box helps nobody."""
        logger.error("a fault outside of any request: %s", error)

    async def _end(self, exit_code: int) -> None:
        try:
            await self.close_workspaces()
            await self._transport.close(WRITE_TIMEOUT)
        finally:
            if not self.ended.done():
                self.ended.set_result(exit_code)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a background task failed", exc_info=error)

    def _render(self, kind: str, owner: str) -> str | None:
        """The text of a `pi:` document that stands in a session (see `VirtualDocuments`)."""
        for workspace in self.workspaces.opened():
            text = workspace.reading.document(kind, owner)
            if text is not None:
                return text
        return None
