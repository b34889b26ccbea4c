"""What counts for all folders of one server: the client's settings, keys, models; and trust."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from pi_lsp.agent.context_files import ContextFile, find_context_files
from pi_lsp.credentials import Credentials
from pi_lsp.errors import StorageError
from pi_lsp.llm.catalogue import Catalogue
from pi_lsp.llm.providers import Providers
from pi_lsp.server.json_values import member
from pi_lsp.settings import LoadedSettings, Settings, agent_directory, load_settings
from pi_lsp.trust import TrustFile


@dataclass(frozen=True)
class FolderSettings:
    """What is in force in one folder.

    Attributes:
        trusted: whether the folder's own settings, instructions and sessions are used.
        warnings: one sentence for each thing that is not used.
    """

    settings: Settings
    trusted: bool
    context_files: list[ContextFile]
    warnings: list[str]


class SharedSettings:
    """Made and changed in a thread: its files, and the commands that print keys, may be slow.

    Args:
        client: what the client sent as its settings, of any shape.

    Attributes:
        credentials: all keys that are known.
        providers: the services that run the models.
    """

    def __init__(self, client: object) -> None:
        self._lock = threading.Lock()
        self._client = client
        loaded = load_settings(client=client)
        self.credentials = Credentials(loaded)
        self.credentials.ask_commands()
        self._trust_file = TrustFile()
        self._decided: dict[Path, bool] = {}
        self.providers = self._made_providers(loaded)

    def change(self, client: object) -> None:
        """Take over new settings of the client in place of its old ones. Blocks."""
        loaded = load_settings(client=client)
        with self._lock:
            self._client = client
            self._decided.clear()
            self.credentials.use(loaded)
            self.credentials.ask_commands()
            self.providers = self._made_providers(loaded)

    def folder(self, folder: Path) -> FolderSettings:
        """What is in force in a folder now. Blocks."""
        trusted, warnings = self._trusts(folder)
        loaded = load_settings(folder, trusted=trusted, client=self._client)
        files = find_context_files(folder, agent_directory(), trusted=trusted)
        return FolderSettings(loaded.settings, trusted, files, [*loaded.warnings, *warnings])

    def set_trust(self, folder: Path, trusted: bool) -> None:
        """Keep the person's decision; it counts at once, whatever the client said before. Blocks.

        Raises:
            StorageError: it could not be kept.
        """
        self._trust_file.decide(folder, trusted)
        self._decided[folder] = trusted

    def _trusts(self, folder: Path) -> tuple[bool, list[str]]:
        if (decided := self._decided.get(folder)) is not None:
            return decided, []
        said = member(self._client, "trusted")
        if isinstance(said, bool):
            return said, []
        try:
            return self._trust_file.decision(folder) or False, []
        except StorageError as error:
            return False, [error.message]

    def _made_providers(self, loaded: LoadedSettings) -> Providers:
        catalogue = Catalogue(loaded.settings.models)
        known = self.credentials
        return Providers(catalogue, known.key, known.base_url, known.missing_key)
