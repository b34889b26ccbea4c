"""The tools that a folder's agent has: what the model is told of them, and checking its calls."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from pi_lsp.llm.answer import INVALID_JSON
from pi_lsp.llm.provider import ToolSpec, schema_without_titles
from pi_lsp.messages import JsonObject
from pi_lsp.tools.bash import Bash
from pi_lsp.tools.diagnostics import Diagnostics
from pi_lsp.tools.edit import Edit
from pi_lsp.tools.find import Find
from pi_lsp.tools.grep import Grep
from pi_lsp.tools.ls import Ls
from pi_lsp.tools.read import Read
from pi_lsp.tools.tool import AnyTool, ToolFault
from pi_lsp.tools.truncation import cut_head
from pi_lsp.tools.write import Write

ALL_TOOLS: tuple[type[AnyTool], ...] = (Read, Write, Edit, Bash, Grep, Find, Ls, Diagnostics)

_MAX_SHOWN_BYTES = 2000
"""So much of refused arguments is shown to the model."""


class Toolset:
    """The tools that may be called.

    Args:
        names: of the tools; None for all. Unknown names are passed over.
        has_diagnostics: whether the editor gives diagnostics; else that tool is not there.
    """

    def __init__(
        self, names: Collection[str] | None = None, *, has_diagnostics: bool = False
    ) -> None:
        self._tools: dict[str, AnyTool] = {
            tool.name: tool()
            for tool in ALL_TOOLS
            if (names is None or tool.name in names)
            and (has_diagnostics or tool is not Diagnostics)
        }

    def specs(self) -> list[ToolSpec]:
        """What the model is told."""
        return [
            ToolSpec(tool.name, tool.description, _schema(tool.Parameters))
            for tool in self._tools.values()
        ]

    def get(self, name: str) -> AnyTool | None:
        return self._tools.get(name)

    def prepare(self, name: str, arguments: JsonObject) -> tuple[AnyTool, BaseModel]:
        """The tool of a call, and its parameters.

        Raises:
            ToolFault: there is no such tool, or it does not take these arguments; says what was
                wrong with what was sent.
        """
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            raise ToolFault(f"There is no tool `{cut_head(name, 100)}` here; there are: {known}.")
        return tool, validate(tool, arguments)


def validate(tool: AnyTool, arguments: JsonObject) -> BaseModel:
    """A tool's parameters from what the model sent; null counts as left out.

    Raises:
        ToolFault: see `Toolset.prepare`.
    """
    if INVALID_JSON in arguments:
        sent = str(arguments[INVALID_JSON])
        raise ToolFault(f"The arguments of `{tool.name}` are not a JSON object. Sent: {_cut(sent)}")
    given = {key: value for key, value in arguments.items() if value is not None}
    try:
        return tool.Parameters.model_validate(_without_nulls(tool.prepare(given)))
    except ValidationError as fault:
        wrong = "; ".join(_describe(error) for error in fault.errors(include_url=False)[:5])
        sent = json.dumps(arguments, ensure_ascii=False, default=str)
        raise ToolFault(
            f"The arguments of `{tool.name}` are not valid: {wrong}. Sent: {_cut(sent)}"
        ) from fault


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _without_nulls(one) for key, one in items if one is not None}
    if isinstance(value, list):
        return [_without_nulls(one) for one in cast("list[Any]", value)]
    return value


def _describe(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    message = str(error["msg"]).removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    return f"{place}: {message}" if place else message


def _cut(text: str) -> str:
    cut = cut_head(text, _MAX_SHOWN_BYTES)
    return cut if cut == text else f"{cut} [cut, {len(text)} characters]"


@cache
def _schema(parameters: type[BaseModel]) -> JsonObject:
    """The JSON schema of parameters, as plain as it gets: no titles, no nulls, no defaults, no
    references, which some services and models do not take well."""
    schema = schema_without_titles(parameters.model_json_schema(by_alias=True))
    definitions = schema.pop("$defs", {})
    return _plain(schema, definitions)


def _plain(schema: Any, definitions: JsonObject) -> Any:
    if isinstance(schema, list):
        return [_plain(one, definitions) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast(JsonObject, schema)
    if "$ref" in members:
        return _plain(definitions[str(members["$ref"]).rpartition("/")[2]], definitions)
    if "anyOf" in members:
        kinds = [one for one in members["anyOf"] if one != {"type": "null"}]
        rest = {key: value for key, value in members.items() if key != "anyOf"}
        members = {**kinds[0], **rest}
    return {key: _plain(value, definitions) for key, value in members.items() if key != "default"}
