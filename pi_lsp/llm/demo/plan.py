"""What the demo model does next: a few plain rules on the prompt and the results so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pi_lsp.messages import JsonObject, ToolResultMessage, text_of


@dataclass(frozen=True)
class Call:
    """A tool call to make, or one that was made (by another model, perhaps)."""

    tool: str
    arguments: JsonObject

    @property
    def target(self) -> str:
        """What the call is about: a command, a pattern or a path."""
        for name in ("command", "pattern", "path"):
            if isinstance(target := self.arguments.get(name), str) and target:
                return target
        return "."


@dataclass(frozen=True)
class Step:
    """A call that was made in this run, and what it gave."""

    call: Call
    result: ToolResultMessage


_MAX_STEPS = 6
_MAX_PROMPT = 4000
"""Characters of a prompt that are looked at; what is asked for stands at its beginning."""
_READMES = ("README.md", "README.rst", "README.txt", "README")

_PATH = r"~?[\w.@/-]*\w"


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern in which `<name>` stands for a quoted text or one word, and `PATH` for a path."""
    quoted = r"""(?:"(?P<{0}_a>[^"]+)"|'(?P<{0}_b>[^']+)'|“(?P<{0}_c>[^”]+)”|`(?P<{0}_d>[^`]+)`"""
    text = re.sub(
        r"<(\w+)>", lambda name: quoted.format(name[1]) + rf"|(?P<{name[1]}_e>\S+))", text
    )
    return re.compile(text.replace("PATH", rf"[`\"']?(?P<path>{_PATH})[`\"']?"), re.IGNORECASE)


