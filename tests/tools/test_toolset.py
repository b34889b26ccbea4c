"""What the model is told of tools, and what becomes of arguments that are off."""

from __future__ import annotations

import json

import pytest

from pi_lsp.llm.answer import INVALID_JSON
from pi_lsp.tools.read import ReadParameters
from pi_lsp.tools.tool import ToolFault
from pi_lsp.tools.toolset import Toolset


def fault(name: str, arguments: dict[str, object]) -> str:
    with pytest.raises(ToolFault) as caught:
        Toolset(has_diagnostics=True).prepare(name, arguments)
    return caught.value.message


def test_the_tools_and_their_parameters_are_those_of_pi():
    told = {
        spec.name: (sorted(spec.parameters["properties"]), spec.parameters.get("required", []))
        for spec in Toolset(has_diagnostics=True).specs()
    }
    assert told == {
        "read": (["limit", "offset", "path"], ["path"]),
        "write": (["content", "path"], ["path", "content"]),
        "edit": (["edits", "path"], ["path", "edits"]),
        "bash": (["command", "timeout"], ["command"]),
        "grep": (
            ["context", "glob", "ignoreCase", "limit", "literal", "path", "pattern"],
            ["pattern"],
        ),
        "find": (["limit", "path", "pattern"], ["pattern"]),
        "ls": (["limit", "path"], []),
        "diagnostics": (["path"], []),
    }


def test_schemas_are_plain():
    told = json.dumps([spec.parameters for spec in Toolset(has_diagnostics=True).specs()])
    for word in ("$ref", "$defs", "anyOf", "null", "title", '"default"'):
        assert word not in told


def test_every_parameter_is_described():
    for spec in Toolset(has_diagnostics=True).specs():
        assert spec.description
        for parameter in spec.parameters["properties"].values():
            assert parameter["description"]


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("read", {}),
        ("write", {"content": "x"}),
        ("edit", {"oldText": "a", "newText": "b"}),
        ("ls", {}),
        ("find", {"pattern": "*"}),
        ("grep", {"pattern": "x"}),
        ("diagnostics", {}),
    ],
)
def test_a_path_that_no_system_takes_is_a_clear_fault(name: str, rest: dict[str, object]):
    for path, words in (
        ("a\0b", "path: it holds a NUL character"),
        ("a\ud800", "path: it holds half of a character"),
        ("a/" * 20_000, "path: it has more than 4096 characters"),
    ):
        told = fault(name, {"path": path, **rest})
        assert words in told
        assert len(told) < 3000


@pytest.mark.parametrize(
    ("name", "member", "rest"),
    [
        ("find", "pattern", {}),
        ("grep", "pattern", {}),
        ("grep", "glob", {"pattern": "x"}),
        ("bash", "command", {}),
    ],
)
def test_a_pattern_or_command_that_no_program_takes_is_a_clear_fault(
    name: str, member: str, rest: dict[str, object]
):
    assert f"{member}: it holds a NUL" in fault(name, {**rest, member: "a\0b"})
    assert f"{member}: " in fault(name, {**rest, member: "a\udfff"})


def test_only_the_tools_that_are_wanted_are_there():
    toolset = Toolset(["read", "ls", "unknown"])
    assert [spec.name for spec in toolset.specs()] == ["read", "ls"]
    with pytest.raises(ToolFault, match="There is no tool `bash` here; there are: read, ls"):
        toolset.prepare("bash", {"command": "ls"})


def test_without_an_editor_that_tells_there_is_no_diagnostics_tool():
    assert "diagnostics" not in [spec.name for spec in Toolset().specs()]
    assert "diagnostics" not in [spec.name for spec in Toolset(["diagnostics"]).specs()]


def test_null_counts_as_left_out():
    _, parameters = Toolset().prepare("read", {"path": "a", "offset": None, "limit": None})
    assert parameters == ReadParameters(path="a")


def test_unknown_members_are_passed_over_and_plain_values_understood():
    _, parameters = Toolset().prepare("read", {"path": "a", "limit": "5", "why": "because"})
    assert parameters == ReadParameters(path="a", limit=5)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({}, "path: field required"),
        ({"path": None}, "path: field required"),
        ({"path": 3}, "path: input should be a valid string"),
        ({"path": "a", "offset": 0}, "offset: "),
        ({"path": "a", "offset": -1}, "offset: "),
        ({"path": "a", "limit": 1.5}, "limit: "),
    ],
)
def test_what_is_wrong_is_said_with_what_was_sent(arguments: dict[str, object], place: str):
    message = fault("read", arguments)
    assert place in message
    assert json.dumps(arguments) in message


def test_arguments_that_are_no_json_are_shown():
    assert fault("read", {INVALID_JSON: '{"path": "a'}) == (
        'The arguments of `read` are not a JSON object. Sent: {"path": "a'
    )


def test_what_was_sent_is_cut_when_it_is_long():
    message = fault("write", {"content": "x" * 1_000_000})
    assert len(message) < 3000
    assert "characters]" in message
