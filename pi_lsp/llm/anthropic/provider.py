"""Asks a service that speaks the Anthropic Messages API, and gives its answer as it streams."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from pi_lsp.errors import AuthError
from pi_lsp.llm.answer import Answer
from pi_lsp.llm.anthropic import faults, sdk
from pi_lsp.llm.anthropic.request import build
from pi_lsp.llm.anthropic.stream import EVENTS, AnswerReader
from pi_lsp.llm.provider import Delta, Request

if TYPE_CHECKING:
    import anthropic
    from anthropic._streaming import ServerSentEvent
    from anthropic.types import RawMessageStreamEvent

OFFICIAL_URL = "https://api.anthropic.com"

_DRAIN_SECONDS = 0.2
"""How long the end of a complete answer is waited for, so that its connection can be used again."""

_REFUSED_THINKING = re.compile(r"signature|thinking.{0,60}block", re.IGNORECASE)
"""How a refusal speaks of earlier thinking that the service does not take back any more."""


class AnthropicProvider:
    """A service that speaks the Messages API.

    Args:
        key: the API key.
        base_url: where the service is, with or without a trailing `/v1`; None for Anthropic's
            own (or where the environment variable ANTHROPIC_BASE_URL says).
        name: the provider's name in settings and models.
    """

    def __init__(self, key: str, base_url: str | None = None, *, name: str = "anthropic") -> None:
        self._given = (key, base_url)
        self._key = key.strip()
        self._base_url = None if base_url is None else _without_version(base_url)
        self._reached = faults.Reached(name, _shown(self._base_url or OFFICIAL_URL), self._key)
        self._client: anthropic.AsyncAnthropic | None = None
        self._making = asyncio.Lock()

    def reached_with(self, key: str, base_url: str | None) -> bool:
        """Whether this is the provider for this key and place."""
        return self._given == (key, base_url)

    async def stream(self, request: Request, answer: Answer) -> AsyncGenerator[Delta]:
        """See `pi_lsp.llm.provider.Provider.stream`."""
        reader = AnswerReader(answer, request.model)
        with faults.as_provider_errors(self._reached):
            async with await self._asked(request) as events:
                # Taken raw: the SDK's own iteration makes an object of each event, which takes
                # longer than all the rest, and fails at what is off its schema. It is closed here
                # and now: left to the garbage collector, the parts of the chain are closed in any
                # order, and complain of each other.
                raw = cast("AsyncGenerator[ServerSentEvent]", events.raw_events(events.response))
                async with aclosing(raw):
                    try:
                        async for event in raw:
                            if (delta := self._read(event, reader)) is not None:
                                yield delta
                            if reader.complete:
                                await _drain(raw)
                                break
                    except ValueError as error:  # bytes that are no UTF-8
                        raise faults.garbled(self._reached, str(error)) from error
        if not reader.complete:
            raise faults.broken_off(self._reached)
        reader.finish()

    async def warm_up(self) -> None:
        """Do ahead of the first request what it would wait for: imports, certificates.

        Raises:
            AuthError, ProviderError: the key or the way to the service cannot be used.
        """
        await self._made_client()

    async def close(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _asked(self, request: Request) -> anthropic.AsyncStream[RawMessageStreamEvent]:
        """The events of the answer.

        When the service does not take back the model's earlier thinking, it is asked again
        without it.
        """
        import anthropic

        client = await self._made_client()
        body = await asyncio.to_thread(_Body.of, request, replay_thinking=True)
        try:
            return await self._sent(client, body)
        except anthropic.BadRequestError as error:
            if not (body.holds_thinking and _REFUSED_THINKING.search(str(error.body))):
                raise
        body = await asyncio.to_thread(_Body.of, request, replay_thinking=False)
        return await self._sent(client, body)

    async def _sent(
        self, client: anthropic.AsyncAnthropic, body: _Body
    ) -> anthropic.AsyncStream[RawMessageStreamEvent]:
        """Send bytes: the SDK's `messages.create` would copy and encode the whole conversation on
        the event loop."""
        import anthropic
        from anthropic.types import Message, RawMessageStreamEvent

        return await client.post(
            "/v1/messages",
            cast_to=Message,
            content=body.content,
            stream=True,
            stream_cls=anthropic.AsyncStream[RawMessageStreamEvent],
        )

    def _read(self, sent: ServerSentEvent, reader: AnswerReader) -> Delta | None:
        if not sent.data or (sent.event is not None and sent.event not in EVENTS):
            return None
        try:
            event = _decoded(sent.data)
            if event["type"] != "error":
                return reader.read(event)
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise faults.garbled(self._reached, f"{type(error).__name__}: {error}") from error
        raise faults.of_body(self._reached, 200, event)

    async def _made_client(self) -> anthropic.AsyncAnthropic:
        async with self._making:
            if self._client is None:
                self._check_key()
                await asyncio.to_thread(sdk.warm_up)
                self._client = await self._new_client()
            return self._client

    async def _new_client(self) -> anthropic.AsyncAnthropic:
        with faults.as_provider_errors(self._reached):
            try:
                return await asyncio.to_thread(sdk.new_client, self._key, self._base_url)
            except (ValueError, OSError) as error:
                raise faults.cannot_set_up(self._reached, error) from None

    def _check_key(self) -> None:
        """A key that no header can hold would be named in the HTTP library's complaint."""
        if not (self._key.isascii() and self._key.isprintable() and self._key):
            raise AuthError(
                f"The key for “{self._reached.service}” is empty or holds characters that no key "
                "has: set it again."
            )


async def _drain(raw: AsyncIterator[ServerSentEvent]) -> None:
    """Read to the end of the response, which should have come with the end of the answer."""
    import httpx2

    async def rest() -> None:
        async for _ in raw:
            pass

    # The answer is complete: whatever happens to its connection now only costs a new one.
    with suppress(asyncio.TimeoutError, httpx2.HTTPError, httpx2.StreamError, ValueError):
        await asyncio.wait_for(rest(), _DRAIN_SECONDS)


class _Body(NamedTuple):
    """What is sent: JSON, and whether the model's earlier thinking is in it."""

    content: bytes
    holds_thinking: bool

    @classmethod
    def of(cls, request: Request, *, replay_thinking: bool) -> _Body:
        """Blocks for a tenth of a second when the conversation is long."""
        body = {**build(request, replay_thinking=replay_thinking), "stream": True}
        try:
            content = msgspec.json.encode(body)
        except OverflowError:  # a whole number of more than 64 bits, in a tool call
            content = json.dumps(body, ensure_ascii=False).encode()
        return cls(content, _holds_thinking(body))


def _decoded(data: str) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return json.loads(data)  # which takes half a surrogate pair, too


def _holds_thinking(body: dict[str, Any]) -> bool:
    return any(
        "thinking" in block["type"]
        for message in body["messages"]
        if message["role"] == "assistant"
        for block in message["content"]
    )


def _without_version(base_url: str) -> str:
    """The URL without a trailing `/v1`, which the SDK adds itself."""
    return base_url.rstrip("/").removesuffix("/v1")


def _shown(base_url: str) -> str:
    """The URL as a sentence may hold it: without a user name, a password or a query."""
    scheme, mark, place = base_url.partition("://")
    shown = re.split(r"[?#]", place or scheme, maxsplit=1)[0].rpartition("@")[2]
    return f"{scheme}{mark}{shown}" if place else shown
