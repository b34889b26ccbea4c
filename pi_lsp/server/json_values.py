"""Looking into JSON of any shape, as editors send it."""

from __future__ import annotations

from typing import Any, cast

from pi_lsp.messages import JsonObject


def as_object(value: object) -> JsonObject | None:
    """The value if it is an object."""
    return cast(JsonObject, value) if isinstance(value, dict) else None


def as_list(value: object) -> list[Any] | None:
    """The value if it is a list."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def member(value: object, *path: str) -> Any:
    """The member of a member of … an object; None where there is none."""
    for name in path:
        held = as_object(value)
        if held is None:
            return None
        value = held.get(name)
    return value


def without_empty_list(value: Any) -> Any:
    """The value; but Lua sends an empty object as an empty list, and that is one too."""
    return {} if value == [] else value
