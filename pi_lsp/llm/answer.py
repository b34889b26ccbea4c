"""An answer while it is made: collects the pieces of a stream into an assistant message."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, cast

from pi_lsp.messages import (
    AssistantBlock,
    AssistantMessage,
    StopReason,
    ThinkingLevel,
    Usage,
    no_usage,
    now_ms,
)


@dataclass
class ToolCallPiece:
    """A tool call whose arguments still come in; `json` is what came so far."""

    id: str
    name: str
    pieces: list[str] = field(default_factory=list[str])

    @property
    def json(self) -> str:
        return "".join(self.pieces)

    def arguments(self) -> dict[str, Any] | None:
        """The arguments, or None when what came is no JSON object. No text at all is `{}`."""
        text = self.json.strip()
        if not text:
            return {}
        try:
            value: object = json.loads(text, parse_constant=_no_json, parse_float=_finite)
        except (ValueError, RecursionError):
            return None
        return cast("dict[str, Any]", value) if isinstance(value, dict) else None


@dataclass
class TextPiece:
    pieces: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass
class ThinkingPiece:
    """`signature` proves to the service that it wrote this; `redacted` hides the text."""

    pieces: list[str] = field(default_factory=list[str])
    signature: str = ""
    redacted: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


Piece = TextPiece | ThinkingPiece | ToolCallPiece


@dataclass
class Answer:
    """The answer of one request, so far.

    A provider appends to `pieces` in the order of the answer's content (no gaps) and sets
    `stop_reason` and `usage` when they are known.

    Attributes:
        stop_reason: None until the service has said that the answer is complete.
        error: what the service said instead of, or after, an answer.
    """

    api: str
    provider: str
    model: str
    thinking_level: ThinkingLevel = "off"
    pieces: list[Piece] = field(default_factory=list[Piece])
    usage: Usage = field(default_factory=no_usage)
    stop_reason: StopReason | None = None
    error: str | None = None
    response_id: str | None = None
    timestamp: int = field(default_factory=now_ms)

    def message(self, stop_reason: StopReason | None = None) -> AssistantMessage:
        """The answer as a message; `stop_reason` overrides what the service said.

        Arguments that are no JSON object stand as `{"__invalidJson": "<what was sent>"}`; they
        are refused when the call is to run. Empty blocks are left out.

        An answer that failed or was stopped holds no calls, as none of them is run. A result would
        have to follow each, and pi, which sends neither such an answer nor its calls again, would
        send that.
        """
        ending = stop_reason or self.stop_reason or "error"
        blocks: list[AssistantBlock] = [
            block for piece in self.pieces if (block := _block(piece)) is not None
        ]
        if ending in ("error", "aborted"):
            blocks = [block for block in blocks if block["type"] != "toolCall"]
        message: AssistantMessage = {
            "role": "assistant",
            "content": blocks,
            "api": self.api,
            "provider": self.provider,
            "model": self.model,
            "usage": self.usage,
            "stopReason": ending,
            "timestamp": self.timestamp,
        }
        if self.error is not None:
            message["errorMessage"] = self.error
        if self.response_id is not None:
            message["responseId"] = self.response_id
        if self.thinking_level != "off":
            message["thinkingLevel"] = self.thinking_level
        return message


def _no_json(constant: str) -> float:
    """`NaN` and its like, which Python reads and writes, but no other JSON parser.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"{constant} is no JSON")


def _finite(text: str) -> float:
    """A number; one that is too large to be written again is refused.

    Raises:
        ValueError: it is.
    """
    value = float(text)
    return value if math.isfinite(value) else _no_json(text)


INVALID_JSON = "__invalidJson"


def _block(piece: Piece) -> AssistantBlock | None:
    if isinstance(piece, ToolCallPiece):
        arguments = piece.arguments()
        if arguments is None:
            arguments = {INVALID_JSON: piece.json}
        return {"type": "toolCall", "id": piece.id, "name": piece.name, "arguments": arguments}
    if isinstance(piece, TextPiece):
        return {"type": "text", "text": piece.text} if piece.text else None
    if not piece.text and not piece.signature:
        return None
    block: AssistantBlock = {"type": "thinking", "thinking": piece.text}
    if piece.signature:
        block["thinkingSignature"] = piece.signature
    if piece.redacted:
        block["redacted"] = True
    return block
