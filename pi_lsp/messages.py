"""The words of a conversation: messages and their blocks, as they stand in a session file.

They are plain JSON objects with the file's own member names (`stopReason`, `toolCallId`), typed
here, so that members that we do not know survive from one file to another. All other modules
speak of messages in these types; nothing here reads, writes or sends anything.

What comes from a file may be of any shape: `pi_lsp.session.context` makes it well-formed before
anybody else sees it.
"""

from __future__ import annotations

import time
from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

JsonObject = dict[str, Any]

StopReason = Literal["stop", "length", "toolUse", "error", "aborted"]
ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
THINKING_LEVELS: tuple[ThinkingLevel, ...] = (
    "off",
    "minimal",
    "low",
    "medium",
    "high",
    "xhigh",
    "max",
)


class TextBlock(TypedDict):
    type: Literal["text"]
    text: str


class ImageBlock(TypedDict):
    """A picture; `data` is base64."""

    type: Literal["image"]
    data: str
    mimeType: str


class ThinkingBlock(TypedDict):
    """What the model thought; only with its signature may it be sent again, to the same model."""

    type: Literal["thinking"]
    thinking: str
    thinkingSignature: NotRequired[str]
    redacted: NotRequired[bool]


class ToolCallBlock(TypedDict):
    type: Literal["toolCall"]
    id: str
    name: str
    arguments: JsonObject


UserBlock = TextBlock | ImageBlock
AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock


class Cost(TypedDict):
    """US dollars."""

    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class Usage(TypedDict):
    """Tokens of one answer, and what they cost."""

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    totalTokens: int
    cost: Cost


class UserMessage(TypedDict):
    role: Literal["user"]
    content: str | list[UserBlock]
    timestamp: int


class AssistantMessage(TypedDict):
    role: Literal["assistant"]
    content: list[AssistantBlock]
    api: str
    provider: str
    model: str
    usage: Usage
    stopReason: StopReason
    timestamp: int
    errorMessage: NotRequired[str]
    responseId: NotRequired[str]
    thinkingLevel: NotRequired[ThinkingLevel]


class ToolResultMessage(TypedDict):
    role: Literal["toolResult"]
    toolCallId: str
    toolName: str
    content: list[UserBlock]
    details: NotRequired[JsonObject]
    isError: bool
    timestamp: int


class BashExecutionMessage(TypedDict):
    """A command that the person ran; `exitCode` is null when it was cancelled."""

    role: Literal["bashExecution"]
    command: str
    output: str
    exitCode: int | None
    cancelled: bool
    truncated: bool
    fullOutputPath: NotRequired[str]
    excludeFromContext: NotRequired[bool]
    timestamp: int


class CustomMessage(TypedDict):
    """What another program (an extension of pi) put into the conversation."""

    role: Literal["custom"]
    customType: str
    content: str | list[UserBlock]
    display: bool
    details: NotRequired[Any]
    timestamp: int


class CompactionSummaryMessage(TypedDict):
    """A compaction as it stands in the context, in place of all that it summarises."""

    role: Literal["compactionSummary"]
    summary: str
    tokensBefore: int
    timestamp: int


class BranchSummaryMessage(TypedDict):
    """A branch summary as it stands in the context; `fromId` is the leaf that was left."""

    role: Literal["branchSummary"]
    summary: str
    fromId: str
    timestamp: int


Message = (
    UserMessage
    | AssistantMessage
    | ToolResultMessage
    | BashExecutionMessage
    | CustomMessage
    | CompactionSummaryMessage
    | BranchSummaryMessage
)


def now_ms() -> int:
    """The time now, in ms since the epoch, as message timestamps are."""
    return time.time_ns() // 1_000_000


def no_usage() -> Usage:
    """A usage of nothing, for an answer that never came."""
    cost: Cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
    return {
        "input": 0,
        "output": 0,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 0,
        "cost": cost,
    }


def text_of(content: str | list[UserBlock] | list[AssistantBlock]) -> str:
    """All text of a message's content; blocks are joined by a line break."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def tool_calls(message: AssistantMessage) -> list[ToolCallBlock]:
    """The tool calls of an answer, in the order of the model."""
    return [block for block in message["content"] if block["type"] == "toolCall"]
