"""Makes well-formed messages of whatever a session file holds.

A message with null or missing content is empty, a block that is none of the known ones is left
out, a member of the wrong type counts as absent, and what a stream left in a block by accident
does not go on. So everybody above may trust the types of `pi_lsp.messages`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, cast

from pi_lsp.messages import (
    THINKING_LEVELS,
    AssistantBlock,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageBlock,
    JsonObject,
    Message,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ThinkingLevel,
    ToolCallBlock,
    ToolResultMessage,
    Usage,
    UserBlock,
    UserMessage,
)

_STOP_REASONS: tuple[StopReason, ...] = ("stop", "length", "toolUse", "error", "aborted")


def message_of(data: JsonObject) -> Message | None:
    """What an entry contributes to the context; None when it is nothing.

    Args:
        data: all members of the entry's line.
    """
    kind: Any = data.get("type")
    if kind == "message":
        message = members_of(data.get("message"))
        shape = _ROLES.get(text(message.get("role")))
        own = message.get("timestamp")
        if shape is not None and _is_number(own):
            return shape(message, integer(own))
    else:
        message, shape = data, _TYPES.get(text(kind))
    return shape(message, ms_of(data.get("timestamp"))) if shape is not None else None


def _user(message: JsonObject, timestamp: int) -> UserMessage:
    return {"role": "user", "content": _content(message), "timestamp": timestamp}


def _assistant(message: JsonObject, timestamp: int) -> AssistantMessage:
    answer: AssistantMessage = {
        "role": "assistant",
        "content": _assistant_blocks(message.get("content")),
        "api": text(message.get("api")),
        "provider": text(message.get("provider")),
        "model": text(message.get("model")),
        "usage": usage_of(message.get("usage")),
        "stopReason": _stop_reason(message.get("stopReason")),
        "timestamp": timestamp,
    }
    if error := text(message.get("errorMessage")):
        answer["errorMessage"] = error
    if response := text(message.get("responseId")):
        answer["responseId"] = response
    if level := thinking_level_of(message.get("thinkingLevel")):
        answer["thinkingLevel"] = level
    return answer


def _tool_result(message: JsonObject, timestamp: int) -> ToolResultMessage:
    result: ToolResultMessage = {
        "role": "toolResult",
        "toolCallId": text(message.get("toolCallId")),
        "toolName": text(message.get("toolName")),
        "content": _blocks(message.get("content")),
        "isError": message.get("isError") is True,
        "timestamp": timestamp,
    }
    if isinstance(message.get("details"), dict):
        result["details"] = message["details"]
    return result


def _bash_execution(message: JsonObject, timestamp: int) -> BashExecutionMessage | None:
    if message.get("excludeFromContext") is True:
        return None
    code = message.get("exitCode")
    execution: BashExecutionMessage = {
        "role": "bashExecution",
        "command": text(message.get("command")),
        "output": text(message.get("output")),
        "exitCode": integer(code) if _is_number(code) else None,
        "cancelled": message.get("cancelled") is True,
        "truncated": message.get("truncated") is True,
        "timestamp": timestamp,
    }
    if path := text(message.get("fullOutputPath")):
        execution["fullOutputPath"] = path
    return execution


def _custom(message: JsonObject, timestamp: int) -> CustomMessage:
    custom: CustomMessage = {
        "role": "custom",
        "customType": text(message.get("customType")),
        "content": _content(message),
        "display": message.get("display") is not False,
        "timestamp": timestamp,
    }
    if message.get("details") is not None:
        custom["details"] = message["details"]
    return custom


def _compaction(data: JsonObject, timestamp: int) -> CompactionSummaryMessage:
    return {
        "role": "compactionSummary",
        "summary": text(data.get("summary")),
        "tokensBefore": integer(data.get("tokensBefore")),
        "timestamp": timestamp,
    }


def _branch_summary(data: JsonObject, timestamp: int) -> BranchSummaryMessage | None:
    summary = text(data.get("summary"))
    if not summary:
        return None
    return {
        "role": "branchSummary",
        "summary": summary,
        "fromId": text(data.get("fromId")),
        "timestamp": timestamp,
    }


_Shape = Callable[[JsonObject, int], "Message | None"]

_TYPES: dict[str, _Shape] = {
    "custom_message": _custom,
    "compaction": _compaction,
    "branch_summary": _branch_summary,
}
_ROLES: dict[str, _Shape] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
    "bashExecution": _bash_execution,
    "custom": _custom,
    "hookMessage": _custom,  # version 2's word, found in a file that calls itself version 3
}


def _content(message: JsonObject) -> str | list[UserBlock]:
    content: Any = message.get("content")
    return content if isinstance(content, str) else _blocks(content)


def _blocks(content: Any) -> list[UserBlock]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    shaped = (_text_block(block) or _image_block(block) for block in objects(content))
    return [block for block in shaped if block is not None]


def _assistant_blocks(content: Any) -> list[AssistantBlock]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    shaped = (
        _text_block(block) or _thinking_block(block) or _tool_call(block)
        for block in objects(content)
    )
    return [block for block in shaped if block is not None]


def _text_block(block: JsonObject) -> TextBlock | None:
    if block.get("type") != "text" or not isinstance(block.get("text"), str):
        return None
    return {"type": "text", "text": block["text"]}


def _image_block(block: JsonObject) -> ImageBlock | None:
    data, media = block.get("data"), block.get("mimeType")
    if block.get("type") != "image" or not isinstance(data, str) or not isinstance(media, str):
        return None
    return {"type": "image", "data": data, "mimeType": media}


def _thinking_block(block: JsonObject) -> ThinkingBlock | None:
    if block.get("type") != "thinking":
        return None
    shaped: ThinkingBlock = {"type": "thinking", "thinking": text(block.get("thinking"))}
    if signature := text(block.get("thinkingSignature")):
        shaped["thinkingSignature"] = signature
    if block.get("redacted") is True:
        shaped["redacted"] = True
    return shaped


def _tool_call(block: JsonObject) -> ToolCallBlock | None:
    name = text(block.get("name"))
    if block.get("type") != "toolCall" or not name:
        return None
    return {
        "type": "toolCall",
        "id": text(block.get("id")),
        "name": name,
        "arguments": _arguments(block.get("arguments")),
    }


def _arguments(value: Any) -> JsonObject:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return members_of(value)


def usage_of(value: Any) -> Usage:
    """Tokens and US dollars, each a number of its kind and not below 0."""
    usage = members_of(value)
    cost = members_of(usage.get("cost"))
    return {
        "input": integer(usage.get("input")),
        "output": integer(usage.get("output")),
        "cacheRead": integer(usage.get("cacheRead")),
        "cacheWrite": integer(usage.get("cacheWrite")),
        "totalTokens": integer(usage.get("totalTokens")),
        "cost": {
            "input": _amount(cost.get("input")),
            "output": _amount(cost.get("output")),
            "cacheRead": _amount(cost.get("cacheRead")),
            "cacheWrite": _amount(cost.get("cacheWrite")),
            "total": _amount(cost.get("total")),
        },
    }


def thinking_level_of(value: Any) -> ThinkingLevel | None:
    """The level, when it is one."""
    return value if isinstance(value, str) and value in THINKING_LEVELS else None


def _stop_reason(value: Any) -> StopReason:
    if value == "pending":  # pi's word for an answer that was still streaming
        return "aborted"
    return value if isinstance(value, str) and value in _STOP_REASONS else "stop"


def ms_of(timestamp: Any) -> int:
    """An entry's timestamp in ms since the epoch; 0 when it is none."""
    if not isinstance(timestamp, str):
        return 0
    try:
        moment = datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0, int(moment.timestamp() * 1000))


def members_of(value: Any) -> JsonObject:
    """The value if it is a JSON object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def text(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int:
    """The value as a whole number not below 0; 0 if it is no number."""
    return max(0, int(value)) if _is_number(value) else 0


def _amount(value: Any) -> float:
    return max(0.0, float(value)) if _is_number(value) else 0.0


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every double
        return False


def objects(content: Any) -> list[JsonObject]:
    """The items of a list that are JSON objects."""
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    return [cast(JsonObject, block) for block in blocks if isinstance(block, dict)]
