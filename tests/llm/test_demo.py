"""The demo model: what it does about prompts, with the real tools in a real folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from pi_lsp.llm.catalogue import DEMO
from pi_lsp.llm.demo import DemoProvider
from pi_lsp.llm.demo.provider import PAUSE_VARIABLE
from pi_lsp.llm.demo.report import WHO_I_AM
from pi_lsp.llm.provider import Request, ToolSpec
from pi_lsp.messages import Message, text_of, tool_calls
from pi_lsp.tools.editor import NoEditor
from pi_lsp.tools.files import FileMemory
from pi_lsp.tools.tool import ToolContext, ToolFault, ToolResult
from pi_lsp.tools.toolset import Toolset
from tests.llm.histories import HISTORIES
from tests.llm.words import answer_of, assistant, call, result, user

TOOLS = Toolset(has_diagnostics=False)
NAMES = ["read", "write", "edit", "bash", "grep", "find", "ls", "diagnostics"]
SPECS = [ToolSpec(name, "", {"type": "object"}) for name in NAMES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "README.md").write_text("# Greeter\n\nIt greets people.\n\n## Use\n\nRun it.\n")
    (tmp_path / "src" / "app.py").write_text("def greet(name):\n    return f'hello {name}'\n")
    return tmp_path.resolve()


async def converse(prompt: str, folder: Path) -> tuple[list[tuple[str, Any]], str]:
    """Run a prompt to its end: the calls that were made, and the last words."""
    history: list[Message] = [user(prompt)]
    calls: list[tuple[str, Any]] = []
    context = ToolContext(folder=folder, editor=NoEditor(), files=FileMemory())
    while True:
        request = Request(DEMO, "You are pi.", history, TOOLS.specs())
        message = (await answer_of(DemoProvider(pause_ms=0), request))[0].message()
        history.append(message)
        if message["stopReason"] != "toolUse":
            return calls, text_of(message["content"])
        for made in tool_calls(message):
            calls.append((made["name"], made["arguments"]))
            outcome = await run(made["name"], made["arguments"], context)
            told = result(made["id"], *outcome.content, error=outcome.is_error, name=made["name"])
            if outcome.details is not None:
                told["details"] = outcome.details
            history.append(told)


async def run(name: str, arguments: Any, context: ToolContext) -> ToolResult:
    try:
        tool, parameters = TOOLS.prepare(name, arguments)
        return await tool.run(parameters, context)
    except ToolFault as fault:
        return ToolResult.of_text(fault.message, is_error=True)


async def first_calls(prompt: str, tools: Sequence[ToolSpec] = SPECS) -> list[tuple[str, Any]]:
    request = Request(DEMO, "You are pi.", [user(prompt)], list(tools))
    message = (await answer_of(DemoProvider(pause_ms=0), request))[0].message()
    return [(made["name"], made["arguments"]) for made in tool_calls(message)]


@pytest.mark.parametrize(
    ("prompt", "tool", "arguments"),
    [
        ("read README.md and say what this is", "read", {"path": "README.md"}),
        ("What does `src/app.py` do?", "read", {"path": "src/app.py"}),
        ("explain ~/notes.txt", "read", {"path": "~/notes.txt"}),
        ("list the files in src", "ls", {"path": "src"}),
        ("ls", "ls", {"path": "."}),
        ("what is this project?", "ls", {"path": "."}),
        ("find all *.py", "find", {"pattern": "*.py"}),
        ("search for 'to do' in src", "grep", {"pattern": "to do", "literal": True, "path": "src"}),
        ("where is greet defined?", "grep", {"pattern": "greet", "literal": True}),
        ("please run `make test` now", "bash", {"command": "make test"}),
        ("any problems?", "diagnostics", {}),
        (
            "replace “a b” with 'c' in `src/app.py`",
            "edit",
            {"path": "src/app.py", "edits": [{"oldText": "a b", "newText": "c"}]},
        ),
        (
            "Change colour to color in notes.txt, please",
            "edit",
            {"path": "notes.txt", "edits": [{"oldText": "colour", "newText": "color"}]},
        ),
        ('write "hello" to a/b.txt', "write", {"path": "a/b.txt", "content": "hello\n"}),
        (
            'create a file called notes.md with "one two"',
            "write",
            {"path": "notes.md", "content": "one two\n"},
        ),
    ],
)
async def test_a_plain_request_becomes_a_call(prompt: str, tool: str, arguments: Any) -> None:
    assert await first_calls(prompt) == [(tool, arguments)]


@pytest.mark.parametrize(
    "prompt", ["hello", "what is 2+2, e.g. and/or?", "see https://example.org/a.html", ""]
)
async def test_talk_makes_no_call(prompt: str) -> None:
    assert await first_calls(prompt) == []


async def test_a_tool_that_is_not_there_is_not_called() -> None:
    assert await first_calls("run `make`", [spec for spec in SPECS if spec.name != "bash"]) == []


async def test_several_files_are_read_side_by_side() -> None:
    assert [arguments["path"] for _, arguments in await first_calls("compare a.py with b.py")] == [
        "a.py",
        "b.py",
    ]


async def test_what_was_read_is_told_in_short(folder: Path) -> None:
    calls, said = await converse("read README.md and say what this is", folder)
    assert calls == [("read", {"path": "README.md"})]
    assert "“Greeter”" in said
    assert "> It greets people." in said
    assert "- Use" in said
    assert said.endswith(WHO_I_AM)


async def test_code_that_was_read_is_shown_as_code(folder: Path) -> None:
    _, said = await converse("explain src/app.py", folder)
    assert "`greet`" in said
    assert "```python\ndef greet(name):" in said


async def test_a_file_that_is_elsewhere_is_searched_for(folder: Path) -> None:
    calls, said = await converse("read app.py", folder)
    assert [tool for tool, _ in calls] == ["read", "find", "read"]
    assert "`src/app.py`" in said
    assert "did not work" not in said


async def test_a_file_that_is_nowhere_is_said_to_be_nowhere(folder: Path) -> None:
    _, said = await converse("read nothing.py", folder)
    assert "I found nothing" in said


async def test_a_look_around_ends_with_the_readme(folder: Path) -> None:
    calls, said = await converse("what is this project?", folder)
    assert [tool for tool, _ in calls] == ["ls", "read"]
    assert "Greeter" in said


async def test_a_replacement_is_made_and_its_diff_shown(folder: Path) -> None:
    _, said = await converse('replace "hello" with "good day" in src/app.py', folder)
    assert "good day" in (folder / "src" / "app.py").read_text()
    assert "```diff" in said
    assert "+    return f'good day {name}'" in said


async def test_a_call_that_failed_is_told_with_its_reason(folder: Path) -> None:
    _, said = await converse('replace "nowhere" with "x" in src/app.py', folder)
    assert "did not work" in said
    assert "not found" in said


async def test_a_file_is_written_and_a_command_run(folder: Path) -> None:
    await converse('write "hi there" to new/hello.txt', folder)
    _, said = await converse("run `cat new/hello.txt`", folder)
    assert "hi there" in said


async def test_a_code_block_of_its_own_does_not_end_ours(folder: Path) -> None:
    (folder / "doc.txt").write_text("```\ncode\n```\n")
    _, said = await converse("read doc.txt", folder)
    assert "````\n```\ncode\n```\n````" in said


async def test_what_was_attached_is_taken_up() -> None:
    asked = Request(DEMO, "You are pi.", [user("Explain this", "a.py, line 3:\nx = 1")], SPECS)
    answer, _ = await answer_of(DemoProvider(pause_ms=0), asked)
    assert "x = 1" in text_of(answer.message()["content"])


async def test_a_steer_is_followed_from_then_on() -> None:
    history = [
        user("read a.py"),
        assistant(call("1", path="a.py")),
        result("1", "x = 1"),
        user("no, list the files"),
    ]
    request = Request(DEMO, "You are pi.", history, SPECS)
    message = (await answer_of(DemoProvider(pause_ms=0), request))[0].message()
    assert [made["name"] for made in tool_calls(message)] == ["ls"]


async def test_it_streams_in_small_pieces_and_counts_what_it_used() -> None:
    request = Request(DEMO, "You are pi." * 100, [user("hello")], SPECS)
    answer, deltas = await answer_of(DemoProvider(pause_ms=0), request)
    assert len(deltas) > 20
    assert "".join(delta.text for delta in deltas) == text_of(answer.message()["content"])
    assert answer.usage["input"] > 200
    assert answer.usage["output"] > 50
    assert answer.usage["cost"]["total"] == 0
    assert answer.response_id


async def test_its_arguments_stream_as_json() -> None:
    answer, deltas = await answer_of(
        DemoProvider(pause_ms=0), Request(DEMO, "", [user('write "ü 😀" to a.txt')], SPECS)
    )
    assert next(delta for delta in deltas if delta.tool_call_id).tool_name == "write"
    assert tool_calls(answer.message())[0]["arguments"] == {"path": "a.txt", "content": "ü 😀\n"}


def test_its_pace_can_be_set_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PAUSE_VARIABLE, "nonsense")
    DemoProvider()
    monkeypatch.setenv(PAUSE_VARIABLE, "0")
    DemoProvider()


CONVERSATION = """\
[User]: read a.py

