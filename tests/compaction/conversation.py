"""Builds contexts, and answers summaries from a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pi_lsp.llm.provider import Model, Request
from pi_lsp.messages import (
    AssistantBlock,
    AssistantMessage,
    Message,
    StopReason,
    Usage,
    UserBlock,
    no_usage,
    text_of,
)

MODEL = Model(
    provider="anthropic",
    id="claude-test",
    name="Claude Test",
    api="anthropic-messages",
    context_window=200_000,
    max_tokens=64_000,
)


@dataclass(frozen=True)
class Item:
    """A message of the context, as the session gives it."""

    entry_id: str
    message: Message


def context(*messages: Message) -> list[Item]:
    """Messages with entry ids e0, e1, …"""
    return [Item(f"e{number}", message) for number, message in enumerate(messages)]


def user(content: str | list[UserBlock]) -> Message:
    return {"role": "user", "content": content, "timestamp": 1}


def custom(text: str) -> Message:
    return {
        "role": "custom",
        "customType": "note",
        "content": text,
        "display": True,
        "timestamp": 1,
    }


def answer(
    text: str = "",
    *,
    calls: Sequence[tuple[str, str, dict[str, Any]]] = (),
    usage: Usage | None = None,
    stop_reason: StopReason | None = None,
    error: str | None = None,
    thinking: str = "",
) -> AssistantMessage:
    """An answer; `calls` are (id, tool, arguments)."""
    content: list[AssistantBlock] = []
    if thinking:
        content.append({"type": "thinking", "thinking": thinking, "thinkingSignature": "sig"})
    if text:
        content.append({"type": "text", "text": text})
    for call_id, name, arguments in calls:
        content.append({"type": "toolCall", "id": call_id, "name": name, "arguments": arguments})
    message: AssistantMessage = {
        "role": "assistant",
        "content": content,
        "api": "anthropic-messages",
        "provider": MODEL.provider,
        "model": MODEL.id,
        "usage": usage or no_usage(),
        "stopReason": stop_reason or ("toolUse" if calls else "stop"),
        "timestamp": 1,
    }
    if error is not None:
        message["errorMessage"] = error
    return message


def result(call_id: str, text: str, *, tool: str = "read", is_error: bool = False) -> Message:
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": tool,
        "content": [{"type": "text", "text": text}],
        "isError": is_error,
        "timestamp": 1,
    }


def command(text: str, output: str, *, excluded: bool = False) -> Message:
    message: Message = {
        "role": "bashExecution",
        "command": text,
        "output": output,
        "exitCode": 0,
        "cancelled": False,
        "truncated": False,
        "timestamp": 1,
    }
    if excluded:
        message["excludeFromContext"] = True
    return message


def compaction_summary(summary: str) -> Message:
    return {
        "role": "compactionSummary",
        "summary": summary,
        "tokensBefore": 100_000,
        "timestamp": 1,
    }


def branch_summary(summary: str) -> Message:
    return {"role": "branchSummary", "summary": summary, "fromId": "gone", "timestamp": 1}


def used(input_tokens: int, output: int = 0, *, cached: int = 0, dollars: float = 0) -> Usage:
    usage = no_usage()
    usage["input"], usage["output"], usage["cacheRead"] = input_tokens, output, cached
    usage["totalTokens"] = input_tokens + output + cached
    usage["cost"]["total"] = dollars
    return usage


def words(tokens: int) -> str:
    """A text of so many tokens: each ` a` is one."""
    return " a" * tokens


@dataclass
class ScriptedAsk:
    """Answers questions in turn; an exception among the answers is raised.

    Attributes:
        running: questions that are open now; never more than one for a careful caller.
    """

    answers: Iterable[AssistantMessage | Exception]
    requests: list[Request] = field(default_factory=list[Request])
    running: int = 0
    most_running: int = 0

    def __post_init__(self) -> None:
        self._answers = iter(self.answers)

    async def __call__(self, request: Request) -> AssistantMessage:
        self.requests.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            given = next(self._answers)
        finally:
            self.running -= 1
        if isinstance(given, Exception):
            raise given
        return given

    def prompt(self, number: int) -> str:
        """The text of a question."""
        (message,) = self.requests[number].messages
        assert message["role"] == "user"
        return text_of(message["content"])
