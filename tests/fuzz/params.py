"""Params for every request, made from their types: right ones, and wrong ones of every kind."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from pi_lsp.server.handlers import METHODS
from tests.editor import JsonObject

METHOD_NAMES = sorted(METHODS)

COMMANDS = ["true", "echo hello", "false", "sleep 30", "echo é; exit 3", "no-such-command", ""]
"""Whatever is made up otherwise is never run: it begins with a letter that no command has."""

_HUGE = "ü" * 300_000
_WRONG: list[Any] = [
    None,
    True,
    0,
    -1,
    2**63,
    1.5,
    1e300,
    "",
    "word",
    "a\ud800b",
    "\0",
    "line\nline",
    _HUGE,
    [],
    {},
    [[]],
    ["a", None, 1],
    {"": 1},
    {"text": "x", "jsonrpc": "1.0", "id": 7},
]


def nested(depth: int) -> Any:
    """A value that many readers cannot take."""
    value: Any = "end"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@dataclass
class ParamsMaker:
    """Makes params; what it knows by name are ids, paths and the like that exist.

    Attributes:
        known: values for members, by their name on the wire.
    """

    source: random.Random
    known: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])

    def params(self, method: str) -> Any:
        """Params of a method; about half of them are right."""
        source = self.source
        made = self._object(METHODS[method].params_type)
        if method == "pi/bash" and made.get("command") not in COMMANDS:
            made["command"] = source.choice(COMMANDS)
        if source.random() < 0.5:
            return made
        for _ in range(source.randint(1, 3)):
            self._spoil(made)
        return made if source.random() < 0.9 else source.choice([*_WRONG, nested(300)])

    def _object(self, model: type[BaseModel]) -> JsonObject:
        made: JsonObject = {}
        for name, info in model.model_fields.items():
            wire = info.alias or name
            if info.is_required() or self.source.random() < 0.4:
                made[wire] = self._value(wire, info.annotation)
        return made

    def _value(self, name: str, annotation: Any) -> Any:
        """A value of a type, of those that are known where there are any."""
        source = self.source
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in (Union, UnionType):
            inner = [one for one in arguments if one is not NoneType]
            if NoneType in arguments and source.random() < 0.2:
                return None
            return self._value(name, source.choice(inner))
        if origin is Literal:
            return source.choice(arguments)
        if origin is list:
            return [self._value(name, arguments[0]) for _ in range(source.randint(0, 3))]
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self._object(annotation)
        if name in self.known and source.random() < 0.9:
            return source.choice(self.known[name])
        if annotation is bool:
            return source.random() < 0.5
        if annotation is int:
            return source.choice([0, 1, 3, 50, -5, 2**40])
        if annotation is str:
            return source.choice(["zz", "zz é\n" * 50, "", "\0", "zz\ud800", "zz" * 5000])
        raise AssertionError(f"no value is known for {name}: {annotation}")

    def _spoil(self, made: JsonObject) -> None:
        source = self.source
        names = list(made) or ["text"]
        name = source.choice(names)
        kind = source.randrange(4)
        if kind == 0:
            made.pop(name, None)
        elif kind == 1:
            made[source.choice(["class", "a-b", "", "__init__", "workspace_"])] = self._wrong()
        elif name not in ("command", "path"):
            made[name] = self._wrong()
        else:
            made[name] = source.choice([None, 7, [], {}])

    def _wrong(self) -> Any:
        return self.source.choice([*_WRONG, nested(100)])
