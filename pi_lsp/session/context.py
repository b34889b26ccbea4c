"""From a path to what the model is sent: compactions, context edits, the model in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pi_lsp.messages import JsonObject, Message, ThinkingLevel
from pi_lsp.session import shapes
from pi_lsp.session.entry import Entry

_EDITABLE_ROLES = frozenset({"user", "assistant", "toolResult", "custom", "hookMessage"})


@dataclass(frozen=True)
class ContextMessage:
    """A message of the context, and the entry that it comes from."""

    entry_id: str
    message: Message


@dataclass(frozen=True)
class Context:
    """The model's view of a path.

    Attributes:
        messages: well-formed, in order; tool calls and results may lack each other.
        model: provider and id that the path says last; None when it says none.
        thinking_level: what the path says last; None when it says none.
    """

    messages: list[ContextMessage]
    model: tuple[str, str] | None
    thinking_level: ThinkingLevel | None


@dataclass
class ContextReader:
    """Builds contexts, and keeps the messages of the last one, so that a conversation that goes
    on costs only what is new. Entries never change, so what is kept is never stale."""

    _kept: dict[str, Message | None] = field(default_factory=dict[str, "Message | None"])

    def read(self, path: list[Entry]) -> Context:
        """The context of a path from root to leaf."""
        edits = _edits(path)
        messages: dict[str, Message | None] = {}
        context: list[ContextMessage] = []
        for entry in _selected(path):
            message = messages[entry.id] = self._message(entry)
            if entry.id in edits and _is_editable(entry):
                message = _edited(entry, edits[entry.id])
            if message is not None:
                context.append(ContextMessage(entry.id, message))
        self._kept = messages
        return Context(context, _model(path), _thinking_level(path))

    def _message(self, entry: Entry) -> Message | None:
        if entry.id in self._kept:
            return self._kept[entry.id]
        return shapes.message_of(entry.data) if _may_contribute(entry) else None


def _selected(path: list[Entry]) -> list[Entry]:
    """The last compaction first, then what it kept, then what came after it."""
    last = next((n for n in range(len(path) - 1, -1, -1) if path[n].type == "compaction"), None)
    if last is None:
        return path
    compaction = path[last]
    first_kept: Any = compaction.data.get("firstKeptEntryId")
    before = path[:last]
    start = next((n for n, entry in enumerate(before) if entry.id == first_kept), last)
    kept = [entry for entry in before[start:] if entry.type != "compaction"]
    return [compaction, *kept, *path[last + 1 :]]


def _edits(path: list[Entry]) -> dict[str, JsonObject | None]:
    """For each edited entry the replacement that is latest on the path; None omits the entry."""
    edits: dict[str, JsonObject | None] = {}
    for entry in path:
        if entry.type != "context_edit":
            continue
        data = entry.data
        target: Any = data.get("targetId")
        replacement: Any = data.get("replacement", False)
        if isinstance(target, str) and (replacement is None or _has_content(replacement)):
            edits[target] = replacement
    return edits


def _has_content(replacement: Any) -> bool:
    return isinstance(replacement, dict) and "content" in replacement


def _is_editable(entry: Entry) -> bool:
    return entry.type == "custom_message" or entry.role in _EDITABLE_ROLES


def _edited(entry: Entry, replacement: JsonObject | None) -> Message | None:
    if replacement is None:
        return None
    data = entry.data
    holder = data if entry.type == "custom_message" else shapes.members_of(data.get("message"))
    holder["content"] = replacement["content"]
    return shapes.message_of(data)


def _may_contribute(entry: Entry) -> bool:
    if entry.type == "message":
        return entry.role != "system"
    return entry.type in {"custom_message", "compaction", "branch_summary"}


def _model(path: list[Entry]) -> tuple[str, str] | None:
    for entry in reversed(path):
        if entry.type == "model_change":
            data, key = entry.data, "modelId"
        elif entry.role == "assistant":
            data, key = shapes.members_of(entry.data.get("message")), "model"
        else:
            continue
        provider, model = shapes.text(data.get("provider")), shapes.text(data.get(key))
        if provider and model:
            return provider, model
    return None


def _thinking_level(path: list[Entry]) -> ThinkingLevel | None:
    for entry in reversed(path):
        if entry.type == "thinking_level_change":
            level = shapes.thinking_level_of(entry.data.get("thinkingLevel"))
            if level is not None:
                return level
    return None
