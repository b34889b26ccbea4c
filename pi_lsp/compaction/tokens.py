"""How many tokens messages, the system prompt and the tools take in a request: estimates.

A `TokenCounter` belongs to one session. It counts each message once and remembers the count, so
that what a session costs does not grow with its length: a turn counts what the turn added.

Counting goes to a thread of the counter's own (`in_background`); what the event loop asks is
answered from what is known, or else guessed from the length (`at_hand`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from pi_lsp.compaction.encoding import count_text, guess_text, is_loaded
from pi_lsp.compaction.pictures import UNKNOWN_PICTURE_TOKENS, count_picture
from pi_lsp.llm.provider import ToolSpec
from pi_lsp.messages import AssistantBlock, AssistantMessage, JsonObject, Message, UserBlock

T = TypeVar("T")

MESSAGE_TOKENS = 4
"""What a message costs besides its content: its role and its marks."""

TOOL_CALL_TOKENS = 12
"""What a call or a result costs besides its content: its id and its marks."""

TOOL_PROMPT_TOKENS = 346
"""The service's own system prompt for tools, added once there is one.
Source: Anthropic's documentation, "Tool use", pricing."""

SUMMARY_TOKENS = 40
"""The words that say what a summary, or a command's output, is."""


class CountedMessage(Protocol):
    """A message of the context, as `pi_lsp.session` gives it."""

    @property
    def entry_id(self) -> str: ...

    @property
    def message(self) -> Message: ...


class TokenCounter:
    """Counts for one session. All methods but `in_background` and `close` may be called from any
    thread."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int], int] = {}
        self._around: tuple[tuple[str, tuple[str, ...]], int] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pi-tokens")

    def count(self, item: CountedMessage) -> int:
        """The tokens of a message. Slow (up to 0.15 s for 1 MB of text): not for the event loop."""
        key = _key(item)
        known = self._counts.get(key)
        if known is None:
            known = self._counts[key] = count_message(item.message)
        return known

    def at_hand(self, item: CountedMessage) -> int:
        """The tokens of a message as far as they are known without counting; guessed if not."""
        key = _key(item)
        return self._counts.get(key, key[1])

    def count_around(self, system: str, tools: Sequence[ToolSpec]) -> int:
        """The tokens of the system prompt and the tools. Slow, as `count`."""
        key = system, tool_texts(tools)
        known = self._around
        if known is None or known[0] != key:
            known = self._around = key, count_system(*key)
        return known[1]

    def around_at_hand(self, system: str, tools: Sequence[ToolSpec]) -> int:
        """The tokens of the system prompt and the tools: known from the last count, or guessed."""
        key = system, tool_texts(tools)
        known = self._around
        return known[1] if known is not None and known[0] == key else guess_system(*key)

    def count_all(self, items: Iterable[CountedMessage]) -> int:
        """The tokens of messages. Slow, as `count`."""
        return sum(self.count(item) for item in items)

    async def in_background(self, work: Callable[[], T]) -> T:
        """Do something slow (that counts) in the counter's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @property
    def is_loaded(self) -> bool:
        """Whether the encoding's ranks are there; the first count loads them."""
        return is_loaded()

    def close(self) -> None:
        """Let go of the thread; what still waits for it is dropped."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def count_message(message: Message) -> int:
    """The tokens of a message in a request, encoded."""
    return _message_tokens(message, count_text, count_picture)


def guess_message(message: Message) -> int:
    """The tokens of a message in a request, guessed from its length in no time."""
    return _message_tokens(message, guess_text, lambda _data: UNKNOWN_PICTURE_TOKENS)


def count_system(system: str, tools: tuple[str, ...]) -> int:
    """The tokens of a system prompt and of tools (as `tool_texts` gives them). Slow."""
    return count_text(system) + _tools_tokens(tools, count_text)


def guess_system(system: str, tools: tuple[str, ...]) -> int:
    """The tokens of a system prompt and of tools, guessed from their length."""
    return guess_text(system) + _tools_tokens(tools, guess_text)


def tool_texts(tools: Sequence[ToolSpec]) -> tuple[str, ...]:
    """The tools as the model reads of them."""
    return tuple(f"{tool.name}\n{tool.description}\n{_json(tool.parameters)}" for tool in tools)


def _tools_tokens(tools: tuple[str, ...], count: Callable[[str], int]) -> int:
    if not tools:
        return 0
    return TOOL_PROMPT_TOKENS + sum(count(tool) + TOOL_CALL_TOKENS for tool in tools)


def _message_tokens(
    message: Message, text: Callable[[str], int], picture: Callable[[str], int]
) -> int:
    match message["role"]:
        case "user" | "custom":
            return MESSAGE_TOKENS + _content_tokens(message["content"], text, picture)
        case "toolResult":
            return TOOL_CALL_TOKENS + _content_tokens(message["content"], text, picture)
        case "assistant":
            return MESSAGE_TOKENS + sum(
                _block_tokens(block, text) for block in _sent_blocks(message)
            )
        case "bashExecution":
            if message.get("excludeFromContext"):
                return 0
            return SUMMARY_TOKENS + text(message["command"]) + text(message["output"])
        case "compactionSummary" | "branchSummary":
            return SUMMARY_TOKENS + text(message["summary"])


def _content_tokens(
    content: str | list[UserBlock], text: Callable[[str], int], picture: Callable[[str], int]
) -> int:
    if isinstance(content, str):
        return text(content)
    return sum(
        text(block["text"]) if block["type"] == "text" else picture(block["data"])
        for block in content
    )


def _sent_blocks(message: AssistantMessage) -> list[AssistantBlock]:
    """Of an answer that broke off only the text is sent again."""
    if message["stopReason"] not in ("error", "aborted"):
        return message["content"]
    return [block for block in message["content"] if block["type"] == "text"]


def _block_tokens(block: AssistantBlock, text: Callable[[str], int]) -> int:
    match block["type"]:
        case "text":
            return text(block["text"])
        case "thinking":
            if block.get("redacted"):
                # Encrypted: base64 of about as many bytes as the text had.
                return len(block.get("thinkingSignature", "")) * 3 // 16
            return text(block["thinking"])
        case "toolCall":
            return TOOL_CALL_TOKENS + text(block["name"]) + text(_json(block["arguments"]))


def _json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _key(item: CountedMessage) -> tuple[str, int]:
    """An entry never changes, but a context edit may put other content in its place: the guess
    tells them apart."""
    return item.entry_id, guess_message(item.message)
