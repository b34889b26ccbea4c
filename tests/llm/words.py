"""Short ways to write conversations and requests in these tests."""

from __future__ import annotations

import base64
import itertools
import struct
import zlib
from typing import Any

from pi_lsp.llm.answer import Answer
from pi_lsp.llm.catalogue import Catalogue
from pi_lsp.llm.provider import Delta, Model, Provider, Request, ToolSpec
from pi_lsp.messages import (
    AssistantBlock,
    AssistantMessage,
    ImageBlock,
    Message,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    no_usage,
)
from pi_lsp.messages import text_of as text_content

_clock = itertools.count(1)

READ = ToolSpec("read", "Read a file.", {"type": "object", "properties": {}})


def model(model_id: str = "claude-sonnet-5-5") -> Model:
    """A model of the built-in list; the usual one takes adaptive thinking and images."""
    found = Catalogue().find("anthropic", model_id)
    assert found is not None
    return found


OLDER = "claude-sonnet-4-5"
"""A model with thinking budgets."""


def text(words: str) -> TextBlock:
    return {"type": "text", "text": words}


def thought(words: str, signature: str = "signed") -> ThinkingBlock:
    return {"type": "thinking", "thinking": words, "thinkingSignature": signature}


def call(call_id: str, name: str = "read", **arguments: Any) -> ToolCallBlock:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def user(*blocks: str | UserBlock) -> UserMessage:
    """A user's message; strings become text blocks."""
    content: list[UserBlock] = [text(one) if isinstance(one, str) else one for one in blocks]
    return {"role": "user", "content": content, "timestamp": next(_clock)}


def assistant(
    *blocks: str | AssistantBlock,
    stop: StopReason | None = None,
    of: str = "claude-sonnet-5-5",
    provider: str = "anthropic",
) -> AssistantMessage:
    """An answer; it ended with its calls, if it has some, unless `stop` says otherwise."""
    content: list[AssistantBlock] = [text(b) if isinstance(b, str) else b for b in blocks]
    calls = any(block["type"] == "toolCall" for block in content)
    return {
        "role": "assistant",
        "content": content,
        "api": "anthropic-messages",
        "provider": provider,
        "model": of,
        "usage": no_usage(),
        "stopReason": stop or ("toolUse" if calls else "stop"),
        "timestamp": next(_clock),
    }


def result(
    call_id: str, *blocks: str | UserBlock, error: bool = False, name: str = "read"
) -> ToolResultMessage:
    content: list[UserBlock] = [text(one) if isinstance(one, str) else one for one in blocks]
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": name,
        "content": content,
        "isError": error,
        "timestamp": next(_clock),
    }


def compaction(summary: str) -> Message:
    return {
        "role": "compactionSummary",
        "summary": summary,
        "tokensBefore": 1000,
        "timestamp": next(_clock),
    }


def request(*messages: Message, of: Model | None = None, **options: Any) -> Request:
    """A request to the usual model."""
    return Request(of or model(), options.pop("system", "Be brief."), list(messages), **options)


def png(width: int = 8, height: int = 8, *, padding: int = 0) -> bytes:
    """A png of this size in pixels; `padding` bytes of noise make it larger."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * min(height * (width + 1), 10_000))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + (chunk(b"teXt", b"x" * padding) if padding else b"")
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )


def text_of_user(message: Any) -> str | None:
    """The text of a user's message; None for any other."""
    return text_content(message["content"]) if message["role"] == "user" else None


def image(content: bytes | None = None, mime_type: str = "image/png") -> ImageBlock:
    data = base64.b64encode(png() if content is None else content).decode()
    return {"type": "image", "data": data, "mimeType": mime_type}


async def answer_of(provider: Provider, asked: Request) -> tuple[Answer, list[Delta]]:
    """Ask to the end: the answer, and the deltas that came."""
    answer = new_answer(asked)
    deltas = [delta async for delta in provider.stream(asked, answer)]
    return answer, deltas


def new_answer(asked: Request) -> Answer:
    return Answer(asked.model.api, asked.model.provider, asked.model.id, asked.thinking_level)
