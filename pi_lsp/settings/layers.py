"""Putting the layers of settings over each other.

Later layers win: built-in defaults; pi's `models.json`; the person's `settings.json`; the trusted
folder's `.pi/settings.json`; the client's. Objects are merged member by member. The rules and the
models of all layers count together. A value that cannot be used is reported with its path and
left out; it never stops anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, cast

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.settings.checking import usable
from pi_lsp.settings.json_files import read_object
from pi_lsp.settings.locations import FOLDER_SETTINGS, agent_directory
from pi_lsp.settings.models import ProviderSettings, Settings
from pi_lsp.settings.models_file import read_models_file

NEVER_FROM_A_FOLDER = (
    "approval",
    "models",
    "providers",
    "shellCommandPrefix",
    "shellPath",
    "trusted",
)
"""What would let a folder send the conversation elsewhere, run programs, or approve itself."""

_ADDED_UP = ("models", "rules")
"""Lists of which all layers' items count."""


@dataclass(frozen=True)
class LoadedSettings:
    """The settings, and what was wrong with them.

    Attributes:
        warnings: one sentence for each value that is not used; never a value itself.
        user_providers, client_providers: keys and base URLs by where they come from, because
            the environment stands between the two (see `pi_lsp.credentials`).
    """

    settings: Settings
    warnings: list[str]
    user_providers: dict[str, ProviderSettings]
    client_providers: dict[str, ProviderSettings]


def load_settings(
    folder: Path | None = None,
    *,
    trusted: bool = False,
    client: object = None,
    directory: Path | None = None,
) -> LoadedSettings:
    """Read all layers; never fails.

    Args:
        folder: the workspace folder; its own settings are read only when it is trusted.
        client: what the client sent (`initializationOptions`), of any shape.
        directory: pi's own directory; None for the usual one.
    """
    directory = directory or agent_directory()
    users, warnings = read_models_file(directory / "models.json")
    own, complaints = _from_file(directory / "settings.json")
    users = _merged(users, own)
    warnings += complaints
    merged = users
    if folder is not None and trusted:
        folders, complaints = _from_folder(folder)
        merged = _merged(merged, folders)
        warnings += complaints
    clients, complaints = _from_client(client)
    merged = _merged(merged, clients)
    warnings += complaints
    return LoadedSettings(
        settings=Settings.model_validate(merged, by_alias=True, by_name=False),
        warnings=warnings,
        user_providers=_providers(users),
        client_providers=_providers(clients),
    )


def _from_file(path: Path) -> tuple[JsonObject, list[str]]:
    try:
        members = read_object(path) or {}
    except StorageError as error:
        return {}, [f"{error.message} It is not used."]
    return _usable(members, str(path))


def _from_folder(folder: Path) -> tuple[JsonObject, list[str]]:
    """The folder's settings without what no folder may set."""
    path = folder / FOLDER_SETTINGS
    members, warnings = _from_file(path)
    for name in NEVER_FROM_A_FOLDER:
        if name in members:
            del members[name]
            warnings.append(
                f"{path}: `{name}` is not used: a folder may not set it; put it into your own "
                "settings."
            )
    session = members.get("session")
    if session and "dir" in session and not _stays_inside(session["dir"]):
        del session["dir"]
        warnings.append(
            f"{path}: `session.dir` is not used: a folder may only name a place inside itself."
        )
    return members, warnings


def _stays_inside(path: str) -> bool:
    parts = PurePath(path)
    return not (path.startswith("~") or parts.is_absolute() or parts.drive or ".." in parts.parts)


def _from_client(client: object) -> tuple[JsonObject, list[str]]:
    if client is None or client == []:  # Lua has one empty table, which arrives as a list
        return {}, []
    if not isinstance(client, dict):
        return {}, ["The client's settings are not used: they should be an object."]
    return _usable(cast(JsonObject, client), "The client's settings")


def _usable(members: JsonObject, source: str) -> tuple[JsonObject, list[str]]:
    """The usable members of a layer. Nothing in it is required, so something always remains."""
    checked, warnings = usable(members, Settings, source)
    return checked or {}, warnings


def _merged(lower: JsonObject, upper: JsonObject) -> JsonObject:
    """`upper` over `lower`; neither is changed."""
    result = dict(lower)
    for name, value in upper.items():
        below = lower.get(name)
        if isinstance(below, dict):
            over: Any = value or {}
            result[name] = _merged(cast(JsonObject, below), over)
        elif isinstance(below, list):
            result[name] = _merged_list(name, cast(list[Any], below), value)
        else:
            result[name] = value
    return result


def _merged_list(name: str, below: list[Any], above: list[Any]) -> list[Any]:
    """Lists replace each other, but for those that add up, and for changes to a choice of tools."""
    if name in _ADDED_UP or (name == "defaultTools" and above and _only_changes(above)):
        return [*below, *above]
    return above


def _only_changes(tools: list[str]) -> bool:
    return all(name.startswith(("+", "-")) for name in tools)


def _providers(members: JsonObject) -> dict[str, ProviderSettings]:
    layer = Settings.model_validate(
        {"providers": members.get("providers", {})}, by_alias=True, by_name=False
    )
    return layer.providers
