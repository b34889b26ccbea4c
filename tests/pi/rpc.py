"""The real pi as a process, driven through its RPC mode: a JSON object a line, both ways."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.editor import JsonObject

MODULES = Path(__file__).parent / "node_modules"
NODE = MODULES / ".bin" / "node"
PI = MODULES / "@earendil-works" / "pi-coding-agent"

TIMEOUT = 45.0
LONGEST_LINE = 1 << 24
"""Bytes; one line may hold a whole conversation."""


class PiRefused(Exception):
    """pi answered with an error."""


class Pi:
    """pi with the newest session of a folder. Use it in `async with`; it is killed at the end.

    Args:
        home: the person's home; pi's own directory is below it, as ours is.
        arguments: more of pi's options.
        sessions: where the folder's sessions are.
        environment: variables beside the few that it needs.

    Attributes:
        events: everything that pi told beside its answers, in order.
    """

    def __init__(
        self,
        folder: Path,
        home: Path,
        *arguments: str,
        sessions: str | Path = ".pi/sessions",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.events: list[JsonObject] = []
        self._folder = folder
        self._home = home
        self._arguments = ("--session-dir", str(sessions), "--continue", *arguments)
        self._environment = environment or {}
        self._ids = map(str, itertools.count(1))
        self._open: dict[str, asyncio.Future[Any]] = {}
        self._changed = asyncio.Condition()
        self._cursor = 0
        self._ended = False
        self._process: asyncio.subprocess.Process
        self._tasks: list[asyncio.Task[None]] = []
        self._stderr = ""

    async def __aenter__(self) -> Pi:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self._process = await asyncio.create_subprocess_exec(
            *(str(NODE), str(PI / "dist" / "bundle" / "cli.js"), "--mode", "rpc"),
            *self._arguments,
            cwd=self._folder,
            env={
                **kept,
                "HOME": str(self._home),
                "PI_CODING_AGENT_DIR": str(self._home / ".pi" / "agent"),
                "PI_OFFLINE": "1",
                **self._environment,
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        self._tasks = [
            asyncio.create_task(self._read()),
            asyncio.create_task(self._read_stderr()),
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await asyncio.gather(*self._tasks)

    async def ask(self, command: str, /, **members: Any) -> Any:
        """The data of pi's answer to a command.

        Raises:
            PiRefused: the answer was an error.
        """
        command_id = next(self._ids)
        answer = self._open[command_id] = asyncio.get_running_loop().create_future()
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(json.dumps({"id": command_id, "type": command, **members}).encode() + b"\n")
        return await asyncio.wait_for(answer, TIMEOUT)

    async def run(self, text: str, **members: Any) -> None:
        """Prompt, and wait until pi does nothing more by itself."""
        await self.ask("prompt", message=text, **members)
        await self.wait_for("agent_settled")

    async def command(self, name: str, /, **arguments: Any) -> None:
        """Run a command of our test's extension to its end."""
        answer = await self.ask("prompt", message=f"/{name} {json.dumps(arguments)}")
        assert answer == {"disposition": "handled"}
        failed = [event for event in self.events if event["type"] == "extension_error"]
        assert not failed, failed

    async def labels(self) -> dict[str, str]:
        """The labels in pi's tree, by the entry that has them."""
        nodes: list[JsonObject] = (await self.ask("get_tree"))["tree"]
        found: dict[str, str] = {}
        while nodes:
            node = nodes.pop()
            nodes += node["children"]
            if "label" in node:
                found[node["entry"]["id"]] = node["label"]
        return found

    async def wait_for(self, kind: str) -> JsonObject:
        """The next event of a type; those before it are passed over. An event is found once."""

        def find() -> JsonObject | None:
            while self._cursor < len(self.events):
                event = self.events[self._cursor]
                self._cursor += 1
                if event["type"] == kind:
                    return event
            return None

        async with self._changed:
            return await asyncio.wait_for(self._found(find), TIMEOUT)

    async def _found(self, find: Callable[[], JsonObject | None]) -> JsonObject:
        while (found := find()) is None:
            if self._ended:
                raise ConnectionError(f"pi ended: {self._stderr}")
            await self._changed.wait()
        return found

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while line := await stdout.readline():
            async with self._changed:
                self._take(json.loads(line))
                self._changed.notify_all()
        async with self._changed:
            self._ended = True
            self._changed.notify_all()
        for answer in self._open.values():
            if not answer.done():
                answer.set_exception(ConnectionError(f"pi ended: {self._stderr}"))
                answer.exception()

    def _take(self, message: JsonObject) -> None:
        if message["type"] != "response":
            self.events.append(message)
            return
        answer = self._open[message["id"]]
        if message["success"]:
            answer.set_result(message.get("data"))
        else:
            answer.set_exception(PiRefused(message["error"]))
            answer.exception()

    async def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while data := await stderr.read(65536):
            self._stderr += data.decode(errors="replace")
