"""A folder in which a person works with both programs, and the service that both talk to."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.client import Client, Editor
from tests.editor import JsonObject
from tests.messages_api import ApiRequest, MessagesApi, Text
from tests.pi.programs import Ours, Program, Theirs
from tests.pi.rpc import Pi
from tests.pi.same_conversation import conversation

MODEL = "claude-sonnet-4-5"
"""It thinks within a budget."""
LONGEST_ANSWER: JsonObject = {"input_tokens": 1_000, "output_tokens": 64_000}
"""What `MODEL` uses when it is cut off; pi takes an answer that is cut off sooner back."""
ADAPTIVE = "claude-sonnet-5-5"
"""It decides itself how long to think. pi tells it so between the messages, too."""
KEY = "test-key"
SETTINGS: JsonObject = {
    "defaultProvider": "anthropic",
    "defaultModel": MODEL,
    "defaultThinkingLevel": "low",
    "compaction": {"keepRecentTokens": 60},
    "retry": {"baseDelayMs": 1},
}
"""pi's, so that both programs answer at once and summarise what is short."""


def long(word: str) -> str:
    """A text of some 40 tokens: two of them are more than a compaction keeps."""
    return " ".join([word] * 40)


@dataclass
class SharedFolder:
    """What the person has: a folder, a home with pi's files in it, a service with a key.

    Only pi's own files say where the service is, which model is asked and that the folder is
    trusted.

    Attributes:
        environment: variables that both programs get beside the few that they need.
    """

    folder: Path
    home: Path
    api: MessagesApi
    stack: AsyncExitStack
    environment: dict[str, str] = field(default_factory=dict)
    _client: Client | None = None

    @property
    def agent_directory(self) -> Path:
        return self.home / ".pi" / "agent"

    @property
    def sessions(self) -> Path:
        return self.folder / ".pi" / "sessions"

    def keep(self, name: str, content: JsonObject) -> None:
        """Write one of pi's files of the person."""
        self.agent_directory.mkdir(parents=True, exist_ok=True)
        (self.agent_directory / name).write_text(json.dumps(content), encoding="utf-8")

    async def ours(self, editor: Editor | None = None) -> Client:
        """Our server; it is started when it does not run.

        Args:
            editor: to start it in; None for one that allows everything.
        """
        if self._client is None:
            client = Client(self.folder, self.home, editor=editor, environment=self.environment)
            client.settings.clear()
            self._client = await self.stack.enter_async_context(client)
        return self._client

    async def end_ours(self, *, kill: bool = False) -> None:
        """End our server, if it runs."""
        client, self._client = self._client, None
        if client is not None and kill:
            client.kill()
            await client.exit_code()
        elif client is not None:
            await client.quit()

    def pi(self, sessions: Path | None = None) -> Pi:
        """pi on the same session, to be used in `async with`."""
        extension = Path(__file__).with_name("extension.js")
        return Pi(
            self.folder,
            self.home,
            *("--extension", str(extension)),
            sessions=sessions or self.sessions,
            environment=self.environment,
        )

    @asynccontextmanager
    async def program(self, who: str) -> AsyncIterator[Program]:
        """One of the programs, `ours` or `pi`, alone on the session."""
        if who == "ours":
            yield Ours(await self.ours())
        else:
            await self.end_ours()
            async with self.pi() as pi:
                yield Theirs(pi)

    async def next_requests(self) -> tuple[ApiRequest, ApiRequest]:
        """What pi, on a copy of the sessions, and then we send to the service for a prompt."""
        self.sessions.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=self.home) as copied:
            shutil.copytree(self.sessions, copied, dirs_exist_ok=True)
            async with self.pi(Path(copied)) as pi:
                theirs = await self._next_request(pi)
        return theirs, await self._next_request(await self.ours())

    async def _next_request(self, program: Client | Pi) -> ApiRequest:
        count = len(self.api.requests)
        await self.talk(program, ("And now?", "Noted."))
        assert len(self.api.requests) == count + 1, self.api.problems
        return self.api.requests[-1]

    async def conversation_in_both(self) -> list[JsonObject]:
        """What both programs send for the next prompt, which has to be the same."""
        theirs, ours = await self.next_requests()
        assert conversation(ours) == conversation(theirs)
        assert ours.body["model"] == theirs.body["model"]
        assert kind_of_thinking(ours) == kind_of_thinking(theirs)
        return conversation(ours)

    async def talk(self, program: Client | Pi | Program, *turns: tuple[str, str]) -> None:
        """Turns of plain talk: what the person says, and the answer."""
        for said, answer in turns:
            self.api.reply(Text(answer))
            await program.run(said)

    def time_passes(self) -> None:
        """All that is on the disk was written a while ago: which file is the newest is told by
        times, and a test is quicker than their ticks."""
        for file in self.sessions.glob("*.jsonl"):
            moment = file.stat().st_mtime - 60
            os.utime(file, (moment, moment))

    @property
    def newest(self) -> Path:
        """The file of the session that was written last."""
        return max(self.sessions.glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)

    def lines(self) -> list[JsonObject]:
        """All lines of the newest session's file, the header first."""
        return [json.loads(line) for line in self.newest.read_text("utf-8").splitlines()]

    def entry_id(self, text: str) -> str:
        """The id of the newest message whose first text is this one."""
        return next(
            line["id"]
            for line in reversed(self.lines())
            if line["type"] == "message" and _first_text(line["message"]) == text
        )


def kind_of_thinking(request: ApiRequest) -> str | None:
    return request.body.get("thinking", {}).get("type")


def _first_text(message: JsonObject) -> Any:
    content = message["content"]
    if isinstance(content, str):
        return content
    return next((block["text"] for block in content if block["type"] == "text"), None)


def texts(told: list[JsonObject]) -> list[str]:
    """The texts and summaries of a conversation, in order."""
    return [
        block.get("text") or f"[{block['of']}: {block['summary']}]"
        for message in told
        for block in message["content"]
        if block["type"] in ("text", "summary")
    ]
