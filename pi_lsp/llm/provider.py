"""The interface to a model's service, and what travels through it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from pi_lsp.llm.answer import Answer
from pi_lsp.messages import JsonObject, Message, ThinkingLevel

Api = Literal["anthropic-messages", "demo"]
DeltaKind = Literal["text", "thinking", "toolCall"]


@dataclass(frozen=True)
class ModelCost:
    """US dollars per million tokens.

    `tiers` holds dearer prices for long requests: (input tokens above which they hold, prices),
    smallest first.
    """

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    tiers: tuple[tuple[int, ModelCost], ...] = ()


@dataclass(frozen=True)
class Model:
    """What is known of a model; windows in tokens."""

    provider: str
    id: str
    name: str
    api: Api
    context_window: int
    max_tokens: int
    reasoning: bool = False
    adaptive_thinking: bool = False
    thinking_levels: dict[ThinkingLevel, str | None] | None = None
    """What a level is called by the service; None for one that the model does not take."""
    input: tuple[str, ...] = ("text",)
    cost: ModelCost = field(default_factory=ModelCost)


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the model is told of it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True)
class Request:
    """One question to a model.

    Attributes:
        messages: the context, in the session's own words; the provider makes a valid request of
            them whatever they hold.
        max_tokens: the most that the answer may have, what it thinks not counted; None for the
            model's own limit.
        cache: whether to mark what stays the same, so that it is billed at cache price.
    """

    model: Model
    system: str
    messages: list[Message]
    tools: list[ToolSpec] = field(default_factory=list[ToolSpec])
    thinking_level: ThinkingLevel = "off"
    max_tokens: int | None = None
    cache: bool = True


class Delta(NamedTuple):
    """A piece of an answer as it streams.

    `content_index` is the block's place in the answer's content. The first delta of a tool call
    carries `tool_call_id` and `tool_name`; its `text` is a piece of the arguments' JSON and may be
    empty.
    """

    content_index: int
    kind: DeltaKind
    text: str
    tool_call_id: str | None = None
    tool_name: str | None = None


class Provider(Protocol):
    """A service that runs models."""

    def stream(self, request: Request, answer: Answer) -> AsyncIterator[Delta]:
        """Ask, and give the answer piece by piece.

        `answer` is filled as it comes, so that whoever stops listening (abort) has what there
        was so far. When the iterator ends, `answer` is whole: its stop reason and usage are set.

        Raises:
            ProviderError: the service answered with a fault, could not be reached, or the stream
                broke off; AuthError for a key that is missing or refused.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def schema_without_titles(schema: dict[str, Any]) -> JsonObject:
    """A pydantic JSON schema without the `title`s, which only cost tokens."""
    return {
        key: _strip(value) if key != "properties" else {k: _strip(v) for k, v in value.items()}
        for key, value in schema.items()
        if key != "title"
    }


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return schema_without_titles(value)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, list):
        return [_strip(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
