"""What works in a folder, what does not, and what to do about it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_lsp import __version__
from pi_lsp.agent.harness import Harness
from pi_lsp.server.connection import Connection
from pi_lsp.server.protocol.results import HealthCheck, HealthResult
from pi_lsp.server.shared_settings import FolderSettings, SharedSettings

Status = Literal["ok", "warn", "error"]


@dataclass(frozen=True)
class Health:
    """The checks of one folder.

    Args:
        force: the settings in force there.
        harness: the agent there.
    """

    connection: Connection
    shared: SharedSettings
    force: FolderSettings
    harness: Harness

    async def check(self) -> HealthResult:
        """Make all checks; nothing secret is told."""
        session = self.harness.session
        directory = session.file.parent
        checks = [
            _check("server", "ok", f"pi-lsp {__version__} runs"),
            self._model(),
            self._key(),
            self._settings(),
            self._trust(),
            await asyncio.to_thread(_writable, directory),
            self._lock(),
            await asyncio.to_thread(_git_ignore, session.folder, directory),
            self._encoding(),
        ]
        log_file = self.connection.log_file
        return HealthResult(
            checks=checks, version=__version__, log=str(log_file) if log_file else None
        )

    def _model(self) -> HealthCheck:
        model = self.harness.state().model
        if model.provider == "demo":
            return _check(
                "model",
                "warn",
                "the demo model is in use: it shows how things work, and knows nothing",
                "Set an API key, then choose a model.",
            )
        return _check("model", "ok", f"{model.name} ({model.provider}/{model.id})")

    def _key(self) -> HealthCheck:
        model = self.harness.state().model
        provider = "anthropic" if model.provider == "demo" else model.provider
        credentials = self.shared.credentials
        if credentials.key(provider) is not None:
            return _check("key", "ok", f"there is a key for {provider}")
        return _check(
            "key", "warn", f"there is no key for {provider}", credentials.missing_key(provider)
        )

    def _settings(self) -> HealthCheck:
        problems = [*self.force.warnings, *self.shared.credentials.problems()]
        if not problems:
            return _check("settings", "ok", "all settings can be used")
        return _check("settings", "warn", " ".join(problems), "Correct them where they stand.")

    def _trust(self) -> HealthCheck:
        if self.force.trusted:
            return _check("trust", "ok", "this folder is trusted")
        return _check(
            "trust",
            "warn",
            "this folder is not trusted: its settings, instructions and old sessions are not read",
            "Trust it if you know where it comes from.",
        )

    def _lock(self) -> HealthCheck:
        if self.harness.session.read_only:
            return _check(
                "lock",
                "warn",
                "the session can only be read",
                "Begin a new session, or fork this one.",
            )
        return _check("lock", "ok", "nobody else writes this session")

    def _encoding(self) -> HealthCheck:
        return _check(
            "position encoding", "ok", f"positions count {self.connection.documents.encoding} units"
        )


def _check(name: str, status: Status, message: str, hint: str | None = None) -> HealthCheck:
    if hint is None:
        return HealthCheck(name=name, status=status, message=message)
    return HealthCheck(name=name, status=status, message=message, hint=hint)


def _writable(directory: Path) -> HealthCheck:
    """Whether session files can be written; the directory may not exist yet."""
    nearest = next(place for place in (directory, *directory.parents) if place.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return _check("session file", "ok", f"sessions are kept in {directory}")
    return _check(
        "session file",
        "error",
        f"{nearest} cannot be written, so no session can be kept",
        "Make it a directory that you may write.",
    )


def _git_ignore(folder: Path, directory: Path) -> HealthCheck:
    """Whether git leaves the sessions out; ours is written beside them with the first one."""
    name = "git-ignore"
    ignore = directory.parent / ".gitignore"
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        return _check(name, "ok", "the folder is in no git repository")
    if not directory.exists() or not directory.is_relative_to(folder):
        return _check(name, "ok", "there is nothing yet that git could take up")
    try:
        lines = ignore.read_text(encoding="utf-8", errors="replace").split()
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