_RUN = re.compile(r"\b(?:run|execute|try|bash|command)\b[^`\n]{0,40}`([^`\n]+)`", re.IGNORECASE)
_REPLACE = _pattern(r"\b(?:replace|change|rename)\s+<old>\s+(?:with|to|by)\s+<new>\s+in\s+PATH")
_WRITE = _pattern(r"\b(?:write|put|save)\s+<text>\s+(?:in|to|into)\s+PATH")
_CREATE = _pattern(
    r"\b(?:create|make|write)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:empty\s+)?(?:file\s+)?"
    r"(?:called\s+|named\s+)?PATH(?:\s+(?:with|containing|that\s+says)\s+(?:the\s+text\s+)?<text>)"
)
_FIND = re.compile(r"\bfind\b[^*\n]*?[`\"']?(?P<glob>[^\s`\"']*\*[^\s`\"',]*)", re.IGNORECASE)
_SEARCH = _pattern(r"\b(?:search|grep|look)\s+(?:the\s+\w+\s+)?(?:for\s+)?<what>(?:\s+in\s+PATH)?")
_WHERE = _pattern(r"\bwhere\s+(?:is|are|do\s+we\s+(?:use|define))\s+<what>")
_LIST = _pattern(
    r"\b(?:list|ls)\b(?:\s+(?:all\s+|the\s+)*(?:files|folder))?(?:\s+(?:in|of)\s+PATH)?"
)
_PROBLEMS = re.compile(r"\b(?:diagnostics?|problems?|warnings?)\b", re.IGNORECASE)
_LOOK_AROUND = re.compile(
    r"\bwhat\s+(?:is|does)\s+th(?:is|e)\b|\b(?:about\s+this|overview|project|repository|codebase)\b",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(?<![\w./@~-])(?:(?:~?/)?(?:[\w.@-]+/)*[\w-]*(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}"
    r"|(?:[\w.@-]+/)*(?:Makefile|Dockerfile|LICENSE|README))(?![\w/])"
)
"""A word that looks like the name of a file."""
_NO_FILES = ("e.g", "i.e", "a.m", "p.m")


def next_calls(prompt: str, steps: Sequence[Step], tools: Collection[str]) -> list[Call]:
    """The calls to make now; none when it is time to answer.

    Args:
        prompt: what the person typed.
        steps: what was done about it so far.
        tools: the names of the tools that there are.
    """
    if len(steps) >= _MAX_STEPS:
        return []
    asked = prompt[:_MAX_PROMPT]
    calls = _follow_up(asked, steps) if steps else _first(asked, tools)
    made = [step.call for step in steps]
    return [call for call in calls if call.tool in tools and call not in made]


def _first(prompt: str, tools: Collection[str]) -> list[Call]:
    rules: tuple[Callable[[str], list[Call]], ...] = (
        _run,
        _replace,
        _write,
        _find,
        _search,
        _problems,
        _read,
        _list,
        _look_around,
    )
    for rule in rules:
        calls = [call for call in rule(prompt) if call.tool in tools]
        if calls:
            return calls
    return []


def _follow_up(prompt: str, steps: Sequence[Step]) -> list[Call]:
    """What the last result suggests: reading what was found, looking for what was not."""
    last = steps[-1]
    text = text_of(last.result["content"])
    if last.call.tool == "ls" and not last.result["isError"] and not _list(prompt):
        readme = next((name for name in _READMES if name in text.split()), None)
        return (
            [Call("read", {"path": f"{PurePosixPath(last.call.target, readme)}"})] if readme else []
        )
    if last.call.tool == "read" and last.result["isError"] and _is_missing(text):
        name = PurePosixPath(last.call.target).name
        return [Call("find", {"pattern": f"**/{name}"})]
    if last.call.tool == "find" and len(steps) > 1 and not last.result["isError"]:
        found = [line for line in text.splitlines() if _FILE.fullmatch(line.strip())]
        return [Call("read", {"path": found[0].strip()})] if len(found) == 1 else []
    return []


def _is_missing(text: str) -> bool:
    return (
        re.search(r"no such file|not found|does not exist|no file", text, re.IGNORECASE) is not None
    )


# --- the rules -----------------------------------------------------------------------------------


def _run(prompt: str) -> list[Call]:
    return [Call("bash", {"command": command}) for command in _RUN.findall(prompt)]


def _replace(prompt: str) -> list[Call]:
    return [
        Call(
            "edit",
            {
                "path": match["path"],
                "edits": [{"oldText": _said(match, "old"), "newText": _said(match, "new")}],
            },
        )
        for match in _REPLACE.finditer(prompt)
    ]


def _write(prompt: str) -> list[Call]:
    matches = (*_WRITE.finditer(prompt), *_CREATE.finditer(prompt))
    return [
        Call("write", {"path": match["path"], "content": _said(match, "text") + "\n"})
        for match in matches
    ]


def _find(prompt: str) -> list[Call]:
    match = _FIND.search(prompt)
    return [Call("find", {"pattern": match["glob"]})] if match else []


def _search(prompt: str) -> list[Call]:
    if match := _SEARCH.search(prompt):
        where = {"path": match["path"]} if match["path"] else {}
        return [Call("grep", {"pattern": _said(match, "what"), "literal": True, **where})]
    if match := _WHERE.search(prompt):
        return [Call("grep", {"pattern": _said(match, "what").rstrip("?.!"), "literal": True})]
    return []


def _problems(prompt: str) -> list[Call]:
    return [Call("diagnostics", {})] if _PROBLEMS.search(prompt) else []


def _read(prompt: str) -> list[Call]:
    without_links = re.sub(r"https?://\S+", "", prompt)
    paths = [path for path in _FILE.findall(without_links) if path not in _NO_FILES]
    return [Call("read", {"path": path}) for path in list(dict.fromkeys(paths))[:3]]


def _list(prompt: str) -> list[Call]:
    match = _LIST.search(prompt)
    return [Call("ls", {"path": match["path"] or "."})] if match else []


def _look_around(prompt: str) -> list[Call]:
    return [Call("ls", {"path": "."})] if _LOOK_AROUND.search(prompt) else []


def _said(match: re.Match[str], name: str) -> str:
    """What stands for `<name>`, without the marks around it."""
    return next(text for mark in "abcde" if (text := match[f"{name}_{mark}"]) is not None)
