"""pi's `models.json`: what of it can be used here, in the words of our settings.

Of its providers those count that speak the Anthropic Messages API; pi's others are left out
without a word, since nothing is wrong with them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.settings.checking import usable
from pi_lsp.settings.json_files import read_object
from pi_lsp.settings.models import ModelSettings, ProviderSettings

_API = "anthropic-messages"


def read_models_file(path: Path) -> tuple[JsonObject, list[str]]:
    """The `providers` and `models` of the file, as settings, and a sentence for each bad value."""
    try:
        providers = (read_object(path, comments=True) or {}).get("providers")
    except StorageError as error:
        return {}, [f"{error.message} It is not used."]
    if providers is None:
        return {}, []
    if not isinstance(providers, dict):
        return {}, [f"{path}: `providers` is not used: it should be an object."]
    found: JsonObject = {"providers": {}, "models": []}
    warnings: list[str] = []
    for name, entry in cast(JsonObject, providers).items():
        prefix = f"providers.{name}"
        if isinstance(entry, dict):
            warnings += _add(found, name, cast(JsonObject, entry), str(path), prefix)
        else:
            warnings.append(f"{path}: `{prefix}` is not used: it should be an object.")
    return found, warnings


def _add(found: JsonObject, name: str, entry: JsonObject, source: str, prefix: str) -> list[str]:
    """Add one provider and its models."""
    listed = entry.get("models")
    models = cast(list[Any], listed) if isinstance(listed, list) else []
    spoken = entry.get("api", _API if name == "anthropic" else None)
    ours = [
        (number, cast(JsonObject, model))
        for number, model in enumerate(models)
        if isinstance(model, dict) and cast(JsonObject, model).get("api", spoken) == _API
    ]
    if not ours and spoken != _API:
        return []
    provider, warnings = usable(
        {key: entry[key] for key in ("baseUrl", "apiKey") if key in entry},
        ProviderSettings,
        source,
        prefix,
    )
    found["providers"][name] = provider
    for number, model in ours:
        place = f"{prefix}.models[{number}]"
        if model.get("baseUrl", entry.get("baseUrl")) != entry.get("baseUrl"):
            warnings.append(
                f"{source}: `{place}` is not used: a model with a `baseUrl` of its own needs a "
                "provider of its own here."
            )
            continue
        checked, complaints = usable({**model, "provider": name}, ModelSettings, source, place)
        warnings += complaints
        if checked is not None:
            found["models"].append(checked)
    return warnings
