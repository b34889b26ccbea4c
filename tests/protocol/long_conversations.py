"""What the stories of long conversations share: a model with a small window, and its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.client import Client, Editor, JsonObject
from tests.messages_api import ApiRequest, HttpError, MessagesApi, Text
from tests.protocol.conftest import StartClient

WINDOW = 40_000
RESERVE = 4_000
KEEP_RECENT = 2_000
"""Tokens. The system prompt and the tools need some 3,000 of the window."""

TOO_LONG = HttpError(
    400, "invalid_request_error", f"prompt is too long: 40123 tokens > {WINDOW} maximum"
)
PARAGRAPH = "The quick brown fox jumps over the lazy dog, again and again, all day long. " * 50
"""Some 850 tokens."""


async def start_small(
    scripted: StartClient, *, editor: Editor | None = None, **settings: Any
) -> Client:
    """An editor whose model has a small window and answers from the script."""
    model = {
        "provider": "anthropic",
        "id": "claude-small",
        "contextWindow": WINDOW,
        "maxTokens": 4_000,
    }
    compaction = {"reserveTokens": RESERVE, "keepRecentTokens": KEEP_RECENT}
    small = {"models": [model], "defaultModel": "claude-small", "compaction": compaction}
    return await scripted(settings={**small, **settings}, editor=editor)


def used(input_tokens: int, output: int = 10) -> JsonObject:
    """Options of a reply that reports this usage."""
    usage = {"input_tokens": input_tokens, "output_tokens": output}
    return {"start_usage": usage, "usage": usage}


async def talk(client: Client, api: MessagesApi, turns: int, text: str = PARAGRAPH) -> None:
    """Some turns of plain talk; each prompt is numbered."""
    for number in range(turns):
        api.reply(Text(f"Answer {number}."))
        await client.run(f"Question {number}. {text}")


def asks_for_summary(request: ApiRequest) -> bool:
    """Whether a request is one for a summary."""
    return request.texts()[0].startswith("<conversation>")


def events_of(client: Client, kind: str) -> list[JsonObject]:
    """All events of a type so far."""
    events = [one["event"] for one in client.events]
    return [event for event in events if event["type"] == kind]


def entries_of(client: Client) -> list[JsonObject]:
    """All lines of the folder's only session file, the header left out."""
    (file,) = session_files(client.folder)
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()][1:]


def session_files(folder: Path) -> list[Path]:
    return list((folder / ".pi" / "sessions").glob("*.jsonl"))


def compactions_of(client: Client) -> list[JsonObject]:
    return [entry for entry in entries_of(client) if entry["type"] == "compaction"]
