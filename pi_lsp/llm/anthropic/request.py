"""Makes the body of a Messages request from a conversation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from pi_lsp.llm import thinking
from pi_lsp.llm.anthropic.pictures import picture_blocks
from pi_lsp.llm.provider import Model, Request, ToolSpec
from pi_lsp.llm.transcript import PlainMessage, is_blank, plain
from pi_lsp.messages import (
    AssistantBlock,
    AssistantMessage,
    ImageBlock,
    ToolResultMessage,
    UserBlock,
)

Json = dict[str, Any]

MIN_BUDGET = 1024
"""The fewest tokens of thinking that the API takes as a budget."""
MIN_ANSWER = 1024
"""Tokens that a thinking budget leaves for the answer itself."""

_CACHED: Json = {"type": "ephemeral"}
_NOT_IN_TOOL_NAME = re.compile(r"[^a-zA-Z0-9_-]")


def build(request: Request, *, replay_thinking: bool = True) -> Json:
    """The body of the request, without `stream`.

    Args:
        replay_thinking: whether the model's own earlier thinking goes with it.
    """
    conversation = plain(request.messages, request.model if replay_thinking else None)
    messages = _messages(conversation, request.model)
    body: Json = {"model": request.model.id, "messages": messages}
    system = clean(request.system)
    if not is_blank(system):
        body["system"] = [{"type": "text", "text": system}]
    body.update(_tools(request.tools, conversation))
    body.update(_length_and_thinking(request, messages))
    if request.cache:
        _mark_for_cache(body)
    return body


# --- messages ------------------------------------------------------------------------------------


def _messages(conversation: Sequence[PlainMessage], model: Model) -> list[Json]:
    """The API's messages: all that comes between two answers is one user message."""
    pictures = iter(picture_blocks(_images(conversation), model))
    messages: list[Json] = []
    results: list[ToolResultMessage] = []
    said: list[UserBlock] = []

    def end_user_message() -> None:
        if results or said:
            messages.append({"role": "user", "content": _user_content(results, said, pictures)})
            results.clear()
            said.clear()

    for message in conversation:
        if message["role"] == "assistant":
            end_user_message()
            messages.append({"role": "assistant", "content": _assistant_content(message)})
        elif message["role"] == "toolResult":
            results.append(message)
        else:
            content = message["content"]
            said.extend(
                [{"type": "text", "text": content}] if isinstance(content, str) else content
            )
    end_user_message()
    return messages


def _images(conversation: Sequence[PlainMessage]) -> list[ImageBlock]:
    """All images, in the order in which `_messages` comes to them."""
    return [
        block
        for message in conversation
        for block in message["content"]
        if not isinstance(block, str) and block["type"] == "image"
    ]


def _user_content(
    results: Sequence[ToolResultMessage], said: Sequence[UserBlock], pictures: Iterator[Json]
) -> list[Json]:
    """Tool results first, as the API wants them, then what an error result may not hold, then
    what was said."""
    content: list[Json] = []
    after_results: list[Json] = []
    for result in results:
        blocks = [_user_block(block, pictures) for block in result["content"]]
        if result["isError"]:
            after_results += [block for block in blocks if block["type"] != "text"]
            blocks = [block for block in blocks if block["type"] == "text"] or [
                {"type": "text", "text": "(The image of this result follows below.)"}
            ]
        content.append(
            {
                "type": "tool_result",
                "tool_use_id": result["toolCallId"],
                "content": blocks,
                "is_error": result["isError"],
            }
        )
    return content + after_results + [_user_block(block, pictures) for block in said]


def _user_block(block: UserBlock, pictures: Iterator[Json]) -> Json:
    if block["type"] == "image":
        return next(pictures)
    return {"type": "text", "text": clean(block["text"])}


def _assistant_content(message: AssistantMessage) -> list[Json]:
    return [_assistant_block(block) for block in message["content"]]


