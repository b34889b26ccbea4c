"""What an editor without a plugin of ours is shown: the answer of each run as a document."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from pathlib import Path

from lsprotocol import types

from pi_lsp.agent.events import AgentStart, ErrorEvent, Event, MessageEnd, Settled
from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client, ClientError
from pi_lsp.server.json_values import as_list, as_object
from pi_lsp.server.virtual_documents import VirtualDocuments

logger = logging.getLogger(__name__)

_SHOWN_IN_MESSAGE = 1000
"""Characters of an answer in a message box, for an editor that shows no documents."""


class PlainClient:
    """Follows the runs of one folder; does nothing for an editor that has a plugin.

    Args:
        client: the editor.
        texts: keeps the answers for an editor that opens `pi:` documents.
    """

    def __init__(self, client: Client, texts: VirtualDocuments) -> None:
        self._client = client
        self._texts = texts
        self._parts: list[str] = []
        self._count = 0
        self._directory: Path | None = None
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
                self._client.show_message(f"pi: {event.message}", types.MessageType.Error)
            case Settled() if self._parts:
                text, self._parts = "\n\n".join(self._parts) + "\n", []
                task = asyncio.ensure_future(self._show(text))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case _:
                pass

    def close(self) -> None:
        """Take away the files that were shown."""
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)

    async def _show(self, text: str) -> None:
        if self._client.abilities.show_document:
            try:
                if await self._client.show_document(self._document(text)):
                    return
            except (ClientError, OSError) as error:
                logger.info("the answer could not be shown as a document: %s", error)
        shown = text if len(text) <= _SHOWN_IN_MESSAGE else f"{text[:_SHOWN_IN_MESSAGE]}…"
        self._client.show_message(shown, types.MessageType.Info)

    def _document(self, text: str) -> str:
        """Put an answer where the editor can open it; returns the URI."""
        self._count += 1
        name = f"answer-{self._count}.md"
        if self._client.abilities.text_document_content:
            return self._texts.keep("answer", f"{id(self):x}", name, text)
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="pi-lsp-"))
        path = self._directory / name
        path.write_text(text, encoding="utf-8", errors="replace")
        return path.as_uri()


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
