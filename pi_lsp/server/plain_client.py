"""What an editor without a plugin of ours is shown: the answer of each run as a document."""

from __future__ import annotations

import asyncio

from pi_lsp.agent.events import AgentStart, ErrorEvent, Event, MessageEnd, Settled
from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client
from pi_lsp.server.json_values import as_list, as_object
from pi_lsp.server.text_viewer import TextViewer

_SHOWN_IN_MESSAGE = 1000
"""Characters of an answer in a message box, for an editor that shows no documents."""


class PlainClient:
    """Follows the runs of one folder; does nothing for an editor that has a plugin.

    Args:
        client: the editor.
        viewer: opens the answers in it.
    """

    def __init__(self, client: Client, viewer: TextViewer) -> None:
        self._client = client
        self._viewer = viewer
        self._parts: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, event: Event) -> None:
        """Follow what an event tells."""
        if not self._client.abilities.plain:
            return
        match event:
            case AgentStart():
                self._parts = []
            case MessageEnd():
                self._parts += _as_markdown(event.message)
            case ErrorEvent():
                self._client.show_message(f"pi: {event.message}", "error")
            case Settled() if self._parts:
                text, self._parts = "\n\n".join(self._parts) + "\n", []
                task = asyncio.ensure_future(self._show(text))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case _:
                pass

    async def _show(self, text: str) -> None:
        if await self._viewer.show("answer", ".md", text):
            return
        shown = text if len(text) <= _SHOWN_IN_MESSAGE else f"{text[:_SHOWN_IN_MESSAGE]}…"
        self._client.show_message(shown, "info")


def _as_markdown(message: JsonObject) -> list[str]:
    """A message as it reads in the document; tool results are left out."""
    role, content = message.get("role"), message.get("content")
    blocks = [one for one in map(as_object, as_list(content) or ()) if one is not None]
    if role == "user":
        text = content if isinstance(content, str) else blocks[0]["text"] if blocks else ""
        return ["\n".join(f"> {line}" for line in text.splitlines())]
    if role != "assistant":
        return []
    parts: list[str] = []
    for block in blocks:
        if block["type"] == "text" and block["text"].strip():
            parts.append(block["text"].strip())
        elif block["type"] == "toolCall":
            parts.append(f"- `{_call_line(block)}`")
    return parts


def _call_line(block: JsonObject) -> str:
    """A tool call in one line: its name, and what it works on."""
    arguments: JsonObject = block["arguments"]
    targets = (arguments[name] for name in ("command", "path", "pattern") if name in arguments)
    first_line = str(next(targets, "")).partition("\n")[0]
    return f"{block['name']} {first_line}".strip().replace("`", "'")
