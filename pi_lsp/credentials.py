"""Keys and base URLs of the providers, wherever the person keeps them.

A key comes, first found, from the client, the environment (`ANTHROPIC_API_KEY`), pi's
`auth.json`, the person's `settings.json`, pi's `models.json`. A base URL comes from the client,
the environment (`ANTHROPIC_BASE_URL`), `settings.json`, `models.json`. Nothing comes from a
folder. A key is never part of a message, and never shown by `repr`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.settings.json_files import read_object
from pi_lsp.settings.layers import LoadedSettings
from pi_lsp.settings.locations import agent_directory
from pi_lsp.settings.models import ProviderSettings
from pi_lsp.settings.values import expanded, is_command, printed, variables

_VARIABLES = {"anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")}
"""The environment variables of a provider's key and base URL."""


class Credentials:
    """Finds keys and base URLs. All methods may be called from any thread.

    Args:
        loaded: the settings of the person and the client.
        directory: pi's own directory; None for the usual one.
        environ: the environment; None for the process's own.
    """

    def __init__(
        self,
        loaded: LoadedSettings,
        *,
        directory: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._auth_file = (directory or agent_directory()) / "auth.json"
        self._environ = os.environ if environ is None else environ
        self._given: dict[str, str] = {}
        self._printed: dict[str, str | None] = {}
        self._command_lock = threading.Lock()
        self.use(loaded)

    def use(self, loaded: LoadedSettings) -> None:
        """Take over new settings; keys given by `set_key` stay."""
        self._user = loaded.user_providers
        self._client = loaded.client_providers

    def set_key(self, provider: str, key: str) -> None:
        """Use this key until the process ends; an empty one takes it back. Memory only."""
        if key:
            self._given[provider] = key
        else:
            self._given.pop(provider, None)

    def key(self, provider: str) -> str | None:
        """The provider's key; None when there is none.

        Blocks for up to 10 s when a command has to be asked that was not asked before (see
        `ask_commands`).
        """
        client = self._client.get(provider, ProviderSettings()).api_key
        if found := self._given.get(provider) or client or self._from_environment(provider, 0):
            return found
        value, environ = self._stored(provider)
        return self._value(value, environ) if value is not None else None

    def ask_commands(self) -> None:
        """Run the commands that keys come from, once per process, so that `key` need not wait.

        Blocks; call it in a thread.
        """
        for provider in self._known():
            self.key(provider)

    def base_url(self, provider: str) -> str | None:
        """Where the provider's service is; None for its usual place."""
        client = self._client.get(provider, ProviderSettings()).base_url
        user = self._user.get(provider, ProviderSettings()).base_url
        return client or self._from_environment(provider, 1) or user

    def variables(self) -> frozenset[str]:
        """The environment variables that hold keys: commands of the agent do not get them."""
        names = {key for key, _ in _VARIABLES.values()}
        for provider in self._known():
            value, _ = self._stored(provider)
            names |= variables(value) if value is not None else set()
        return frozenset(names)

    def missing_key(self, provider: str) -> str:
        """A sentence on why `key` has none, and what to do."""
        entry = self._auth().get(provider)
        value, _ = self._stored(provider)
        if isinstance(entry, dict) and cast(JsonObject, entry).get("type") == "oauth":
            why = (
                f"pi is logged in to {provider} with a subscription, which only pi itself can use; "
                "pi-lsp needs an API key."
            )
        elif value is None:
            why = f"There is no API key for {provider}."
        elif is_command(value):
            why = (
                f"The command that should print the API key of {provider} failed or printed "
                "nothing; it is asked again when pi-lsp starts."
            )
        else:
            why = f"The API key of {provider} names an environment variable that is not set."
        return f"{why} {self._how_to_set_a_key(provider)}"

    def _how_to_set_a_key(self, provider: str) -> str:
        if provider in _VARIABLES:
            place = f"in the environment variable {_VARIABLES[provider][0]}"
        else:
            place = f"as providers.{provider}.apiKey in your settings"
        return (
            f"Set one in your editor (“Set API key”), {place}, or in {self._auth_file}; or choose "
            "the demo model."
        )

    def _known(self) -> set[str]:
        """The providers for which a key may be kept anywhere."""
        return {*_VARIABLES, *self._user, *self._client, *self._auth()}

    def _from_environment(self, provider: str, which: int) -> str | None:
        names = _VARIABLES.get(provider)
        return self._environ.get(names[which]) or None if names else None

    def _stored(self, provider: str) -> tuple[str | None, Mapping[str, str]]:
        """The value in the person's files, as it stands there, and the variables for it."""
        entry: Any = self._auth().get(provider)
        if isinstance(entry, dict):
            credential = cast(JsonObject, entry)
            value = credential.get("key")
            if credential.get("type") == "api_key" and isinstance(value, str) and value:
                return value, self._with_own_variables(credential.get("env"))
        return self._user.get(provider, ProviderSettings()).api_key, self._environ

    def _with_own_variables(self, own: object) -> Mapping[str, str]:
        """The environment under the variables that an entry of `auth.json` brings along."""
        if not isinstance(own, dict):
            return self._environ
        variables = cast(JsonObject, own)
        return {
            **self._environ,
            **{name: value for name, value in variables.items() if isinstance(value, str)},
        }

    def _value(self, value: str, environ: Mapping[str, str]) -> str | None:
        if not is_command(value):
            return expanded(value, environ)
        with self._command_lock:
            if value not in self._printed:
                self._printed[value] = printed(value)
            return self._printed[value]

    def _auth(self) -> JsonObject:
        """pi's `auth.json`, read each time: a login in a terminal counts at once.

        A file that cannot be read is as good as none; `problems` tells of it.
        """
        try:
            return read_object(self._auth_file) or {}
        except StorageError:
            return {}

    def problems(self) -> list[str]:
        """What is wrong with `auth.json`, as sentences; for `pi/health`."""
        try:
            read_object(self._auth_file)
        except StorageError as error:
            return [error.message]
        return []
