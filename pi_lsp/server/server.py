"""The language server: the editor, its folders, and the end."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client
from pi_lsp.server.client_abilities import ClientAbilities
from pi_lsp.server.connection import Connection
from pi_lsp.server.handshake import chosen_encoding, initialize_result, open_folders
from pi_lsp.server.json_values import member
from pi_lsp.server.open_documents import OpenDocuments
from pi_lsp.server.rpc import LspFeatures, Method, Rpc
from pi_lsp.server.transport import Transport
from pi_lsp.server.virtual_documents import VirtualDocuments
from pi_lsp.server.workspaces import Workspaces

logger = logging.getLogger(__name__)

CLOSE_TIMEOUT = 10.0
"""Seconds in which what runs must have stopped and been written when the server ends."""

WRITE_TIMEOUT = 2.0
"""Seconds that an editor has to read the last messages."""

OPENING_TIMEOUT = 1.0
"""Seconds in which the sessions of the start go before the import of LSP's types."""


class PiServer:
    """One server for one editor. `connect` comes before anything else.

    Args:
        log_file: where the log is written, to tell people; None for standard error.

    Attributes:
        rpc: the messages.
        client: the editor.
        documents: what the editor has open.
        ended: the exit code, once everything is closed.
    """

    def __init__(self, log_file: Path | None = None) -> None:
        self.rpc = Rpc(self, _load_methods, self._load_features)
        self.client = Client(self.rpc.ask, self.rpc.tell)
        self.documents = OpenDocuments()
        self.texts = VirtualDocuments(self._render)
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._log_file = log_file
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending = False

    def connect(self, transport: Transport) -> None:
        """Speak through this transport from now on."""
        self._transport = transport
        self.rpc.send = transport.send
        connection = Connection(self.client, transport, self.documents, self.texts, self._log_file)
        self.workspaces = Workspaces(connection)

    # The beginning and the end, as LSP has them

    def initialize(self, params: object) -> JsonObject:
        """The editor says who it is, and which folders it has open.

        Raises:
            RequestError: the params cannot be used.
        """
        folders = open_folders(params)
        capabilities = member(params, "capabilities")
        self.client.abilities = ClientAbilities.of(capabilities)
        self.documents.encoding = chosen_encoding(capabilities)
        self.workspaces.use_settings(member(params, "initializationOptions"))
        for uri in folders:
            self.workspaces.add(uri)
        return initialize_result(self.documents.encoding)

    def initialized(self) -> None:
        """Make the agents ahead of the first request."""
        self.workspaces.open_all()

    async def shutdown(self) -> None:
        """Stop what runs, write it down, let go of the sessions."""
        try:
            await asyncio.wait_for(self.workspaces.close(), CLOSE_TIMEOUT)
        except asyncio.TimeoutError:
            logger.error("what ran did not stop within %s s", CLOSE_TIMEOUT)

    def exit(self) -> None:
        """End the process; without a shutdown before it, that is a fault of the editor."""
        self.end(0 if self.rpc.is_shut_down else 1)

    def client_is_gone(self) -> None:
        """The editor has closed its end, as Neovim does when it quits: that is a normal end."""
        self.rpc.client_is_gone()
        self.end(0)

    def end(self, exit_code: int) -> None:
        """Close everything, then end with this exit code."""
        if not self._ending:
            self._ending = True
            self.run_in_background(self._end(exit_code))

    def run_in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do something that nobody waits for; its fault goes into the log."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    async def _load_features(self) -> LspFeatures:
        """What handles LSP's own messages, imported in a thread: it takes long.

        The sessions of the start go first, for they are what a person waits to see.
        """
        await self.workspaces.opening(OPENING_TIMEOUT)
        lsp = await asyncio.to_thread(importlib.import_module, "pi_lsp.server.lsp")
        return lsp.Features(self)

    async def _end(self, exit_code: int) -> None:
        try:
            await self.shutdown()
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


def _load_methods() -> Mapping[str, Method]:
    """Our own requests; what checks their params is not imported for the handshake."""
    from pi_lsp.server.handlers import METHODS

    return METHODS
