"""Prints the wire as the server has it, for `protocol.test.ts`: JSON on standard output.

For each type its members: whether one may be left out, whether it may be null, and what it is.
"""

from __future__ import annotations

import json
import sys
from typing import Any, get_origin

from typing_extensions import NotRequired, get_type_hints

from pi_lsp import messages
from pi_lsp.agent import events, state, tool_calls
from pi_lsp.server import handlers
from pi_lsp.server.protocol import client_requests, params, results

MODULES = (events, state, tool_calls, params, results, client_requests)

Json = dict[str, Any]


def main() -> None:
    classes = {
        cls.__name__: cls
        for module in MODULES
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, events.WireModel)
    }
    wire = {
        "types": {name: _members(cls) for name, cls in classes.items()},
        "messages": {
            name: {
                member: {"optional": get_origin(hint) is NotRequired}
                for member, hint in get_type_hints(cls, include_extras=True).items()
            }
            for name, cls in vars(messages).items()
            if hasattr(cls, "__optional_keys__")
        },
        "events": events.event_types(),
        "methods": sorted(handlers.METHODS),
    }
    json.dump(wire, sys.stdout)


def _members(cls: type[events.WireModel]) -> Json:
    schema = cls.model_json_schema(by_alias=True)
    required = schema.get("required", [])
    return {
        member: {"optional": member not in required, **_kind(one, schema.get("$defs", {}))}
        for member, one in schema.get("properties", {}).items()
    }


def _kind(schema: Json, definitions: Json) -> Json:
    """`kind` is a JSON type or the words of an enumeration; an empty one is anything."""
    if "$ref" in schema:
        return _kind(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    if "anyOf" in schema:
        kinds = [_kind(one, definitions) for one in schema["anyOf"]]
        others = [kind for kind in kinds if kind["kind"] != "null"]
        merged = others[0]["kind"] if len(others) == 1 else ""
        return {"nullable": len(others) < len(kinds), "kind": merged}
    if "const" in schema:
        return {"nullable": False, "kind": [schema["const"]]}
    if "enum" in schema:
        return {"nullable": False, "kind": sorted(schema["enum"])}
    kind = schema.get("type", "")
    return {"nullable": False, "kind": "number" if kind == "integer" else kind}


if __name__ == "__main__":
    main()
