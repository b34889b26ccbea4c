"""A request as the server got it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import Any

from tests.messages_api.parts import WAIT_SECONDS

Json = dict[str, Any]


@dataclass
class ApiRequest:
    """One request; header names are in lower case.

    Attributes:
        size: of the body, in bytes.
        abandoned: set when the client went away before the reply was complete.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Json
    size: int = 0
    abandoned: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def key(self) -> str:
        """The API key, as newer (`authorization`) or older (`x-api-key`) clients send it."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or self.headers.get("x-api-key", "")

    @property
    def messages(self) -> list[Json]:
        return self.body["messages"]

    @property
    def system(self) -> str:
        """The text of the system prompt."""
        return _text(self.body.get("system", ""))

    @property
    def tool_names(self) -> list[str]:
        return [tool["name"] for tool in self.body.get("tools", [])]

    @property
    def last_text(self) -> str:
        """The texts of the last message, tool results left out."""
        return _text(self.messages[-1]["content"])

    def texts(self, role: str = "user") -> list[str]:
        """The text of each message of a role."""
        return [_text(one["content"]) for one in self.messages if one["role"] == role]

    def tool_results(self) -> list[Json]:
        """All tool results, in order."""
        return [
            block
            for message in self.messages
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]

    async def is_abandoned(self) -> None:
        """Wait until the client has gone away."""
        if not await asyncio.to_thread(self.abandoned.wait, WAIT_SECONDS):
            raise AssertionError("the client is still there")


def in_turns(messages: list[Json]) -> list[Json]:
    """The messages of the user and the model in turn.

    Those of one role that follow each other become one, and those of the system (newer models
    take settings that change between answers so) are left out.
    """
    told: list[Json] = []
    for message in messages:
        if message["role"] == "system":
            continue
        if told and told[-1]["role"] == message["role"]:
            told[-1]["content"] += _blocks(message["content"])
        else:
            told.append({**message, "content": _blocks(message["content"])})
    return told


def _blocks(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")
