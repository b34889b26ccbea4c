"""One workspace folder: its settings, sessions, agent and editor, wired together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from pi_lsp.agent.environment import Environment
from pi_lsp.agent.events import Event, SessionChanged, TrustChanged
from pi_lsp.agent.harness import Harness
from pi_lsp.agent.state import ModelInfo
from pi_lsp.messages import JsonObject
from pi_lsp.server.approvals import Approvals
from pi_lsp.server.attachments import Attachments
from pi_lsp.server.connection import Connection
from pi_lsp.server.event_sender import EventSender
from pi_lsp.server.health import Health
from pi_lsp.server.lsp_editor import LspEditor
from pi_lsp.server.plain_client import PlainClient
from pi_lsp.server.progress import Progress
from pi_lsp.server.protocol.results import HealthResult
from pi_lsp.server.reading import Reading
from pi_lsp.server.sessions import Sessions
from pi_lsp.server.shared_settings import FolderSettings, SharedSettings
from pi_lsp.server.text_viewer import TextViewer
from pi_lsp.session import Session, SessionStore
from pi_lsp.session.lock import is_locked
from pi_lsp.settings import keep_rule
from pi_lsp.tools.approval import Approval
from pi_lsp.tools.toolset import ALL_TOOLS, Toolset

PREDECESSOR_TIMEOUT = 2.0
"""Seconds in which a server that is ending lets go of its session."""


class Workspace:
    """The agent of one folder, as the editor knows it. Made by `open`.

    Args:
        uri: the folder, as the editor spells it.
        folder: the same, absolute, links resolved.
        connection: the editor.
        shared: the settings that count for all folders.
        force: what is in force in this folder.
        reconfigure_all: has all folders take over what is in force now.

    Attributes:
        harness: the agent.
        sessions: the folder's sessions.
        reading: the conversation, for those who show it.
        progress: what runs, as the editor shows it.
    """

    def __init__(
        self,
        uri: str,
        folder: Path,
        connection: Connection,
        shared: SharedSettings,
        force: FolderSettings,
        reconfigure_all: Callable[[], Awaitable[None]],
    ) -> None:
        self.uri = uri
        self._folder = folder
        self._connection = connection
        self._shared = shared
        self._force = force
        self._reconfigure_all = reconfigure_all
        self._start_warnings: list[str] = []
        self._is_open = False
        self._stopping: asyncio.Task[object] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._sender = EventSender(
            connection.client,
            connection.outlet,
            workspace=uri,
            session_id=lambda: self.session.id,
            resume=self._tell_session,
        )
        self.progress = Progress(connection.client, self._stop)
        self._viewer = TextViewer(connection.client, connection.texts)
        self._plain = PlainClient(connection.client, self._viewer)
        self._approvals = Approvals(connection.client, connection.texts, self._viewer, self._emit)
        self._editor = LspEditor(connection.client, connection.documents, self._approvals)
        self._attachments = Attachments(folder, connection.documents)
        self._store = SessionStore(folder, Path(force.settings.session.dir))
        self._approval = Approval(
            force.settings.approval.mode,
            force.settings.approval.rules,
            folder,
            keep=keep_rule,
            session_folders=[self._store.directory],
        )
        self.harness = Harness(self._environment(), self._emit)
        self.sessions = Sessions(self._store, self.harness, self._session_changed)
        self.reading = Reading(self.harness)

    @classmethod
    async def open(
        cls,
        uri: str,
        folder: Path,
        connection: Connection,
        shared: SharedSettings,
        reconfigure_all: Callable[[], Awaitable[None]],
    ) -> Workspace:
        """Make the agent of a folder, and give it the session to start with.

        Raises:
            PiError: no session can be opened or begun.
        """
        force = await asyncio.to_thread(shared.folder, folder)
        workspace = cls(uri, folder, connection, shared, force, reconfigure_all)
        session, warnings = await asyncio.to_thread(workspace._first_session)
        await workspace.harness.adopt(session)
        workspace._start_warnings = warnings
        workspace._is_open = True
        workspace._tell_warnings()
        workspace._warm_up()
        return workspace

    async def close(self) -> None:
        """Stop what runs; all of it is on the disk then. The session can be opened elsewhere."""
        await self.harness.close()
        self._sender.flush()
        self._viewer.close()

    @property
    def session(self) -> Session:
        return self.harness.session

    @property
    def trusted(self) -> bool:
        """Whether the folder's own settings, instructions and sessions are used."""
        return self._force.trusted

    def state(self) -> JsonObject:
        """The wire's `State`; the deltas that wait are sent before it is made."""
        self.harness.look()
        self._sender.flush()
        return {
            "seq": self._sender.seq,
            **self.harness.state().to_wire(),
            "pendingApprovals": self._approvals.pending(),
            "trusted": self.trusted,
            "warnings": self._warnings(),
        }

    def models(self) -> list[JsonObject]:
        """All models that can be chosen, as the wire has them."""
        providers = self._shared.providers
        return [ModelInfo.of(one, providers).to_wire() for one in providers.catalogue.models()]

    async def set_api_key(self, provider: str, key: str) -> None:
        """Use a key until the server ends, in all folders."""
        self._shared.credentials.set_key(provider, key)
        await self._reconfigure_all()

    async def set_trust(self, trusted: bool) -> None:
        """Keep whether the person trusts the folder, and act on it at once.

        Raises:
            StorageError: it could not be kept.
        """
        await asyncio.to_thread(self._shared.set_trust, self._folder, trusted)
        await self.reconfigure()
        self._emit(TrustChanged(trusted=trusted))

    async def reconfigure(self) -> None:
        """Take over the settings, keys and instructions that are in force now."""
        mode = self._force.settings.approval.mode
        self._force = await asyncio.to_thread(self._shared.folder, self._folder)
        approval = self._force.settings.approval
        self._approval.rules = approval.rules
        if approval.mode != mode:
            self.harness.set_approval_mode(approval.mode)
        self.harness.configure(self._environment())

    async def health(self) -> HealthResult:
        """What works here, what does not, and what to do about it."""
        health = Health(self._connection, self._shared)
        return await health.of_folder(self._force, self._store, self.harness)

    def _environment(self) -> Environment:
        settings = self._force.settings
        tools = settings.selected_tools([tool.name for tool in ALL_TOOLS])
        return Environment(
            folder=self._folder,
            settings=settings,
            providers=self._shared.providers,
            editor=self._editor,
            toolset=Toolset(tools, has_diagnostics=self._editor.has_diagnostics),
            approval=self._approval,
            attach=self._attachments.render,
            context_files=self._force.context_files,
            key_variables=self._shared.credentials.variables(),
        )

    def _first_session(self) -> tuple[Session, list[str]]:
        """The session to start with. An untrusted folder's own ones are someone else's words."""
        if self.trusted and self._force.settings.session.startup == "continue":
            self._wait_for_predecessor()
            return self._store.continue_newest()
        return self._store.create(), []

    def _wait_for_predecessor(self) -> None:
        """Give a server that is just ending time to let go of the newest session.

        An editor that reloads starts the next server while the last one still writes down what
        ran; without this the person would find a new session instead of their own.
        """
        newest = self._store.newest()
        deadline = time.monotonic() + PREDECESSOR_TIMEOUT
        while newest is not None and is_locked(newest) and time.monotonic() < deadline:
            time.sleep(0.05)

    def _warm_up(self) -> None:
        """Load in the background what the first prompt needs, so that it need not wait."""
        providers = self._shared.providers
        chosen = self.harness.state().model
        model = providers.catalogue.find(chosen.provider, chosen.id)
        if model is not None:
            self._warming = asyncio.ensure_future(providers.warm_up(model))

    def _emit(self, event: Event) -> None:
        if not self._is_open:
            return  # nobody knows of this folder's agent yet; its state will tell
        self._sender.emit(event)
        self.progress.take(event)
        self._plain.take(event)

    def _session_changed(self) -> None:
        self._start_warnings = []
        self._tell_warnings()
        self._tell_session()

    def _tell_session(self) -> None:
        self._sender.emit(SessionChanged(state=self.state()))

    def _warnings(self) -> list[str]:
        return [*self._force.warnings, *self._start_warnings, *self.harness.warnings]

    def _tell_warnings(self) -> None:
        """One message for all that a person should know from the start."""
        if warnings := self._warnings():
            text = "\n".join(["pi:", *warnings])
            self._connection.client.show_message(text, "warning")

    def _stop(self) -> None:
        """Stop what runs; nobody waits for the answer."""
        self._stopping = asyncio.ensure_future(self.harness.stop())
