"""What a terminal is shown, and what never reaches it."""

from __future__ import annotations

import io

import pytest

from pi_lsp.cli.run_display import RunDisplay, target_of
from pi_lsp.cli.terminal import Terminal, printable
from pi_lsp.messages import JsonObject


class Tty(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class AsciiFile(io.StringIO):
    encoding = "ascii"


def call(number: str, name: str, **args: object) -> JsonObject:
    return {
        "type": "tool_execution_start",
        "toolCallId": number,
        "toolName": name,
        "args": dict(args),
    }


def result(number: str, text: str, *, error: bool = False, **details: object) -> JsonObject:
    return {
        "type": "tool_execution_end",
        "toolCallId": number,
        "result": {"content": [{"type": "text", "text": text}], "details": details},
        "isError": error,
        "durationMs": 1234,
    }


def text(delta: str, index: int = 0) -> JsonObject:
    return {"type": "message_update", "contentIndex": index, "kind": "text", "delta": delta}


def shown(*events: JsonObject, quiet: bool = False) -> str:
    out = io.StringIO()
    display = RunDisplay(Terminal(out, out, environ={}), quiet=quiet)
    for event in events:
        display.show(event)
    return out.getvalue()


def test_colour_is_for_terminals_only() -> None:
    tty, file = Tty(), io.StringIO()

    Terminal(tty, tty, environ={}).line("done", "good")
    Terminal(file, file, environ={}).line("done", "good")

    assert tty.getvalue() == "\x1b[32mdone\x1b[0m\n"
    assert file.getvalue() == "done\n"


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_declined(environ: dict[str, str]) -> None:
    tty = Tty()

    Terminal(tty, tty, environ=environ).line("done", "good")

    assert tty.getvalue() == "done\n"


def test_an_answer_cannot_drive_the_terminal() -> None:
    assert printable("a\x1b]0;title\x07b\x9b2Jc\rd\r\ne\tf\x00") == "a]0;titleb2Jcd\ne\tf"


def test_marks_fit_what_the_stream_can_hold() -> None:
    out = AsciiFile()
    display = RunDisplay(Terminal(out, out, environ={}))

    display.show(call("1", "read", path="ä.md"))

    assert out.getvalue() == "> read ?.md\n"


def test_an_answer_streams_and_a_tool_call_starts_a_line_of_its_own() -> None:
    assert shown(
        {"type": "message_start", "message": {"role": "assistant"}},
        text("I will "),
        text("look."),
        call("1", "read", path="README.md"),
        result("1", "# hello"),
        {"type": "message_start", "message": {"role": "assistant"}},
        text("It greets."),
        {"type": "message_end", "message": {"role": "assistant"}, "entryId": "1"},
    ).split("\n") == [
        "",
        "I will look.",
        "→ read README.md",
        "✓ read README.md  1.2 s",
        "",
        "It greets.",
        "",
    ]


def test_calls_that_run_side_by_side_keep_their_names() -> None:
    lines = shown(
        call("1", "read", path="a"),
        call("2", "grep", pattern="b", path="src"),
        result("2", "none"),
        result("1", "gone", error=True),
    ).splitlines()

    assert lines == ["→ read a", "→ grep b", "✓ grep b  1.2 s", "✗ read a  1.2 s", "    gone"]


def test_an_edit_shows_its_diff() -> None:
    lines = shown(
        call("1", "edit", path="a.py"), result("1", "done", diff="@@ -1 +1 @@\n-old\n+new")
    ).splitlines()

    assert lines[2:] == ["    @@ -1 +1 @@", "    -old", "    +new"]


def test_a_long_output_is_shown_by_its_end() -> None:
    output = "\n".join(str(number) for number in range(100))
    lines = shown(call("1", "bash", command="seq 100"), result("1", output)).splitlines()

    assert lines[2:] == ["    … 95 lines before", *(f"    {number}" for number in range(95, 100))]


def test_quiet_is_the_answer_and_nothing_else() -> None:
    assert (
        shown(
            call("1", "read", path="a"),
            result("1", "x"),
            text("Just this."),
            {"type": "message_end", "message": {"role": "assistant"}, "entryId": "1"},
            quiet=True,
        )
        == "Just this.\n"
    )


def test_a_retry_says_that_what_came_is_void() -> None:
    retry = {
        "type": "retry_start",
        "attempt": 1,
        "maxAttempts": 3,
        "delayMs": 2000,
        "error": "The service is overloaded.",
    }

    assert "Trying again in 2 s (1 of 3)" in shown(text("half an ans"), retry)


@pytest.mark.parametrize(
    ("args", "target"),
    [
        ({"command": "ls\n  -la"}, "ls -la"),
        ({"pattern": "x", "path": "src"}, "x"),
        ({"path": "a b"}, "a b"),
        ({"command": "x" * 200}, "x" * 99 + "…"),
        ({}, ""),
        ({"path": None}, ""),
    ],
)
def test_the_target_of_a_call_is_one_short_line(args: JsonObject, target: str) -> None:
    assert target_of(args) == target
