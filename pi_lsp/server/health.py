"""What works in a folder, what does not, and what to do about it.

Asked where something fails, so it answers too when the folder's agent cannot be made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_lsp import __version__
from pi_lsp.agent.harness import Harness
from pi_lsp.agent.state import ModelInfo
from pi_lsp.errors import PiError
from pi_lsp.regular_files import read_regular
from pi_lsp.server.connection import Connection
from pi_lsp.server.protocol.results import HealthCheck, HealthResult
from pi_lsp.server.shared_settings import FolderSettings, SharedSettings
from pi_lsp.session import SessionStore

_MAX_IGNORE_BYTES = 1024 * 1024

Status = Literal["ok", "warn", "error"]


@dataclass(frozen=True)
class Health:
    """Makes the checks; nothing secret is told."""

    connection: Connection
    shared: SharedSettings

    async def of_folder(
        self, force: FolderSettings, store: SessionStore, harness: Harness
    ) -> HealthResult:
        """All checks of a folder.

        Args:
            force: the settings in force there.
            store: its sessions.
            harness: the agent there.
        """
        model = harness.state().model
        return self._result(
            _model(model),
            self._key("anthropic" if model.provider == "demo" else model.provider),
            self._settings(force.warnings),
            _trust(force),
            await asyncio.to_thread(_session_file, store),
            _lock(harness),
            await asyncio.to_thread(_git_ignore, store.folder, store.directory),
        )

    async def of_unusable_folder(self, folder: Path, error: PiError) -> HealthResult:
        """What can be checked of a folder whose agent cannot be made.

        Args:
            error: why.
        """
        force = await asyncio.to_thread(self.shared.folder, folder)
        directory = Path(force.settings.session.dir)
        return self._result(
            _check("folder", "error", error.message, "Nothing works in it until this is mended."),
            self._key("anthropic"),
            self._settings(force.warnings),
            _trust(force),
            await asyncio.to_thread(_session_directory, folder, directory),
        )

    def without_folder(self, error: PiError) -> HealthResult:
        """What can be checked when there is no folder.

        Args:
            error: why.
        """
        return self._result(
            _check("folder", "error", error.message, "Open a folder: the agent works in it."),
            self._key("anthropic"),
            self._settings([]),
        )

    def _result(self, *checks: HealthCheck) -> HealthResult:
        server = _check("server", "ok", f"pi-lsp {__version__} runs")
        log_file = self.connection.log_file
        return HealthResult(
            checks=[server, *checks, self._encoding()],
            version=__version__,
            log=str(log_file) if log_file else None,
        )

    def _key(self, provider: str) -> HealthCheck:
        credentials = self.shared.credentials
        if credentials.key(provider) is not None:
            return _check("key", "ok", f"there is a key for {provider}")
        return _check(
            "key", "warn", f"there is no key for {provider}", credentials.missing_key(provider)
        )

    def _settings(self, warnings: Sequence[str]) -> HealthCheck:
        problems = [*warnings, *self.shared.credentials.problems()]
        if not problems:
            return _check("settings", "ok", "all settings can be used")
        return _check("settings", "warn", " ".join(problems), "Correct them where they stand.")

    def _encoding(self) -> HealthCheck:
        return _check(
            "position encoding", "ok", f"positions count {self.connection.documents.encoding} units"
        )


def _check(name: str, status: Status, message: str, hint: str | None = None) -> HealthCheck:
    if hint is None:
        return HealthCheck(name=name, status=status, message=message)
    return HealthCheck(name=name, status=status, message=message, hint=hint)


def _model(model: ModelInfo) -> HealthCheck:
    if model.provider == "demo":
        return _check(
            "model",
            "warn",
            "the demo model is in use: it shows how things work, and knows nothing",
            "Set an API key, then choose a model.",
        )
    return _check("model", "ok", f"{model.name} ({model.provider}/{model.id})")


def _trust(force: FolderSettings) -> HealthCheck:
    if force.trusted:
        return _check("trust", "ok", "this folder is trusted")
    return _check(
        "trust",
        "warn",
        "this folder is not trusted: its settings, instructions and old sessions are not read",
        "Trust it if you know where it comes from.",
    )


def _lock(harness: Harness) -> HealthCheck:
    if harness.session.read_only:
        return _check(
            "lock",
            "warn",
            "the session can only be read",
            "Begin a new session, or fork this one.",
        )
    return _check("lock", "ok", "nobody else writes this session")


def _session_directory(folder: Path, directory: Path) -> HealthCheck:
    try:
        return _session_file(SessionStore(folder, directory))
    except PiError as error:
        return _unkept(error)


def _session_file(store: SessionStore) -> HealthCheck:
    """Whether session files can be written; the directory may not exist yet."""
    try:
        store.check()
    except PiError as error:
        return _unkept(error)
    return _check("session file", "ok", f"sessions are kept in {store.directory}")


def _unkept(error: PiError) -> HealthCheck:
    hint = "Make it a directory that you may write, or set another session.dir."
    return _check("session file", "error", error.message, hint)


def _git_ignore(folder: Path, directory: Path) -> HealthCheck:
    """Whether git leaves the sessions out; ours is written beside them with the first one."""
    name = "git-ignore"
    ignore = directory.parent / ".gitignore"
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        return _check(name, "ok", "the folder is in no git repository")
    if not directory.exists() or not directory.is_relative_to(folder):
        return _check(name, "ok", "there is nothing yet that git could take up")
    try:
        text = read_regular(ignore, _MAX_IGNORE_BYTES)
        lines = text.decode("utf-8", errors="replace").split()
    except OSError:
        lines = []
    if {f"{directory.name}/", directory.name, "*", f"/{directory.name}/"} & set(lines):
        return _check(name, "ok", "git leaves the sessions out")
    return _check(
        name,
        "warn",
        "git may take up the sessions",
        f"Put `{directory.name}/` into {ignore}.",
    )
