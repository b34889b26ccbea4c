"""What the demo model says: in plain words what the tools gave, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    parts = [_outcome(step) for step in steps] or [_attachments(attached) if attached else _HELP]
    return "\n\n".join([*parts, WHO_I_AM])


def _intention(call: Call) -> str:
    arguments = call.arguments
    match call.tool:
        case "read":
            return f"I'll read `{arguments['path']}`."
        case "ls":
            return f"I'll look at what is in `{arguments['path']}`."
        case "find":
            return f"I'll look for files like `{arguments['pattern']}`."
        case "grep":
            return f"I'll search for `{arguments['pattern']}`."
        case "edit":
            return f"I'll make this change in `{arguments['path']}`."
        case "write":
            return f"I'll write `{arguments['path']}`."
        case "bash":
            return f"I'll run `{arguments['command']}`."
        case _:
            return "I'll ask the editor what problems it sees."


def _outcome(step: Step) -> str:
    text = text_of(step.result["content"]).strip()
    arguments = step.call.arguments
    if step.call.tool == "bash":
        failed = " failed" if step.result["isError"] else " printed"
        return f"`{arguments['command']}`{failed}:\n\n{_block(text, '', from_end=True)}"
    if step.result["isError"]:
        return f"**That did not work** ({_intention(step.call)[5:-1]}): {_first_line(text)}"
    match step.call.tool:
        case "read":
            return _file(arguments["path"], text)
        case "ls":
            return f"`{arguments['path']}` holds:\n\n{_block(text, '')}"
        case "find":
            return f"These files match `{arguments['pattern']}`:\n\n{_block(text, '')}"
        case "grep":
            return f"Here is `{arguments['pattern']}`:\n\n{_block(text, '')}"
        case "edit" | "write":
            return _change(step, text)
        case _:
            return f"The editor says:\n\n{_block(text, '')}"


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
        return " ".join(told)
    names = list(dict.fromkeys(_DEFINITION.findall(text)))[:8]
    if names:
        told.append("It defines " + ", ".join(f"`{name}`" for name in names) + ".")
    return " ".join(told) + f" It begins:\n\n{_block(text, _LANGUAGES.get(suffix, ''))}"


def _change(step: Step, text: str) -> str:
    details = step.result.get("details") or {}
    diff = details.get("diff")
    done = f"Done: `{step.call.arguments['path']}` is changed."
    if step.call.tool == "write":
        done = f"Done: `{step.call.arguments['path']}` is written."
    return f"{done}\n\n{_block(diff, 'diff')}" if isinstance(diff, str) and diff else done


def _attachments(attached: Sequence[str]) -> str:
    first = "\n\n".join(_block(text, "") for text in attached[:2])
    return f"You attached this:\n\n{first}\n\nTell me what to read, search, run or replace."


def _first_paragraph(text: str) -> str:
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        if line and line[0] not in "#`|<![-*" and not line.startswith("```"):
            return line if len(line) <= 300 else line[:299] + "…"
    return ""


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else "the tool gave no reason."


def _block(text: str, language: str, *, from_end: bool = False) -> str:
    """Some lines of a text as a code block; the fence is longer than any in the text."""
    lines = [line[:_EXCERPT_WIDTH] for line in text.splitlines()]
    left_out = len(lines) - _EXCERPT_LINES
    if left_out > 0:
        lines = lines[-_EXCERPT_LINES:] if from_end else lines[:_EXCERPT_LINES]
        lines.insert(0 if from_end else len(lines), f"… ({left_out} more lines)")
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall(r"`{3,}", text))])
    return f"{fence}{language}\n" + "\n".join(lines or ["(nothing)"]) + f"\n{fence}"
