"""What a person in a terminal is shown before they say yes."""

from __future__ import annotations

import io

from pi_lsp.cli.approval import Approver
from pi_lsp.cli.terminal import Terminal
from pi_lsp.messages import JsonObject


async def shown(question: JsonObject) -> str:
    error = io.StringIO()
    Approver(Terminal(out=io.StringIO(), error=error, environ={}))._show(question)
    return error.getvalue()


async def test_a_command_of_several_lines_is_shown_to_its_end() -> None:
    command = "echo safe\n" + "\n" * 200 + "rm x \x1b[1A\u202e"
    text = await shown({"title": "Run echo safe …", "args": {"command": command}})
    assert text.splitlines()[1] == "  echo safe"
    assert text.endswith("  rm x \\x1b[1A\\u202e\n")
    assert len(text.splitlines()) < 10


async def test_a_command_that_is_its_title_is_shown_once() -> None:
    assert (await shown({"title": "Run ls -l", "args": {"command": "ls -l"}})) == "? Run ls -l\n"


async def test_a_diff_is_shown_whole() -> None:
    diff = "".join(f"+line {number}\n" for number in range(500))
    text = await shown({"title": "Create a", "args": {"path": "a"}, "diff": diff})
    assert "+line 0\n" in text
    assert text.endswith("+line 499\n")
