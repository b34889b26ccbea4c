"""Showing a run as it happens, from the server's events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pi_lsp.cli.approval import diff_style
from pi_lsp.cli.terminal import Style, Terminal
from pi_lsp.messages import JsonObject

_TARGET_MEMBERS = ("command", "pattern", "path")
_TARGET_WIDTH = 100
_RESULT_LINES = 5
_DIFF_LINES = 40


@dataclass(frozen=True)
class _Call:
    """A tool call that runs."""

    name: str
    target: str


class RunDisplay:
    """Draws events: the answer as it streams, tool calls with their targets and states.

    Args:
        quiet: only the answer's text.
    """

    def __init__(self, terminal: Terminal, *, quiet: bool = False) -> None:
        self._terminal = terminal
        self._quiet = quiet
        self._calls: dict[str, _Call] = {}
        self._block: int | None = None
        self._draw: dict[str, Callable[[JsonObject], None]] = {
            "message_start": self._message_start,
            "message_update": self._message_update,
            "message_end": self._message_end,
            "tool_execution_start": self._tool_start,
            "tool_execution_end": self._tool_end,
            "retry_start": self._retry_start,
            "compaction_start": self._compaction_start,
            "compaction_end": self._compaction_end,
            "error": self._error,
        }

    def show(self, event: JsonObject) -> None:
        """Draw one event; those that a terminal need not show are left out."""
        draw = self._draw.get(event["type"])
        if draw is not None:
            draw(event)

    def _message_start(self, event: JsonObject) -> None:
        self._block = None

    def _message_update(self, event: JsonObject) -> None:
        if event["kind"] != "text":
            return
        if self._block is None:
            self._note("")
        elif self._block != event["contentIndex"]:
            self._terminal.end_line()
        self._block = event["contentIndex"]
        self._terminal.write(event["delta"])

    def _message_end(self, event: JsonObject) -> None:
        if event["message"]["role"] == "assistant":
            self._terminal.end_line()

    def _tool_start(self, event: JsonObject) -> None:
        call = _Call(event["toolName"], target_of(event["args"]))
        self._calls[event["toolCallId"]] = call
        self._note(f"{self._terminal.symbols.running} {call.name} {call.target}", "dim")

    def _tool_end(self, event: JsonObject) -> None:
        call = self._calls.pop(event["toolCallId"])
        failed: bool = event["isError"]
        symbols = self._terminal.symbols
        mark = symbols.failed if failed else symbols.done
        took = f"{event['durationMs'] / 1000:.1f} s"
        self._note(f"{mark} {call.name} {call.target}  {took}", "bad" if failed else "good")
        self._show_result(call, event["result"], failed)

    def _show_result(self, call: _Call, result: JsonObject, failed: bool) -> None:
        """What changed, what went wrong, or the end of what a command printed."""
        details: JsonObject = result.get("details") or {}
        diff = details.get("diff")
        if isinstance(diff, str) and not failed:
            for line in _first(diff.splitlines(), _DIFF_LINES):
                self._note(f"    {line}", diff_style(line))
        elif failed or call.name == "bash":
            for line in _last(_text(result).splitlines(), _RESULT_LINES):
                self._note(f"    {line}", "dim")

    def _retry_start(self, event: JsonObject) -> None:
        self._terminal.complain(
            f"{event['error']} Trying again in {event['delayMs'] / 1000:g} s "
            f"({event['attempt']} of {event['maxAttempts']}); what came of the answer is void.",
            "warning",
        )

    def _compaction_start(self, event: JsonObject) -> None:
        self._note(f"{self._terminal.symbols.running} compacting the conversation", "dim")

    def _compaction_end(self, event: JsonObject) -> None:
        if event.get("error"):
            self._terminal.complain(f"The compaction failed: {event['error']}", "warning")
        elif not event["aborted"]:
            self._note(f"{self._terminal.symbols.done} compacted", "good")

    def _error(self, event: JsonObject) -> None:
        self._terminal.complain(event["message"])

    def _note(self, text: str, style: Style = "plain") -> None:
        if not self._quiet:
            self._terminal.line(text, style)


def target_of(args: JsonObject) -> str:
    """What a tool call is about, on one line: its command, pattern or path."""
    found: Any = next((args[name] for name in _TARGET_MEMBERS if args.get(name)), "")
    text = " ".join(str(found).split())
    return text if len(text) <= _TARGET_WIDTH else text[: _TARGET_WIDTH - 1] + "…"


def _text(result: JsonObject) -> str:
    blocks: list[JsonObject] = result.get("content") or []
    return "\n".join(block["text"] for block in blocks if block["type"] == "text")


def _first(lines: list[str], count: int) -> list[str]:
    if len(lines) <= count:
        return lines
    return [*lines[:count], f"… and {len(lines) - count} lines more"]


def _last(lines: list[str], count: int) -> list[str]:
    if len(lines) <= count:
        return lines
    return [f"… {len(lines) - count} lines before", *lines[-count:]]
