"""The summary that the demo model writes of a conversation, in the sections that are asked for."""

from __future__ import annotations

import re

_SUMMARY = re.compile(r"\bsummar(?:y|i[sz]e|ies)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"^\s*\[?(?P<who>user|assistant|tool[^\]:]*)\]?\s*:\s*(?P<said>.*)$", re.I)
_CALL = re.compile(r"\b(read|write|edit|bash|grep|find|ls)\s*\(\s*(.{1,120})")
_MAX_ITEMS = 6
_MAX_WIDTH = 160


def asks_for_summary(system: str, prompt: str) -> bool:
    """Whether a request without tools asks for a summary."""
    return _SUMMARY.search(f"{system}\n{prompt}") is not None


def summary(prompt: str) -> str:
    """A summary of the conversation that stands in the prompt as text."""
    asked, done = _asked_and_done(prompt)
    return "\n\n".join(
        [
            "## Goal\n" + (asked[0] if asked else "Nothing was asked yet."),
            "## Constraints & Preferences\n- none were named",
            "## Progress\n### Done\n"
            + _list(done, "- nothing yet")
            + "\n### In Progress\n"
            + _list(asked[-1:], "- nothing")
            + "\n### Blocked\n- nothing",
            "## Key Decisions\n- none were recorded",
            "## Next Steps\n1. Wait for what the person asks next.",
            "## Critical Context\n"
            + _list(asked[1:], "- nothing else was asked")
            + "\n- written by the demo model from the conversation's own lines",
        ]
    )


def _asked_and_done(prompt: str) -> tuple[list[str], list[str]]:
    """What the person said, and what was done, each once and in order."""
    asked: dict[str, None] = {}
    done: dict[str, None] = {}
    for line in prompt.splitlines():
        if (match := _SPEAKER.match(line)) and match["who"].lower() == "user":
            if said := match["said"].strip():
                asked[_short(said)] = None
        elif match := _CALL.search(line):
            done[f"{match[1]} {_short(match[2])}"] = None
    return list(asked), list(done)


def _list(items: list[str], otherwise: str) -> str:
    return "\n".join(f"- {item}" for item in items[-_MAX_ITEMS:]) or otherwise


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_WIDTH else line[: _MAX_WIDTH - 1] + "…"