def _assistant_block(block: AssistantBlock) -> Json:
    if block["type"] == "text":
        return {"type": "text", "text": clean(block["text"])}
    if block["type"] == "toolCall":
        return {
            "type": "tool_use",
            "id": block["id"],
            "name": _tool_name(block["name"]),
            "input": _arguments(block["arguments"]),
        }
    signature = block.get("thinkingSignature", "")
    if block.get("redacted"):
        return {"type": "redacted_thinking", "data": signature}
    return {"type": "thinking", "thinking": clean(block["thinking"]), "signature": signature}


def _tool_name(name: str) -> str:
    """A name that the API takes; another program may have used one that it does not."""
    return _NOT_IN_TOOL_NAME.sub("_", name)[:64] or "unnamed"


def _arguments(arguments: Json) -> Json:
    try:
        return cast(Json, _clean_json(arguments))
    except RecursionError:
        return {"note": "these arguments were nested too deeply to be sent again"}


def clean(text: str) -> str:
    """The text with lone surrogates replaced, which no request may hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _clean_json(value: Any) -> Any:
    """A value that JSON can say: clean texts, and no number that JSON does not have."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {clean(key): _clean_json(member) for key, member in members.items()}
    if isinstance(value, list):
        return [_clean_json(item) for item in cast("list[Any]", value)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


# --- tools ---------------------------------------------------------------------------------------


def _tools(tools: Sequence[ToolSpec], conversation: Sequence[PlainMessage]) -> Json:
    """The tools that the model may call.

    The API wants some declared when the conversation holds calls, even where none may be made.
    """
    if tools:
        return {"tools": [_tool(tool) for tool in tools]}
    used = sorted(
        {
            _tool_name(message["toolName"])
            for message in conversation
            if message["role"] == "toolResult"
        }
    )
    if not used:
        return {}
    schema: Json = {"type": "object"}
    declared = [
        {"name": name, "description": "Not available any more.", "input_schema": schema}
        for name in used
    ]
    return {"tools": declared, "tool_choice": {"type": "none"}}


def _tool(tool: ToolSpec) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.parameters,
    }


# --- length and thinking -------------------------------------------------------------------------


def _length_and_thinking(request: Request, messages: Sequence[Json]) -> Json:
    """`max_tokens` and `thinking`. Thinking counts towards `max_tokens`, so it gets room there."""
    model = request.model
    level = thinking.clamp(model, request.thinking_level)
    room = min(request.max_tokens or model.max_tokens, model.max_tokens)
    if not model.reasoning:
        return {"max_tokens": room}
    if level == "off":
        return {"max_tokens": room, "thinking": {"type": "disabled"}}
    if request.max_tokens is not None:
        room = min(room + thinking.budget(level), model.max_tokens)
    if model.adaptive_thinking:
        return {
            "max_tokens": room,
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": thinking.effort(model, level)},
        }
    budget = min(thinking.budget(level), room - MIN_ANSWER)
    if budget < MIN_BUDGET or _began_without_thinking(messages):
        return {"max_tokens": room, "thinking": {"type": "disabled"}}
    return {"max_tokens": room, "thinking": {"type": "enabled", "budget_tokens": budget}}


def _began_without_thinking(messages: Sequence[Json]) -> bool:
    """Whether the model is amid calls that it began without thinking (or another model did).

    With a budget, the API refuses to go on from such an answer.
    """
    first_answer: Json | None = None
    for message in reversed(messages):
        if message["role"] == "assistant":
            first_answer = message
        elif all(block["type"] != "tool_result" for block in message["content"]):
            break
    return first_answer is not None and "thinking" not in first_answer["content"][0]["type"]


# --- cache ---------------------------------------------------------------------------------------


def _mark_for_cache(body: Json) -> None:
    """Mark what stays the same: tools and system prompt, and the conversation so far.

    The API takes four marks at most; these two are enough, as it finds the longest cached start
    of the conversation by itself.
    """
    if "system" in body:
        body["system"][-1]["cache_control"] = _CACHED
    elif "tools" in body:
        body["tools"][-1]["cache_control"] = _CACHED
    body["messages"][-1]["content"][-1]["cache_control"] = _CACHED
