"""Turns the parts of a reply into the events of the stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count, pairwise
from typing import Any

from tests.messages_api.parts import (
    Comment,
    Cut,
    Delay,
    ErrorEvent,
    Event,
    Gate,
    Part,
    Ping,
    Raw,
    Redacted,
    Reply,
    Text,
    Thinking,
    ToolCall,
)
from tests.messages_api.requests import ApiRequest

Json = dict[str, Any]
Step = bytes | Gate | Cut | Delay

_ids = count(1)


def steps(reply: Reply, request: ApiRequest) -> Iterator[Step]:
    """What the server does for a reply: bytes to send, and where it waits or breaks off."""
    yield _event(_message_start(reply, request), reply)
    index = 0
    for part in reply.parts:
        if isinstance(part, Gate | Cut | Delay):
            yield part
        elif isinstance(part, Text | Thinking | Redacted | ToolCall):
            for event in _block_events(part, index):
                yield _event(event, reply)
            index += 1
        else:
            yield _other(part, reply)
        if isinstance(part, Cut | ErrorEvent):
            return
    yield _event(_message_delta(reply, request), reply)
    if reply.message_stop:
        yield _event({"type": "message_stop"}, reply)


def _message_start(reply: Reply, request: ApiRequest) -> Json:
    usage = {"input_tokens": _estimate(request.size), "output_tokens": 1}
    return {
        "type": "message_start",
        "message": {
            "id": f"msg_{next(_ids):06d}",
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model"),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage if reply.start_usage is None else reply.start_usage,
        },
    }


def _message_delta(reply: Reply, request: ApiRequest) -> Json:
    has_calls = any(isinstance(part, ToolCall) for part in reply.parts)
    delta: Json = {
        "stop_reason": reply.stop_reason or ("tool_use" if has_calls else "end_turn"),
        "stop_sequence": None,
    }
    if reply.stop_details is not None:
        delta["stop_details"] = reply.stop_details
    event: Json = {"type": "message_delta", "delta": delta}
    if reply.usage is None:
        event["usage"] = {"output_tokens": sum(_output_tokens(part) for part in reply.parts)}
    elif reply.usage:
        event["usage"] = reply.usage
    return event


def _block_events(part: Text | Thinking | Redacted | ToolCall, index: int) -> Iterator[Json]:
    start, deltas = _block(part)
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _block(part: Text | Thinking | Redacted | ToolCall) -> tuple[Json, list[Json]]:
    """The start of a block, and its deltas."""
    if isinstance(part, Redacted):
        return {"type": "redacted_thinking", "data": part.data}, []
    if isinstance(part, Text):
        start, rest = part.text[: part.in_start], part.text[part.in_start :]
        deltas = [{"type": "text_delta", "text": piece} for piece in _cut(rest, part.pieces)]
        return {"type": "text", "text": start}, deltas
    if isinstance(part, Thinking):
        start, rest = part.thinking[: part.in_start], part.thinking[part.in_start :]
        deltas = [{"type": "thinking_delta", "thinking": one} for one in _cut(rest, part.pieces)]
        if part.signature is not None:
            deltas.append({"type": "signature_delta", "signature": part.signature})
        return {"type": "thinking", "thinking": start, "signature": ""}, deltas
    call = {"type": "tool_use", "id": f"toolu_{next(_ids):06d}", "name": part.name, "input": {}}
    if part.id is not None:
        call["id"] = part.id
    if part.whole_in_start:
        return {**call, "input": part.arguments}, []
    text = part.arguments if isinstance(part.arguments, str) else json.dumps(part.arguments)
    pieces = ["", *_cut(text, part.pieces)]
    return call, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _other(part: Part, reply: Reply) -> bytes:
    end = reply.line_end
    if isinstance(part, Ping):
        return _event({"type": "ping"}, reply)
    if isinstance(part, Comment):
        return f": {part.text}{end}{end}".encode()
    if isinstance(part, ErrorEvent):
        error = {"type": part.kind, "message": part.message}
        return _event({"type": "error", "error": error, "request_id": "req_test"}, reply)
    if isinstance(part, Event):
        data = part.data if isinstance(part.data, str) else json.dumps(part.data)
        name = f"event: {part.name}{end}" if part.name is not None else ""
        return f"{name}data: {data}{end}{end}".encode()
    assert isinstance(part, Raw)
    return part.content


def _event(data: Json, reply: Reply) -> bytes:
    end = reply.line_end
    text = json.dumps(data, ensure_ascii=False)
    return f"event: {data['type']}{end}data: {text}{end}{end}".encode()


def _cut(text: str, pieces: int) -> list[str]:
    """The text in so many pieces of about one length; none when it is empty."""
    if not text:
        return []
    pieces = min(pieces, len(text))
    marks = [len(text) * number // pieces for number in range(pieces + 1)]
    return [text[start:end] for start, end in pairwise(marks)]


def _output_tokens(part: Part) -> int:
    if isinstance(part, Text):
        return _estimate(len(part.text))
    if isinstance(part, Thinking):
        return _estimate(len(part.thinking))
    if isinstance(part, ToolCall):
        return _estimate(len(json.dumps(part.arguments))) + 10
    return 0


def _estimate(characters: int) -> int:
    return characters // 4 + 1
