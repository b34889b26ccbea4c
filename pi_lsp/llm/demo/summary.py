"""The summary that the demo model writes of a conversation, in the sections that it is asked for.

The conversation stands in the prompt as text, one paragraph for each message, with who spoke in
brackets before it.
"""

from __future__ import annotations

import re

_WANTED = re.compile(r"\bsummar(?:y|i[sz]e|ies)\b", re.IGNORECASE)
_PARAGRAPH = re.compile(r"^\[(?P<who>[^\]\n]+)\]: (?P<said>.+)$", re.MULTILINE)
_CALL = re.compile(r'(?P<tool>\w+)\(.*?"(?:path|command|pattern)": "(?P<target>(?:[^"\\]|\\.)*)"')
_MAX_ITEMS = 8
_MAX_WIDTH = 160


def asks_for_summary(system: str, prompt: str) -> bool:
    """Whether a request without tools asks for a summary."""
    return _WANTED.search(f"{system}\n{prompt}") is not None


def summary(prompt: str) -> str:
    """A summary of the conversation in the prompt, with what an earlier summary says."""
    asked, done = _asked_and_done(_between(prompt, "conversation") or prompt)
    earlier = _between(prompt, "previous-summary")
    goals = [*_items(earlier, "Goal"), *asked]
    if "## Request" in prompt:
        sections = {
            "## Request": _list(asked),
            "## Done So Far": _list(done),
            "## Needed for the Rest": _list([]),
        }
    else:
        sections = {
            "## Goal": _list(goals),
            "## Constraints & Preferences": _list([]),
            "## Progress\n### Done": _list([*_items(earlier, "Done"), *done]),
            "### In Progress": _list(goals[-1:]),
            "### Blocked": _list([]),
            "## Key Decisions": _list([]),
            "## Next Steps": "1. Go on with what was asked last.",
            "## Critical Context": "- This summary was written by the demo model: it lists what "
            "was asked and which calls were made.",
        }
    return "\n\n".join(f"{heading}\n{text}" for heading, text in sections.items())


def _asked_and_done(conversation: str) -> tuple[list[str], list[str]]:
    """What the person said, and which calls were made, in order."""
    asked: list[str] = []
    done: list[str] = []
    for paragraph in _PARAGRAPH.finditer(conversation):
        if paragraph["who"] == "User":
            asked.append(_short(paragraph["said"]))
        elif paragraph["who"] == "Assistant calls" and (call := _CALL.match(paragraph["said"])):
            done.append(f"{call['tool']}: {_short(call['target'])}")
    return asked, done


def _between(text: str, tag: str) -> str:
    """What stands between a pair of tags; empty when they are not there."""
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


def _items(earlier: str, heading: str) -> list[str]:
    """The items of a section of an earlier summary."""
    section = re.search(rf"^#+ {heading}\n((?:- .*\n?)+)", earlier, re.MULTILINE)
    items = [line.removeprefix("- ") for line in section[1].splitlines()] if section else []
    return [item for item in items if item != "none"]


def _list(items: list[str]) -> str:
    """The newest items, each once."""
    newest = list(dict.fromkeys(items))[-_MAX_ITEMS:]
    return "\n".join(f"- {item}" for item in newest) or "- none"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_WIDTH else line[: _MAX_WIDTH - 1] + "…"
