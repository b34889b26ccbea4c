"""docs/protocol.md says what the code does: methods, params, events, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_lsp.agent import events
from pi_lsp.server.errors import ERROR_NUMBERS
from pi_lsp.server.handlers import METHODS
from pi_lsp.server.protocol import params
from pi_lsp.server.protocol.names import EVENT_NAMES, METHOD_NAMES

DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """The text under a heading of the second level."""
    found = re.search(rf"^## {re.escape(heading)}.*?\n(.*?)(?=^## |\Z)", DOCUMENT, re.M | re.S)
    assert found, f"docs/protocol.md has no section {heading!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows; a `|` in a type is written `\\|`."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def documented_methods() -> dict[str, str]:
    """Each method, with the cell that lists its params."""
    found: dict[str, str] = {}
    for name_cell, params_cell, *_ in rows(section("Requests, client → server")):
        names: list[str] = re.findall(r"`(pi/\w+)`", name_cell)
        cells = re.split(r" / |;", params_cell) if len(names) > 1 else [params_cell]
        if len(cells) != len(names):
            cells = [params_cell] * len(names)
        found.update(zip(names, cells, strict=True))
    return found


def test_every_method_is_documented_and_every_documented_one_exists() -> None:
    assert set(documented_methods()) == set(METHODS)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_param_of_a_method_is_documented(method: str) -> None:
    cell = documented_methods()[method]
    text = cell.replace("Message", "`text`, `images?`, `attachments?`")
    documented = set(re.findall(r"`(?:[^`]*? or )?(\w+)", text.replace("` or `", "`, `")))
    fields = METHODS[method].params_type.model_fields
    own = {
        str(field.alias) for name, field in fields.items() if name not in params.Params.model_fields
    }
    assert own <= documented, f"not documented: {own - documented}"


def test_every_event_is_documented_and_every_documented_one_exists() -> None:
    names: set[str] = set()
    for type_cell, *_ in rows(section("Events, server → client")):
        first = ""
        for name in re.findall(r"`([a-z_]+)`", type_cell):
            full = re.sub(r"_(start|update|end)$", "", first) + name if name[0] == "_" else name
            first = first or full
            names.add(full)
    assert names == set(events.event_types())


def test_every_error_code_is_documented_with_its_number() -> None:
    text = section("Errors").replace("−", "-")
    documented = {name: int(number) for name, number in re.findall(r"`(\w+)` (-\d+)", text)}
    assert {name: documented.get(name) for name in ERROR_NUMBERS} == ERROR_NUMBERS


def test_the_handshake_names_all_requests_and_events() -> None:
    assert list(METHOD_NAMES) == sorted(METHODS)
    assert list(EVENT_NAMES) == events.event_types()
