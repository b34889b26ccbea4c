"""What a conversation is made of, and session files written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pi_lsp.messages import AssistantMessage, JsonObject, ToolResultMessage, Usage, UserMessage
from pi_lsp.session import Context, Session

SESSION_ID = "01890000-0000-7000-8000-000000000001"
FILE_NAME = f"2026-01-31T09-15-02-118Z_{SESSION_ID}.jsonl"
CREATED = "2026-01-31T09:15:02.118Z"


def user(text: str) -> UserMessage:
    return {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}


def usage(tokens: int = 10, cost: float = 0.5) -> Usage:
    return {
        "input": tokens,
        "output": tokens,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 2 * tokens,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost},
    }


def answer(text: str, *, model: str = "sonnet") -> AssistantMessage:
    return {
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": model,
        "usage": usage(),
        "stopReason": "stop",
        "timestamp": 2,
    }


def call(call_id: str, name: str = "read", arguments: JsonObject | None = None) -> AssistantMessage:
    message = answer("")
    message["content"] = [
        {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments or {}}
    ]
    message["stopReason"] = "toolUse"
    return message


def result(call_id: str, text: str = "done") -> ToolResultMessage:
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": "read",
        "content": [{"type": "text", "text": text}],
        "isError": False,
        "timestamp": 3,
    }


def texts(context: Context) -> list[str]:
    """The context in short: the text or the summary of each message."""
    return [_text(one.message) for one in context.messages]


def _text(message: Any) -> str:
    if "summary" in message:
        return f"[{message['summary']}]"
    content = message.get("content", message.get("command"))
    if isinstance(content, str):
        return content
    return "".join(block.get("text", block["type"]) for block in content)


def header(**members: Any) -> JsonObject:
    return {
        "type": "session",
        "version": 3,
        "id": SESSION_ID,
        "timestamp": CREATED,
        "cwd": "/somewhere",
        **members,
    }


def entry(entry_id: str, parent: str | None, kind: str = "message", **members: Any) -> JsonObject:
    """An entry as a file has it; a message is a user's whose text is the entry's id."""
    if kind == "message" and "message" not in members:
        members["message"] = user(entry_id)
    head = {"type": kind, "id": entry_id, "parentId": parent, "timestamp": CREATED}
    return {**head, **members}


def chain(*ids: str) -> list[JsonObject]:
    """Entries that hang from each other."""
    return [entry(one, parent) for one, parent in zip(ids, (None, *ids), strict=False)]


def lines(objects: Iterable[JsonObject]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def write_session(folder: Path, content: bytes | list[JsonObject], name: str = FILE_NAME) -> Path:
    """Puts a file among the folder's sessions; a list of entries gets a header."""
    directory = folder / ".pi" / "sessions"
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / name
    data = content if isinstance(content, bytes) else lines([header(), *content])
    file.write_bytes(data)
    return file


def stored(session: Session) -> list[JsonObject]:
    """The lines of the session's file, as any reader of JSON lines finds them."""
    return [json.loads(line) for line in session.file.read_text(encoding="utf-8").split("\n")[:-1]]
