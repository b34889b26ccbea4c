"""Reads the events of a Messages stream into an answer.

Events are plain JSON objects. Unknown kinds of events, blocks and deltas are passed over, as the
API asks of its clients: https://platform.claude.com/docs/en/build-with-claude/streaming.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

from pi_lsp.errors import ProviderError
from pi_lsp.llm.answer import Answer, Piece, TextPiece, ThinkingPiece, ToolCallPiece
from pi_lsp.llm.cost import Tokens, priced
from pi_lsp.llm.provider import Delta, DeltaKind, Model
from pi_lsp.messages import StopReason

EVENTS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
    }
)
"""The events that count; what others hold may be anything."""

_STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "toolUse",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}

_MOST_TOKENS = 10**12
"""A usage above this is a mistake of the service."""


@dataclass
class _OpenBlock:
    """A block of the service that streams now, and the piece of the answer that it became.

    A text or thinking block becomes a piece with its first content, so that empty ones leave no
    gap. `input` is what the start of a tool call already said of its arguments.
    """

    kind: str
    place: int | None = None
    input: Any = None


class AnswerReader:
    """Fills an answer, event by event.

    Attributes:
        complete: the service has said that the answer ends here.
    """

    def __init__(self, answer: Answer, model: Model) -> None:
        self.complete = False
        self._answer = answer
        self._model = model
        self._tokens = Tokens()
        self._blocks: dict[int, _OpenBlock] = {}
        self._stop_reason: str | None = None
        self._stop_details: Any = None

    def read(self, event: dict[str, Any]) -> Delta | None:
        """Take in one event; what it adds for a listener, if anything.

        Raises:
            LookupError, TypeError, AttributeError: the event is not as the API says.
        """
        kind = event["type"]
        if kind == "content_block_delta":
            return self._content(event["index"], event["delta"])
        if kind == "content_block_start":
            return self._start(event["index"], event["content_block"])
        if kind == "content_block_stop":
            return self._end_of_block(event["index"])
        if kind == "message_start":
            self._answer.response_id = _text(event["message"].get("id")) or None
            self._count(event["message"].get("usage"))
        elif kind == "message_delta":
            self._stop_reason = _text(event["delta"].get("stop_reason")) or self._stop_reason
            self._stop_details = event["delta"].get("stop_details")
            self._count(event.get("usage"))
        elif kind == "message_stop":
            self.complete = True
        return None

    def finish(self) -> None:
        """Say why the complete answer ended.

        Raises:
            ProviderError: the model refused, or the service stopped for a reason not known here.
        """
        reason = self._stop_reason or "end_turn"
        if reason == "refusal":
            raise ProviderError(_refusal(self._stop_details))
        if reason not in _STOP_REASONS:
            raise ProviderError(
                f"The service stopped the answer for a reason that is not known here "
                f"(“{reason[:80]}”). Ask again, or in other words."
            )
        stop = _STOP_REASONS[reason]
        if stop != "length":
            # Some services that speak this API say `end_turn` with calls, or `tool_use` without.
            calls = any(isinstance(piece, ToolCallPiece) for piece in self._answer.pieces)
            stop = "toolUse" if calls else "stop"
        self._answer.stop_reason = stop

    # --- blocks ---------------------------------------------------------------------------------

    def _start(self, index: int, block: dict[str, Any]) -> Delta | None:
        kind = block["type"]
        opened = self._blocks[index] = _OpenBlock(kind)
        if kind == "tool_use":
            return self._start_of_call(opened, block)
        if kind == "text":
            return self._words(opened, _text(block.get("text")))
        if kind == "thinking":
            delta = self._words(opened, _text(block.get("thinking")))
            self._sign(opened, _text(block.get("signature")))
            return delta
        if kind == "redacted_thinking":
            self._place(opened, ThinkingPiece(signature=_text(block["data"]), redacted=True))
        return None

    def _content(self, index: int, delta: dict[str, Any]) -> Delta | None:
        kind = delta["type"]
        if kind == "text_delta":
            return self._words(self._block(index, "text"), _text(delta["text"]))
        if kind == "thinking_delta":
            return self._words(self._block(index, "thinking"), _text(delta["thinking"]))
        if kind == "signature_delta":
            self._sign(self._block(index, "thinking"), _text(delta["signature"]))
        elif kind == "input_json_delta":
            return self._arguments(self._blocks[index], _text(delta["partial_json"]))
        return None

    def _end_of_block(self, index: int) -> Delta | None:
        block = self._blocks.pop(index, None)
        if block is None or not block.input or block.place is None:
            return None
        piece = self._answer.pieces[block.place]
        if isinstance(piece, ToolCallPiece) and not piece.pieces:
            return self._arguments(block, json.dumps(block.input))
        return None

    def _block(self, index: int, kind: str) -> _OpenBlock:
        """The open block; one whose start never came is opened by its first content."""
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = _OpenBlock(kind)
        return block

    def _start_of_call(self, opened: _OpenBlock, block: dict[str, Any]) -> Delta:
        opened.input = block.get("input")
        piece = ToolCallPiece(id=self._unused_id(block.get("id")), name=_text(block["name"]))
        place = self._place(opened, piece)
        return Delta(place, "toolCall", "", tool_call_id=piece.id, tool_name=piece.name)

    def _words(self, block: _OpenBlock, text: str) -> Delta | None:
        """Some text of a text or thinking block."""
        if not text:
            return None
        if block.place is None:
            self._place(block, TextPiece() if block.kind == "text" else ThinkingPiece())
        return self._add(block, "text" if block.kind == "text" else "thinking", text)

    def _sign(self, block: _OpenBlock, signature: str) -> None:
        if not signature:
            return
        if block.place is None:
            self._place(block, ThinkingPiece())
        piece = self._answer.pieces[_placed(block)]
        if isinstance(piece, ThinkingPiece):
            piece.signature += signature

    def _arguments(self, block: _OpenBlock, text: str) -> Delta | None:
        return self._add(block, "toolCall", text) if text else None

    def _add(self, block: _OpenBlock, kind: DeltaKind, text: str) -> Delta:
        place = _placed(block)
        self._answer.pieces[place].pieces.append(text)
        return Delta(place, kind, text)

    def _place(self, block: _OpenBlock, piece: Piece) -> int:
        block.place = len(self._answer.pieces)
        self._answer.pieces.append(piece)
        return block.place

    def _unused_id(self, call_id: Any) -> str:
        """The call's id; one of our own when it has none, or another call of this answer has it."""
        used = {piece.id for piece in self._answer.pieces if isinstance(piece, ToolCallPiece)}
        if isinstance(call_id, str) and call_id and call_id not in used:
            return call_id
        return f"call_{uuid.uuid4().hex}"

    # --- usage ----------------------------------------------------------------------------------

    def _count(self, usage: dict[str, Any] | None) -> None:
        """Take over what a usage says; what it leaves out stays as it was."""
        if not usage:
            return
        known = self._tokens
        self._tokens = Tokens(
            input=_tokens(usage.get("input_tokens"), known.input),
            output=_tokens(usage.get("output_tokens"), known.output),
            cache_read=_tokens(usage.get("cache_read_input_tokens"), known.cache_read),
            cache_write=_tokens(usage.get("cache_creation_input_tokens"), known.cache_write),
        )
        self._answer.usage = priced(self._model, self._tokens)


def _placed(block: _OpenBlock) -> int:
    if block.place is None:
        raise LookupError(f"content for a block of kind {block.kind} that has no start")
    return block.place


def _text(value: Any) -> str:
    """A text of the service; "" for null.

    Raises:
        TypeError: it is something else, which nothing that comes later could take.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value


def _tokens(told: Any, known: int) -> int:
    """A count that is believed, or the one that is known."""
    is_count = isinstance(told, int) and not isinstance(told, bool)
    return told if is_count and 0 <= told <= _MOST_TOKENS else known


def _refusal(details: Any) -> str:
    explanation = details.get("explanation") if isinstance(details, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    because = f": {explanation}" if isinstance(explanation, str) and explanation else "."
    return (
        f"The model refused to answer{because} Go on from an earlier message, in other words, "
        "or choose another model."
    )
