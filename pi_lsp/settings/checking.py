"""Taking out of raw settings what cannot be used, and saying so."""

from __future__ import annotations

import copy
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from pi_lsp.messages import JsonObject

_Location = tuple[int | str, ...]


def usable(
    members: JsonObject, model: type[BaseModel], source: str, prefix: str = ""
) -> tuple[JsonObject | None, list[str]]:
    """The members that `model` accepts, and one sentence for each that it does not.

    A bad member is left out, so that its default (or a lower layer's value) holds. A bad member
    of an item of a list takes the whole item with it: half of an approval rule would be another
    rule. Null counts as not set. A sentence names the place, never the value, which may be a key.

    Args:
        source: the file or client that the members come from, as a person knows it.
        prefix: the path of the members in that source.

    Returns:
        None in place of the members when a required one is missing.
    """
    kept = cast(JsonObject, _without_nulls(copy.deepcopy(members)))
    warnings: list[str] = []
    while faults := _faults(kept, model):
        for path in reversed(faults):  # from the end, so that the places in lists stay true
            if not path:
                return None, [*warnings, _sentence(source, prefix, *faults[path])]
            _remove(kept, path)
        warnings += [_sentence(source, prefix, *fault) for fault in faults.values()]
    return kept, warnings


def _faults(members: JsonObject, model: type[BaseModel]) -> dict[_Location, tuple[_Location, str]]:
    """What is to be taken out, each with the first fault in it: its location and the reason."""
    faults: dict[_Location, tuple[_Location, str]] = {}
    try:
        model.model_validate(members, strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False):
            faults.setdefault(_existing_part(members, fault["loc"]), (fault["loc"], fault["msg"]))
    return faults


def _without_nulls(value: Any) -> Any:
    """Without null members, but in a map of thinking levels, where null has a meaning."""
    if isinstance(value, dict):
        members = cast(JsonObject, value)
        return {
            key: member if key == "thinkingLevelMap" else _without_nulls(member)
            for key, member in members.items()
            if member is not None
        }
    if isinstance(value, list):
        return [_without_nulls(item) for item in cast(list[Any], value)]
    return value


def _existing_part(members: JsonObject, location: _Location) -> _Location:
    """The part of a location that leads to what is to be taken out."""
    path: list[int | str] = []
    value: Any = members
    for step in location:
        if isinstance(value, dict) and step in value:
            value = cast(Any, value[step])
            path.append(step)
        elif isinstance(value, list) and isinstance(step, int):
            return (*path, step)
        else:
            break
    return tuple(path)


def _remove(members: JsonObject, path: _Location) -> None:
    holder: Any = members
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]


def _sentence(source: str, prefix: str, location: _Location, reason: str) -> str:
    path = prefix
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return f"{source}: `{path}` is not used: {reason[:1].lower()}{reason[1:]}."
