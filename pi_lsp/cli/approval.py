"""Asking on the terminal whether a tool call may run."""

from __future__ import annotations

import asyncio
import sys
import threading

from pi_lsp.cli.terminal import Style, Terminal
from pi_lsp.messages import JsonObject
from pi_lsp.server.question_text import shown_lines, visible_line

_DECISIONS = {
    "y": "allow",
    "yes": "allow",
    "s": "allowSession",
    "session": "allowSession",
    "a": "allowAlways",
    "always": "allowAlways",
    "n": "deny",
    "no": "deny",
}
_CHOICES = "[y]es, [s] this session, [a]lways, [n]o: "
_NOBODY = "nobody is there to ask"


class Approver:
    """Answers `pi/approve`: one question at a time; with nobody there the answer is no."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._typed = TypedLines()
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, question: JsonObject) -> JsonObject:
        """The answer to the params of `pi/approve`."""
        if not self._terminal.can_ask:
            self._terminal.complain(
                f"Not allowed: {question['title']} ({_NOBODY}; see --approval)", "warning"
            )
            return {"decision": "deny", "reason": _NOBODY}
        async with self._one_at_a_time:
            self._typed.drop_old()
            self._show(question)
            return await self._decide()

    def _show(self, question: JsonObject) -> None:
        mark = self._terminal.symbols.question
        self._terminal.complain(f"{mark} {question['title']}", "strong")
        if question.get("outsideWorkspace"):
            self._terminal.complain("  This is outside the folder.", "warning")
        for line in shown_lines(question.get("diff") or ""):
            self._terminal.complain(f"  {line}", diff_style(line))
        command = str(question["args"].get("command", ""))
        if visible_line(command.strip()) not in question["title"]:  # the title is one short line
            for line in shown_lines(command):
                self._terminal.complain(f"  {line}", "plain")

    async def _decide(self) -> JsonObject:
        while True:
            self._terminal.ask(f"  {_CHOICES}")
            typed = await self._typed.next()
            if typed is None:
                return {"decision": "deny", "reason": _NOBODY}
            decision = _DECISIONS.get(typed.strip().lower())
            if decision == "deny":
                self._terminal.ask("  Why? (the model is told; Enter for nothing) ")
                reason = (await self._typed.next() or "").strip()
                return {"decision": "deny", **({"reason": reason} if reason else {})}
            if decision is not None:
                return {"decision": decision}


class TypedLines:
    """Lines that a person types, read in a thread that may be left waiting."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reading = False

    async def next(self) -> str | None:
        """The next line; None when there will be none any more."""
        if not self._reading:
            self._reading = True
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        return await self._lines.get()

    def drop_old(self) -> None:
        """Forget what was typed before the question was shown."""
        while not self._lines.empty():
            self._lines.get_nowait()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(self._lines.put_nowait, line)
        loop.call_soon_threadsafe(self._lines.put_nowait, None)


def diff_style(line: str) -> Style:
    """How a line of a unified diff is shown."""
    if line.startswith(("+++", "---", "@@")):
        return "dim"
    if line.startswith("+"):
        return "good"
    if line.startswith("-"):
        return "bad"
    return "plain"