[Assistant]: I'll read it.

[Assistant calls]: read({"path": "a.py"})

[Result of read]: x = 1

[User]: now fix it

[Assistant calls]: edit({"path": "a.py", "edits": []})"""


async def summarised(prompt: str) -> str:
    request = Request(DEMO, "You write summaries.", [user(prompt)])
    return text_of((await answer_of(DemoProvider(pause_ms=0), request))[0].message()["content"])


async def test_asked_for_a_summary_it_writes_one_in_the_sections_asked_for() -> None:
    said = await summarised(f"<conversation>\n{CONVERSATION}\n</conversation>\nSummarise it.")
    headings = [line for line in said.splitlines() if line.startswith("#")]
    assert headings == [
        "## Goal",
        "## Constraints & Preferences",
        "## Progress",
        "### Done",
        "### In Progress",
        "### Blocked",
        "## Key Decisions",
        "## Next Steps",
        "## Critical Context",
    ]
    assert "- read a.py\n- now fix it" in said
    assert "- read: a.py\n- edit: a.py" in said


async def test_a_summary_takes_over_what_an_earlier_one_says() -> None:
    earlier = await summarised(f"<conversation>\n{CONVERSATION}\n</conversation>\nSummarise.")
    said = await summarised(
        "<conversation>\n[User]: and test it\n</conversation>\n"
        f"<previous-summary>\n{earlier}\n</previous-summary>\nSummarise."
    )
    assert "- now fix it\n- and test it" in said
    assert "- edit: a.py" in said


async def test_the_first_part_of_a_turn_is_summarised_in_its_own_sections() -> None:
    said = await summarised(
        f"<conversation>\n{CONVERSATION}\n</conversation>\nSummarise it.\n## Request\n"
    )
    assert said.startswith("## Request\n- read a.py")
    assert "## Done So Far\n- read: a.py" in said


@settings(max_examples=40, deadline=None)
@given(history=HISTORIES)
async def test_it_answers_any_history(history: list[Any]) -> None:
    answer, _ = await answer_of(DemoProvider(pause_ms=0), Request(DEMO, "", history, SPECS))
    assert answer.stop_reason in ("stop", "toolUse")
