"""A session as a person reads it, before it takes the form of a page."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from pi_lsp.messages import (
    AssistantMessage,
    BashExecutionMessage,
    JsonObject,
    Message,
    ToolCallBlock,
    ToolResultMessage,
    UserBlock,
)
from pi_lsp.session import shapes
from pi_lsp.session.entry import Entry
from pi_lsp.session.reading import SessionReader


@dataclass(frozen=True)
class Prose:
    """Markdown."""

    text: str


@dataclass(frozen=True)
class Code:
    """Text that is shown as it stands; `language` is `diff`, `json`, `sh`, or empty."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Picture:
    """An image; `data` is base64."""

    data: str
    media_type: str


@dataclass(frozen=True)
class Folded:
    """What is opened on demand."""

    title: str
    parts: list[Prose | Code | Picture]


Part = Prose | Code | Picture | Folded
SectionKind = Literal["user", "assistant", "tool", "command", "note", "summary", "change"]


@dataclass
class Section:
    """One step of the conversation.

    Attributes:
        entry_id: of the entry that it comes from.
        title: who speaks, or what happened.
        detail: a word or two beside the title.
        failed: whether it ended badly.
    """

    kind: SectionKind
    entry_id: str
    title: str
    timestamp: str
    detail: str = ""
    label: str | None = None
    failed: bool = False
    parts: list[Part] = field(default_factory=list[Part])


@dataclass(frozen=True)
class Transcript:
    """The active path of a session.

    Attributes:
        facts: name and value of what is said above the conversation.
    """

    title: str
    facts: list[tuple[str, str]]
    sections: list[Section]


def transcript_of(session: SessionReader) -> Transcript:
    """The active path, from its first entry on."""
    sections: list[Section] = []
    calls: dict[str, Section] = {}
    for entry in session.path():
        for section in _sections(entry, calls):
            section.label = session.label_of(entry.id) if section.kind != "tool" else None
            sections.append(section)
    return Transcript(session.name or "A conversation with pi", _facts(session), sections)


def _facts(session: SessionReader) -> list[tuple[str, str]]:
    stats = session.stats()
    model = session.context().model
    return [
        ("Session", session.id),
        ("Begun", session.created),
        ("Model", "/".join(model) if model else "none yet"),
        ("Messages", str(session.message_count)),
        ("Tokens", f"{stats.tokens:,} in all branches"),
        ("Cost", f"${stats.cost:.2f}"),
    ]


def _sections(entry: Entry, calls: dict[str, Section]) -> list[Section]:
    data = entry.data
    if entry.type == "model_change":
        model = f"{shapes.text(data.get('provider'))}/{shapes.text(data.get('modelId'))}"
        return [Section("change", entry.id, "Model", entry.timestamp, model)]
    if entry.type == "thinking_level_change":
        level = shapes.text(data.get("thinkingLevel"))
        return [Section("change", entry.id, "Thinking", entry.timestamp, level)]
    # A command that was kept from the model was still part of what happened.
    shapes.members_of(data.get("message")).pop("excludeFromContext", None)
    message = shapes.message_of(data)
    return _message_sections(entry, message, calls) if message is not None else []


def _message_sections(entry: Entry, message: Message, calls: dict[str, Section]) -> list[Section]:
    when = entry.timestamp
    if message["role"] == "user":
        return [Section("user", entry.id, "You", when, parts=_parts(message["content"]))]
    if message["role"] == "assistant":
        return _answer(entry, message, calls)
    if message["role"] == "toolResult":
        return _result(entry, message, calls)
    if message["role"] == "bashExecution":
        return [_command(entry, message)]
    if message["role"] == "custom":
        if not message["display"]:
            return []
        parts = _parts(message["content"])
        return [Section("note", entry.id, message["customType"] or "Note", when, parts=parts)]
    if message["role"] == "compactionSummary":
        title, detail = "Compaction", f"of {message['tokensBefore']:,} tokens"
    else:
        title, detail = "Summary of another branch", ""
    parts: list[Part] = [Prose(message["summary"])]
    return [Section("summary", entry.id, title, when, detail, parts=parts)]


def _answer(entry: Entry, answer: AssistantMessage, calls: dict[str, Section]) -> list[Section]:
    spoken = Section("assistant", entry.id, "pi", entry.timestamp, answer["model"])
    sections = [spoken]
    for block in answer["content"]:
        if block["type"] == "text":
            if block["text"].strip():
                spoken.parts.append(Prose(block["text"]))
        elif block["type"] == "thinking":
            if block["thinking"].strip():
                spoken.parts.append(Folded("Thinking", [Prose(block["thinking"])]))
        else:
            call = _call(entry, block)
            calls[block["id"]] = call
            sections.append(call)
    if answer["stopReason"] in ("error", "aborted", "length"):
        spoken.failed = True
        spoken.parts.append(Prose(answer.get("errorMessage") or _ENDINGS[answer["stopReason"]]))
    return sections if spoken.parts else sections[1:]


_ENDINGS = {
    "error": "The answer ended in an error.",
    "aborted": "The answer was stopped.",
    "length": "The answer reached its longest length.",
}


def _call(entry: Entry, block: ToolCallBlock) -> Section:
    arguments = block["arguments"]
    target = arguments.get("command") or arguments.get("path") or arguments.get("pattern")
    section = Section("tool", entry.id, block["name"], entry.timestamp, shapes.text(target))
    section.parts.append(Folded("Arguments", [_json(arguments)]))
    return section


def _result(entry: Entry, result: ToolResultMessage, calls: dict[str, Section]) -> list[Section]:
    """Puts a result to its call; one that has none stands alone."""
    section = calls.pop(result["toolCallId"], None)
    alone = section is None
    if section is None:
        section = Section("tool", entry.id, result["toolName"] or "Tool", entry.timestamp)
    section.failed = result["isError"]
    diff = result.get("details", {}).get("diff")
    shown: list[Prose | Code | Picture] = [
        Code(block["text"]) if block["type"] == "text" else _picture(block)
        for block in result["content"]
    ]
    if isinstance(diff, str) and diff:
        section.parts.append(Code(diff, "diff"))
    section.parts.append(Folded("Error" if result["isError"] else "Result", shown))
    return [section] if alone else []


def _command(entry: Entry, execution: BashExecutionMessage) -> Section:
    code = execution["exitCode"]
    section = Section("command", entry.id, "Your command", entry.timestamp)
    section.detail = "stopped" if execution["cancelled"] else f"exit code {code}"
    section.failed = execution["cancelled"] or bool(code)
    section.parts.append(Code(execution["command"], "sh"))
    if execution["output"]:
        section.parts.append(Folded("Output", [Code(execution["output"])]))
    return section


def _parts(content: str | list[UserBlock]) -> list[Part]:
    if isinstance(content, str):
        return [Prose(content)]
    return [
        Prose(block["text"]) if block["type"] == "text" else _picture(block) for block in content
    ]


def _picture(block: Any) -> Picture:
    return Picture(block["data"], block["mimeType"])


def _json(value: JsonObject) -> Code:
    return Code(json.dumps(value, indent=2, ensure_ascii=False), "json")
