"""What the real Messages API demands of a request; a sentence for each rule that one breaks.

The wordings are like those of the real API where clients match on them.
Source: https://platform.claude.com/docs/en/api/messages, and its error messages.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

Json = dict[str, Any]

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_EFFORTS = {"low", "medium", "high", "xhigh", "max"}
_MAGIC = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


def problems_of(body: Json) -> list[str]:
    """All rules that the body of a request breaks, in the API's words."""
    return list(_problems(body))


def _problems(body: Json) -> Iterator[str]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: must be greater than or equal to 1"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    yield from _surrogates(body)
    yield from _order(messages)
    for position, message in enumerate(messages):
        yield from _message(f"messages.{position}", message)
    yield from _calls(messages)
    yield from _images(messages)
    yield from _tools(body)
    yield from _system(body)
    yield from _cache_marks(body)
    yield from _thinking(body)


def _surrogates(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            yield "The request body is not valid JSON: no low surrogate in string"
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _surrogates(key)
            yield from _surrogates(member)
    elif isinstance(value, list):
        for item in value:
            yield from _surrogates(item)
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        yield "The request body is not valid JSON: expected value"


def _order(messages: list[Json]) -> Iterator[str]:
    roles = [message.get("role") for message in messages]
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    for position, (before, role) in enumerate(pairwise(roles), start=1):
        if before == role:
            yield (
                f"messages.{position}: roles must alternate between "
                '"user" and "assistant", but found multiple in a row'
            )
    if roles[-1] == "assistant":
        yield (
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )


def _message(where: str, message: Json) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        yield f"{where}.role: Input should be 'user' or 'assistant'"
    if isinstance(content, str):
        if not content.strip():
            yield f"{where}: all messages must have non-empty content"
        return
    if not isinstance(content, list) or not content:
        yield f"{where}: all messages must have non-empty content"
        return
    allowed = (
        {"text", "image", "tool_result"}
        if role == "user"
        else {"text", "thinking", "redacted_thinking", "tool_use"}
    )
    for number, block in enumerate(content):
        place = f"{where}.content.{number}"
        if block.get("type") not in allowed:
            yield f"{place}: a {role} message may not hold a block of type {block.get('type')}"
        else:
            yield from _block(place, block)
    if role == "assistant" and content[-1].get("type") in ("thinking", "redacted_thinking"):
        yield f"{where}: The final block in an assistant message cannot be `thinking`."


def _block(where: str, block: Json) -> Iterator[str]:
    kind = block["type"]
    if kind == "text":
        if not isinstance(block.get("text"), str) or not block["text"].strip():
            yield f"{where}: text content blocks must contain non-whitespace text"
    elif kind == "thinking":
        if not isinstance(block.get("thinking"), str):
            yield f"{where}.thinking.thinking: Field required"
        if not isinstance(block.get("signature"), str) or not block["signature"]:
            yield f"{where}: Invalid `signature` in `thinking` block"
    elif kind == "redacted_thinking":
        if not isinstance(block.get("data"), str) or not block["data"]:
            yield f"{where}.redacted_thinking.data: Field required"
    elif kind == "tool_use":
        if not _CALL_ID.fullmatch(str(block.get("id"))):
            yield f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        if not _TOOL_NAME.fullmatch(str(block.get("name"))):
            yield f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        if not isinstance(block.get("input"), dict):
            yield f"{where}.tool_use.input: Input should be a valid dictionary"
    elif kind == "tool_result":
        yield from _tool_result(where, block)
    elif kind == "image":
        yield from _image(where, block)


def _tool_result(where: str, block: Json) -> Iterator[str]:
    content = block.get("content")
    if isinstance(content, str):
        if not content.strip():
            yield f"{where}: text content blocks must contain non-whitespace text"
        return
    for number, part in enumerate(content or []):
        place = f"{where}.content.{number}"
        if part.get("type") not in ("text", "image"):
            yield f"{place}: a tool result may not hold a block of type {part.get('type')}"
        elif block.get("is_error") and part["type"] != "text":
            yield f"{where}: all content must be type `text` if `is_error` is true"
        else:
            yield from _block(place, part)


def _image(where: str, block: Json) -> Iterator[str]:
    source = block.get("source") or {}
    media_type, data = source.get("media_type"), source.get("data")
    if media_type not in _MAGIC or not isinstance(data, str):
        yield f"{where}.source.base64.media_type: Input should be one of {sorted(_MAGIC)}"
        return
    if len(data) > 5 * 1024 * 1024:
        yield f"{where}.source.base64: image exceeds 5 MB maximum: {len(data)} bytes > 5242880"
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        yield f"{where}.source.base64.data: invalid base64 data"
        return
    if not content.startswith(_MAGIC[media_type]):
        yield f"{where}.source.base64: The image is not of the media type {media_type}"
    elif max(_sides(content)) > 8000:
        yield f"{where}.source.base64: image dimensions exceed max allowed size: 8000 pixels"


def _sides(content: bytes) -> tuple[int, int]:
    import imagesize

    return imagesize.get(io.BytesIO(content))


def _calls(messages: list[Json]) -> Iterator[str]:
    """Each call's result comes directly after it, before all else, and only once."""
    seen: set[str] = set()
    for position, message in enumerate(messages):
        calls = [block["id"] for block in _blocks(message) if block.get("type") == "tool_use"]
        for call in calls:
            if call in seen:
                yield f"messages.{position}: `tool_use` ids must be unique"
            seen.add(call)
        following = _blocks(messages[position + 1]) if position + 1 < len(messages) else []
        answered = {b.get("tool_use_id") for b in following if b.get("type") == "tool_result"}
        if missing := [call for call in calls if call not in answered]:
            yield (
                f"messages.{position}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}"
            )
        yield from _results(messages, position)


def _results(messages: list[Json], position: int) -> Iterator[str]:
    before = _blocks(messages[position - 1]) if position else []
    calls = {block.get("id") for block in before if block.get("type") == "tool_use"}
    answered: set[str] = set()
    others = False
    for number, block in enumerate(_blocks(messages[position])):
        if block.get("type") != "tool_result":
            others = True
            continue
        where = f"messages.{position}.content.{number}"
        if block.get("tool_use_id") not in calls:
            yield f"{where}: unexpected `tool_use_id` found in `tool_result` blocks"
        if block.get("tool_use_id") in answered:
            yield f"{where}: each tool_use must have a single result"
        if others and calls:
            yield f"{where}: `tool_result` blocks must come first"
        answered.add(str(block.get("tool_use_id")))


def _images(messages: list[Json]) -> Iterator[str]:
    images = [
        part["source"]["data"]
        for message in messages
        for block in _blocks(message)
        for part in (block, *(block["content"] if isinstance(block.get("content"), list) else ()))
        if part.get("type") == "image"
    ]
    if len(images) > 100:
        yield "messages: too many images"
    if len(images) > 20 and any(max(_sides(base64.b64decode(data))) > 2000 for data in images):
        yield (
            "messages: image dimensions exceed max allowed size for many-image requests: "
            "2000 pixels"
        )


def _tools(body: Json) -> Iterator[str]:
    names: set[str] = set()
    for number, tool in enumerate(body.get("tools", [])):
        if not _TOOL_NAME.fullmatch(str(tool.get("name"))):
            yield f"tools.{number}.custom.name: String should match pattern"
        if tool.get("name") in names:
            yield f"tools: Tool names must be unique: {tool.get('name')}"
        if (tool.get("input_schema") or {}).get("type") != "object":
            yield f"tools.{number}.custom.input_schema.type: Input should be 'object'"
        names.add(str(tool.get("name")))
    used = any(
        block.get("type") in ("tool_use", "tool_result")
        for message in body["messages"]
        for block in _blocks(message)
    )
    if used and not names:
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"


def _system(body: Json) -> Iterator[str]:
    system = body.get("system")
    for number, block in enumerate(system if isinstance(system, list) else ()):
        yield from _block(f"system.{number}", block)


def _cache_marks(body: Json) -> Iterator[str]:
    system = body.get("system")
    blocks = [
        *body.get("tools", []),
        *(system if isinstance(system, list) else ()),
        *(block for message in body["messages"] for block in _blocks(message)),
    ]
    marked = [block for block in blocks if block.get("cache_control")]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    if any("thinking" in str(block.get("type")) for block in marked):
        yield "cache_control cannot be set on thinking blocks"


def _thinking(body: Json) -> Iterator[str]:
    thinking = body.get("thinking") or {"type": "none"}
    effort = (body.get("output_config") or {}).get("effort")
    if effort is not None and effort not in _EFFORTS:
        yield f"output_config.effort: Input should be one of {sorted(_EFFORTS)}"
    if thinking["type"] == "disabled" and effort in ("xhigh", "max"):
        yield f"output_config.effort: {effort} is not supported when thinking is disabled"
    if thinking["type"] in ("enabled", "adaptive") and body.get("temperature") not in (None, 1):
        yield "`temperature` may only be set to 1 when thinking is enabled"
    if thinking["type"] != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < 1024:
        yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    elif budget >= body["max_tokens"]:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`"
    first = _first_answer_of_turn(body["messages"])
    if first is not None and "thinking" not in first[0].get("type", ""):
        yield (
            f"Expected `thinking` or `redacted_thinking`, but found `{first[0].get('type')}`. When "
            "`thinking` is enabled, a final `assistant` message must start with a thinking block"
        )


def _first_answer_of_turn(messages: list[Json]) -> list[Json] | None:
    """The blocks with which the model began the calls that it is amid, if it is."""
    first: list[Json] | None = None
    for message in reversed(messages):
        if message.get("role") == "assistant":
            first = _blocks(message)
        elif all(block.get("type") != "tool_result" for block in _blocks(message)):
            break
    return first


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return content if isinstance(content, list) else []
