"""States and entries as the server would tell them, for the scripted server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

JsonObject = dict[str, Any]

MODEL: JsonObject = {
    "provider": "demo",
    "id": "demo",
    "name": "Demo",
    "contextWindow": 200000,
    "maxTokens": 8192,
    "reasoning": True,
    "thinkingLevels": ["off", "low", "medium", "high"],
    "input": ["text"],
    "available": True,
}


def state(**changes: Any) -> JsonObject:
    """A `State` of an idle session."""
    return {
        "seq": 0,
        "sessionId": "session",
        "file": "/tmp/session.jsonl",
        "phase": "idle",
        "leafId": None,
        "model": MODEL,
        "thinkingLevel": "medium",
        "queues": {"steer": [], "followUp": [], "nextTurn": []},
        "steeringMode": "one-at-a-time",
        "followUpMode": "one-at-a-time",
        "autoCompaction": True,
        "approvalMode": "ask",
        "context": {"tokens": 68000, "window": 200000, "percent": 34.0},
        "usage": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "cost": 0.12},
        "pendingApprovals": [],
        "runningTools": [],
        "canContinue": False,
        "messageCount": 0,
        "readOnly": False,
        "trusted": True,
        "warnings": [],
        **changes,
    }


def user(text: str) -> JsonObject:
    return {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 0}


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def thinking_block(text: str) -> JsonObject:
    return {"type": "thinking", "thinking": text, "thinkingSignature": "x"}


def call_block(number: str, name: str, **arguments: Any) -> JsonObject:
    return {"type": "toolCall", "id": number, "name": name, "arguments": arguments}


def assistant(*blocks: JsonObject, stop_reason: str = "stop", **more: Any) -> JsonObject:
    return {
        "role": "assistant",
        "content": list(blocks),
        "provider": "demo",
        "model": "demo",
        "stopReason": stop_reason,
        "timestamp": 0,
        **more,
    }


def result(number: str, name: str, text: str, **more: Any) -> JsonObject:
    return {
        "role": "toolResult",
        "toolCallId": number,
        "toolName": name,
        "content": [text_block(text)],
        "isError": False,
        "timestamp": 0,
        **more,
    }


def entries(*messages: JsonObject) -> list[JsonObject]:
    """Entries of these messages, one below the other."""
    made: list[JsonObject] = []
    for number, message in enumerate(messages):
        made.append(
            {
                "type": "message",
                "id": f"{number:08x}",
                "parentId": f"{number - 1:08x}" if number else None,
                "timestamp": "2026-01-01T00:00:00.000Z",
                "message": message,
            }
        )
    return made


def page(*messages: JsonObject, more: bool = False) -> JsonObject:
    """The result of `pi/entries`."""
    made = entries(*messages)
    return {"entries": made, "leafId": made[-1]["id"] if made else None, "more": more}


_entry_numbers = itertools.count(0x1000)


def message_events(message: JsonObject) -> Iterator[JsonObject]:
    """What is told of a message that enters whole."""
    yield {"type": "message_start", "message": message}
    yield {
        "type": "message_end",
        "message": message,
        "entryId": f"{next(_entry_numbers):08x}",
    }


def update(index: int, delta: str, kind: str = "text", **more: Any) -> JsonObject:
    return {
        "type": "message_update",
        "contentIndex": index,
        "kind": kind,
        "delta": delta,
        **more,
    }
