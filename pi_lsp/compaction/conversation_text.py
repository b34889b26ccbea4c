"""A conversation as text, for a model that is to summarise it and not to go on with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from pi_lsp.messages import AssistantMessage, Message, UserBlock, text_of

MOST_TOOL_CHARS = 2000
"""Characters of a tool result, a command's output or a call's arguments."""

_CLOSING_TAG = "</conversation>"


def conversation_texts(messages: Iterable[Message]) -> list[str]:
    """One text per message that has something to say. Left out: what the model thought, answers
    that failed, and what the person kept from the model."""
    return [text for message in messages if (text := message_text(message))]


def message_text(message: Message) -> str:
    """A message as text; empty when nothing of it belongs into a summary."""
    return _escaped(_message_text(message))


def split_into_parts(
    texts: Sequence[str], most_tokens: int, count: Callable[[str], int]
) -> list[str]:
    """The texts, joined to as few parts as are needed to have each within a number of tokens.

    A text that is larger than a part is shortened to fit.
    """
    parts: list[list[str]] = []
    room = 0
    for text in texts:
        tokens = count(text)
        if tokens > most_tokens:
            text = _within(text, tokens, most_tokens)
            tokens = most_tokens
        if tokens > room:
            parts.append([])
            room = most_tokens
        parts[-1].append(text)
        room -= tokens
    return ["\n\n".join(part) for part in parts]


def newest_within(texts: Sequence[str], most_tokens: int, count: Callable[[str], int]) -> str:
    """The newest of the texts that fit, joined in their order; the newest one in any case,
    shortened if it must be. Says how many were left out."""
    taken: list[str] = []
    room = most_tokens
    for text in reversed(texts):
        tokens = count(text)
        if tokens > room:
            if not taken:
                taken.append(_within(text, tokens, most_tokens))
            break
        taken.append(text)
        room -= tokens
    left_out = len(texts) - len(taken)
    if left_out:
        taken.append(f"[{left_out} earlier messages are left out]")
    return "\n\n".join(reversed(taken))


def shortened(text: str, most_chars: int) -> str:
    """The beginning of a text, with a note of how much was left out."""
    if len(text) <= most_chars:
        return text
    return f"{text[:most_chars]}\n[… {len(text) - most_chars} more characters]"


def _message_text(message: Message) -> str:
    match message["role"]:
        case "user":
            return _said("User", _content(message["content"]))
        case "custom":
            return _said("Added to the conversation", _content(message["content"]))
        case "assistant":
            return _answer(message)
        case "toolResult":
            outcome = "Fault" if message["isError"] else "Result"
            text = shortened(_content(message["content"]), MOST_TOOL_CHARS)
            return _said(f"{outcome} of {message['toolName']}", text or "(nothing)")
        case "bashExecution":
            if message.get("excludeFromContext"):
                return ""
            output = shortened(message["output"], MOST_TOOL_CHARS)
            return _said("User ran a command", f"{message['command']}\n{output}")
        case "compactionSummary":
            return _said("Summary of what came before", message["summary"])
        case "branchSummary":
            return _said("Summary of a branch that was left", message["summary"])


def _answer(message: AssistantMessage) -> str:
    if message["stopReason"] == "error":
        return ""
    parts = [_said("Assistant", text_of(message["content"]))]
    if message["stopReason"] != "aborted":
        for block in message["content"]:
            if block["type"] == "toolCall":
                arguments = json.dumps(block["arguments"], ensure_ascii=False)
                called = f"{block['name']}({shortened(arguments, MOST_TOOL_CHARS)})"
                parts.append(_said("Assistant calls", called))
    return "\n\n".join(part for part in parts if part)


def _content(content: str | list[UserBlock]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        block["text"] if block["type"] == "text" else "[a picture]" for block in content
    )


def _said(who: str, text: str) -> str:
    return f"[{who}]: {text}" if text.strip() else ""


def _escaped(text: str) -> str:
    """A file that was read may hold the tag that ends the conversation in the prompt."""
    return text.replace(_CLOSING_TAG, "<\\/conversation>")


def _within(text: str, tokens: int, most_tokens: int) -> str:
    """Shortened by its own proportion of characters to tokens, a tenth below what may be."""
    return shortened(text, max(1, len(text) * most_tokens * 9 // (tokens * 10)))
