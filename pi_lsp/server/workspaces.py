"""The folders that the editor has open, each with its own agent; they come and go."""

from __future__ import annotations

import asyncio
import importlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from pi_lsp.errors import InvalidArgumentError, InvalidStateError, NotFoundError, PiError
from pi_lsp.server.connection import Connection
from pi_lsp.server.open_documents import path_of

if TYPE_CHECKING:
    from pi_lsp.server.protocol.results import HealthResult
    from pi_lsp.server.shared_settings import SharedSettings
    from pi_lsp.server.workspace import Workspace

logger = logging.getLogger(__name__)


class Workspaces:
    """A folder's agent is made when it is first needed; what failed is tried again then.

    Args:
        connection: what all folders share.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._client_settings: object = None
        self._shared: asyncio.Task[SharedSettings] | None = None
        self._folders: dict[str, asyncio.Task[Workspace] | None] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    # Folders

    def add(self, uri: str) -> None:
        """The editor opened a folder."""
        self._folders.setdefault(uri, None)

    def remove(self, uri: str) -> None:
        """The editor closed a folder: its agent is stopped, and its session written and let go."""
        task = self._folders.pop(self._known(uri) or uri, None)
        if task is not None:
            closing = asyncio.ensure_future(_close(task))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def opened(self) -> list[Workspace]:
        """The folders whose agents are there."""
        done = (task for task in self._folders.values() if task is not None and task.done())
        return [task.result() for task in done if not task.cancelled() and not task.exception()]

    def containing(self, document_uri: str) -> str | None:
        """The folder that a document lies in (the innermost), else the only or first one."""
        document = path_of(document_uri)
        found = [
            uri
            for uri in self._folders
            if document is not None
            and (folder := path_of(uri)) is not None
            and document.is_relative_to(folder)
        ]
        return max(found, key=len) if found else next(iter(self._folders), None)

    async def ready(self, uri: str | None) -> Workspace:
        """The agent of a folder, made now if need be.

        Args:
            uri: the folder, however it is spelled; None when there is only one.

        Raises:
            InvalidStateError: no folder is open.
            InvalidArgumentError: several are, and none was named.
            NotFoundError: this one is not open.
            PiError: its agent cannot be made; says why.
        """
        known = self._chosen(uri)
        task = self._folders[known]
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            # The same folder may have been closed a moment ago; its session must be free first.
            # What is closed from now on may be this very agent, so it does not wait for that.
            opening = self._open(known, after=set(self._closing))
            task = self._folders[known] = asyncio.ensure_future(opening)
        return await asyncio.shield(task)

    async def health(self, uri: str | None) -> HealthResult:
        """What works in a folder, also in one that cannot be used, and when none is open.

        Raises:
            InvalidArgumentError: several folders are open, and none was named.
            NotFoundError: this one is not open.
        """
        shared = await self._shared_settings()
        from pi_lsp.server.health import Health  # what the agent needs is imported by now

        health = Health(self._connection, shared)
        if uri is None and not self._folders:
            return health.without_folder(InvalidStateError("No folder is open."))
        known = self._chosen(uri)
        try:
            return await (await self.ready(known)).health()
        except PiError as error:
            folder = _existing_folder(known)
            if folder is None:
                return health.without_folder(error)
            return await health.of_unusable_folder(folder, error)

    def open_all(self) -> None:
        """Begin to make the agents of all folders, so that the first request need not wait."""
        for uri in self._folders:
            task = asyncio.ensure_future(self.ready(uri))
            task.add_done_callback(_log_failure)

    async def opening(self, timeout: float) -> None:
        """Wait for the agents that are being made, for at most `timeout` seconds."""
        if tasks := [task for task in self._folders.values() if task is not None]:
            await asyncio.wait(tasks, timeout=timeout)

    async def close(self) -> None:
        """Stop all agents; all that they have is on the disk then."""
        self._closed = True
        for uri in list(self._folders):
            self.remove(uri)
        while self._closing:
            await asyncio.gather(*self._closing)
        if self._shared is not None:
            await (await self._shared).providers.close()

    # Settings

    def use_settings(self, client: object) -> None:
        """The client's settings, before any folder is made."""
        self._client_settings = client

    async def change_settings(self, client: object) -> None:
        """Take over new settings of the client, while running."""
        self._client_settings = client
        shared = await self._shared_settings()
        await asyncio.to_thread(shared.change, client)
        await self.reconfigure()

    async def reconfigure(self) -> None:
        """Have all agents take over what is in force now, those too that are just being made."""
        if tasks := [task for task in self._folders.values() if task is not None]:
            await asyncio.wait(tasks)
        for workspace in self.opened():
            await workspace.reconfigure()

    async def _open(self, uri: str, *, after: set[asyncio.Task[None]]) -> Workspace:
        await asyncio.to_thread(importlib.import_module, "pi_lsp.server.workspace")
        from pi_lsp.server.workspace import Workspace

        shared = await self._shared_settings()
        folder = _existing_folder(uri)
        if folder is None:
            raise NotFoundError(f"The workspace folder {uri} is no folder on this machine.")
        if after:
            await asyncio.wait(after)
        return await Workspace.open(uri, folder, self._connection, shared, self.reconfigure)

    async def _shared_settings(self) -> SharedSettings:
        if self._shared is None:
            made = asyncio.to_thread(_make_shared_settings, self._client_settings)
            self._shared = asyncio.ensure_future(made)
        return await asyncio.shield(self._shared)

    def _chosen(self, uri: str | None) -> str:
        if self._closed:
            raise InvalidStateError("The server is ending.")
        if uri is not None:
            known = self._known(uri)
            if known is None:
                raise NotFoundError(f"The folder {uri} is not open in this editor.")
            return known
        if not self._folders:
            raise InvalidStateError("No folder is open: open one first, the agent works in it.")
        if len(self._folders) > 1:
            raise InvalidArgumentError(
                "Several folders are open: say in `workspace` which one is meant."
            )
        return next(iter(self._folders))

    def _known(self, uri: str) -> str | None:
        """A folder as the editor spelled it when it opened it."""
        if uri in self._folders:
            return uri
        path = path_of(uri)
        return next((one for one in self._folders if path and path_of(one) == path), None)


def _make_shared_settings(client: object) -> SharedSettings:
    """In a thread: it imports what the agent needs, which takes longer than answering
    `initialize` should."""
    from pi_lsp.server.shared_settings import SharedSettings

    return SharedSettings(client)


def _existing_folder(uri: str) -> Path | None:
    folder = path_of(uri)
    return folder if folder is not None and folder.is_dir() else None


async def _close(task: asyncio.Task[Workspace]) -> None:
    """Close a folder's agent; one that could not be made needs no closing."""
    await asyncio.wait([task])
    if task.cancelled() or task.exception() is not None:
        return
    try:
        await task.result().close()
    except PiError as error:
        logger.error("%s could not be closed: %s", task.result().uri, error)


def _log_failure(task: asyncio.Task[Workspace]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        # Whoever asks for the folder is told; this was only a try ahead of time.
        logger.warning("a folder could not be opened: %s", error)
