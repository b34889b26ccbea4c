"""The two programs, so that a story can be told with either of them."""

from __future__ import annotations

import base64
from typing import Protocol

from tests.client import Client
from tests.editor import JsonObject
from tests.pi.rpc import Pi


class Program(Protocol):
    """What a person does in a session, in either program. Entries go by their ids."""

    async def run(self, text: str, *, picture: bytes | None = None) -> None:
        """Prompt, with a PNG, and wait for the end."""
        ...

    async def begin(self, text: str) -> None:
        """Prompt, and wait until the answer streams."""
        ...

    async def stop(self) -> None: ...
    async def compact(self) -> None: ...
    async def go_to(self, entry_id: str, *, summarize: bool = False) -> None: ...
    async def fork(self, entry_id: str) -> None: ...
    async def clone(self) -> None: ...
    async def bash(self, command: str, *, hidden: bool = False) -> None: ...
    async def choose(self, model_id: str, level: str) -> None: ...
    async def set_label(self, entry_id: str, label: str) -> None: ...
    async def rename(self, name: str) -> None: ...

    async def labels(self) -> dict[str, str]:
        """All labels, by entry."""
        ...

    async def name(self) -> str | None: ...
    async def session_id(self) -> str: ...


class Ours:
    """Our server in an editor."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def run(self, text: str, *, picture: bytes | None = None) -> None:
        await self._client.run(text, images=_images(picture))

    async def begin(self, text: str) -> None:
        await self._client.request("pi/prompt", text=text)
        await self._client.wait_for("message_update")

    async def stop(self) -> None:
        await self._client.request("pi/abort")
        await self._client.wait_for("settled")

    async def compact(self) -> None:
        await self._client.request("pi/compact")

    async def go_to(self, entry_id: str, *, summarize: bool = False) -> None:
        await self._client.request("pi/navigate", entryId=entry_id, summarize=summarize)

    async def fork(self, entry_id: str) -> None:
        await self._client.request("pi/fork", entryId=entry_id)

    async def clone(self) -> None:
        await self._client.request("pi/clone")

    async def bash(self, command: str, *, hidden: bool = False) -> None:
        await self._client.request("pi/bash", command=command, excludeFromContext=hidden)

    async def choose(self, model_id: str, level: str) -> None:
        await self._client.request("pi/setModel", provider="anthropic", modelId=model_id)
        await self._client.request("pi/setThinkingLevel", level=level)

    async def set_label(self, entry_id: str, label: str) -> None:
        await self._client.request("pi/label", entryId=entry_id, label=label)

    async def rename(self, name: str) -> None:
        await self._client.request("pi/renameSession", name=name)

    async def labels(self) -> dict[str, str]:
        nodes = (await self._client.request("pi/tree", filter="labeled"))["nodes"]
        return {node["id"]: node["label"] for node in nodes}

    async def name(self) -> str | None:
        return (await self._client.request("pi/state")).get("name")

    async def session_id(self) -> str:
        return (await self._client.request("pi/state"))["sessionId"]


class Theirs:
    """The real pi."""

    def __init__(self, pi: Pi) -> None:
        self._pi = pi

    async def run(self, text: str, *, picture: bytes | None = None) -> None:
        images = [{"type": "image", **image} for image in _images(picture)]
        await self._pi.run(text, images=images)

    async def begin(self, text: str) -> None:
        await self._pi.ask("prompt", message=text)
        await self._pi.wait_for("message_update")

    async def stop(self) -> None:
        await self._pi.ask("abort")

    async def compact(self) -> None:
        await self._pi.ask("compact")

    async def go_to(self, entry_id: str, *, summarize: bool = False) -> None:
        await self._pi.command("navigate", id=entry_id, summarize=summarize)

    async def fork(self, entry_id: str) -> None:
        await self._pi.ask("fork", entryId=entry_id)

    async def clone(self) -> None:
        await self._pi.ask("clone")

    async def bash(self, command: str, *, hidden: bool = False) -> None:
        await self._pi.ask("bash", command=command, excludeFromContext=hidden)

    async def choose(self, model_id: str, level: str) -> None:
        await self._pi.ask("set_model", provider="anthropic", modelId=model_id)
        await self._pi.ask("set_thinking_level", level=level)

    async def set_label(self, entry_id: str, label: str) -> None:
        await self._pi.command("label", id=entry_id, label=label)

    async def rename(self, name: str) -> None:
        await self._pi.ask("set_session_name", name=name)

    async def labels(self) -> dict[str, str]:
        return await self._pi.labels()

    async def name(self) -> str | None:
        return (await self._pi.ask("get_state")).get("sessionName")

    async def session_id(self) -> str:
        return (await self._pi.ask("get_state"))["sessionId"]


def _images(picture: bytes | None) -> list[JsonObject]:
    if picture is None:
        return []
    return [{"data": base64.b64encode(picture).decode(), "mimeType": "image/png"}]
