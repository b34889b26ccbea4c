"""What the demo model says: in plain words what the tools gave, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import PurePosixPath

from pi_lsp.llm.demo.plan import Call, Step
from pi_lsp.messages import text_of

WHO_I_AM = (
    "*I am the demo model that comes with pi-lsp: I follow a few plain rules and need no key. "
    "With an Anthropic API key a real model answers here.*"
)

_HELP = """Hello! I cannot think, but I can show you how pi works. Try one of these:

- `read README.md and say what this is`
- `list the files in src`
- `search for "TODO"`
- `replace "colour" with "color" in notes.txt`
- `write "hello" to hello.txt`
- run a command in backticks, such as "run `git status`"
"""

_EXCERPT_LINES = 12
_EXCERPT_WIDTH = 100
_LANGUAGES = {
    ".c": "c",
    ".css": "css",
    ".go": "go",
    ".html": "html",
    ".java": "java",
    ".js": "javascript",
    ".json": "json",
    ".lua": "lua",
    ".md": "markdown",
    ".py": "python",
    ".rs": "rust",
    ".sh": "bash",
    ".toml": "toml",
    ".ts": "typescript",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_DEFINITION = re.compile(
    r"^\s*(?:export\s+)?(?:async\s+)?(?:def|class|function|func|fn|struct|interface)\s+(\w+)",
    re.MULTILINE,
)
_HEADING = re.compile(r"^#{1,3}\s+(.+?)\s*#*$", re.MULTILINE)


def announcement(calls: Sequence[Call]) -> str:
    """What is said before the calls are made."""
    return " ".join(_intention(call) for call in calls)


def report(steps: Sequence[Step], attached: Sequence[str]) -> str:
    """The answer at the end of a run.

    Args:
        steps: the calls of the run and their results.
        attached: the texts that came with the prompt.
    """
    parts = [_outcome(step) for step in _final(steps)]
    if not parts:
        parts = [_attachments(attached) if attached else _HELP.strip()]
    return "\n\n".join([*parts, WHO_I_AM])


def _final(steps: Sequence[Step]) -> list[Step]:
    """The steps without those whose outcome led to the next one: a read that had to search first,
    the search itself when it found the file, the look around that found a README."""
    return [
        step
        for step, following in zip_longest(steps, steps[1:])
        if following is None
        or (step.call.tool, following.call.tool)
        not in (("read", "find"), ("find", "read"), ("ls", "read"))
    ]


def _intention(call: Call) -> str:
    match call.tool:
        case "read":
            return f"I'll read `{call.target}`."
        case "ls":
            return f"I'll look at what is in {_folder(call)}."
        case "find":
            return f"I'll look for files like `{call.target}`."
        case "grep":
            return f"I'll search for `{call.target}`."
        case "edit":
            return f"I'll make this change in `{call.target}`."
        case "write":
            return f"I'll write `{call.target}`."
        case "bash":
            return f"I'll run `{call.target}`."
        case _:
            return "I'll ask the editor what problems it sees."


def _outcome(step: Step) -> str:
    call = step.call
    text = text_of(step.result["content"]).strip()
    if call.tool == "bash":
        verb = "failed" if step.result["isError"] else "printed"
        return f"`{call.target}` {verb}:\n\n{_block(text, from_end=True)}"
    if step.result["isError"]:
        return f"**`{call.tool}` did not work on `{call.target}`:** {_first_line(text)}"
    match call.tool:
        case "read":
            return _file(call.target, text)
        case "ls":
            return f"In {_folder(call)} there is:\n\n{_block(text)}"
        case "find" | "grep":
            return _found(call.target, text)
        case "edit" | "write":
            return _change(step)
        case _:
            return f"`{call.tool}` says:\n\n{_block(text)}"


def _folder(call: Call) -> str:
    return "this folder" if call.target == "." else f"`{call.target}`"


def _file(path: str, text: str) -> str:
    """A file in short: how long it is, what it is about, and how it begins."""
    lines = text.splitlines()
    told = [f"**`{path}`** has {len(lines)} lines."]
    suffix = PurePosixPath(path).suffix
    if suffix == ".md":
        headings = _HEADING.findall(text)
        if headings:
            told.append(f"Its title is “{headings[0]}”.")
        if paragraph := _first_paragraph(text):
            told.append(f"It begins:\n\n> {paragraph}")
        if headings[1:]:
            sections = "\n".join(f"- {heading}" for heading in headings[1:8])
            told.append(f"\n\nIts sections:\n\n{sections}")
        return " ".join(told).replace(" \n\n", "\n\n")
    names = list(dict.fromkeys(_DEFINITION.findall(text)))[:8]
    if names:
        told.append("It defines " + ", ".join(f"`{name}`" for name in names) + ".")
    return " ".join(told) + f" It begins:\n\n{_block(text, _LANGUAGES.get(suffix, ''))}"


def _found(pattern: str, text: str) -> str:
    """What a search gave; a tool that found nothing says so in brackets."""
    if not text or (text.startswith("[") and "\n" not in text):
        return f"I found nothing for `{pattern}` in this folder."
    return f"I found `{pattern}` here:\n\n{_block(text)}"


def _change(step: Step) -> str:
    done = "changed" if step.call.tool == "edit" else "written"
    diff = (step.result.get("details") or {}).get("diff")
    told = f"Done: `{step.call.target}` is {done}."
    return f"{told}\n\n{_block(diff, 'diff')}" if isinstance(diff, str) and diff else told


def _attachments(attached: Sequence[str]) -> str:
    shown = "\n\n".join(_block(text) for text in attached[:2])
    return f"You attached this:\n\n{shown}\n\nTell me what to read, search, run or replace."


def _first_paragraph(text: str) -> str:
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        if line and line[0] not in "#`|<![-*" and not line.startswith("```"):
            return line if len(line) <= 300 else line[:299] + "…"
    return ""


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else "the tool gave no reason."


def _block(text: str, language: str = "", *, from_end: bool = False) -> str:
    """Some lines of a text as a code block; the fence is longer than any in the text."""
    lines = [line[:_EXCERPT_WIDTH] for line in text.splitlines()]
    left_out = len(lines) - _EXCERPT_LINES
    if left_out > 0:
        lines = lines[-_EXCERPT_LINES:] if from_end else lines[:_EXCERPT_LINES]
        lines.insert(0 if from_end else len(lines), f"… ({left_out} more lines)")
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall(r"`{3,}", text))])
    return f"{fence}{language}\n" + "\n".join(lines or ["(nothing)"]) + f"\n{fence}"
