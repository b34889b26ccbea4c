"""A small real editor for tests: it speaks LSP with the installed server over stdio.

It keeps buffers, applies the server's edits to them, and answers approvals, saves and
diagnostics as a plugin would. Nothing here sleeps: whoever waits, waits for a message.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.editor import Answer, Buffer, Editor, JsonObject

SERVER = (str(Path(sys.executable).with_name("pi-lsp")),)
TIMEOUT = 45.0


class RequestFailed(Exception):
    """The server answered with an error."""

    def __init__(self, error: JsonObject) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.number: int = error["code"]
        self.message: str = error["message"]
        self.data: JsonObject = error.get("data") or {}

    @property
    def code(self) -> str | None:
        """Our own word for it (`busy`, `not_found`)."""
        return self.data.get("code")


class Client:
    """One connection. Use it in `async with`.

    Attributes:
        events: the params of every `pi/event` so far.
        notifications: every other notification, as (method, params).
        requests: every request of the server, as (method, params).
        received: every message of the server, in order.
        info: the server's answer to `initialize`.
    """

    def __init__(
        self,
        folder: Path,
        home: Path,
        *,
        editor: Editor | None = None,
        settings: JsonObject | None = None,
        environment: Mapping[str, str] | None = None,
        folders: list[Path] | None = None,
        arguments: tuple[str, ...] = (),
        server: tuple[str, ...] = SERVER,
    ) -> None:
        self.folder = folder
        self.home = home
        self.editor = editor or Editor()
        self.settings = {"trusted": True, **(settings or {})}
        self.folders = [folder] if folders is None else folders
        self.events: list[JsonObject] = []
        self.notifications: list[tuple[str, JsonObject]] = []
        self.requests: list[tuple[str, JsonObject]] = []
        self.received: list[JsonObject] = []
        self.info: JsonObject = {}
        self.stderr = ""
        self._environment = dict(environment or {})
        self._command = (*server, *arguments)
        self._ids = itertools.count(1)
        self._open: dict[int | str, asyncio.Future[Any]] = {}
        self._changed = asyncio.Condition()
        self._cursor = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unanswered: list[JsonObject] = []
        self._reading = asyncio.Event()
        self._reading.set()
        self._process: asyncio.subprocess.Process

    # Start and end

    async def __aenter__(self) -> Client:
        await self.spawn()
        await self.initialize()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.returncode is None:
            await self.quit()

    async def spawn(self) -> None:
        """Start the server, and say nothing yet."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=self.folder,
            env={
                **kept,
                "PI_LSP_DEMO_PAUSE_MS": "0",
                "HOME": str(self.home),
                "PI_CODING_AGENT_DIR": str(self.home / ".pi" / "agent"),
                **self._environment,
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=1 << 16,
        )
        self._spawn(self._read())
        self._spawn(self._read_stderr())

    async def initialize(self, **params: Any) -> JsonObject:
        """Shake hands."""
        folders = [{"uri": one.as_uri(), "name": one.name} for one in self.folders]
        self.info = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "workspaceFolders": folders,
                "capabilities": self.editor.capabilities(),
                "initializationOptions": self.settings,
                **params,
            },
        )
        self.notify("initialized", {})
        return self.info

    async def quit(self) -> int:
        """End in the way of LSP; returns the exit code."""
        await self.request("shutdown")
        self.notify("exit")
        return await self.exit_code()

    async def hang_up(self) -> int:
        """Close the pipe to the server, as an editor that quits; returns the exit code."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.close()
        return await self.exit_code()

    def stop_reading(self) -> None:
        """Take nothing more from the server, until `read_on`."""
        self._reading.clear()

    def read_on(self) -> None:
        self._reading.set()

    def kill(self) -> None:
        """End the server as a crash would."""
        self._process.kill()

    async def exit_code(self) -> int:
        """Wait for the server's end."""
        return await asyncio.wait_for(self._process.wait(), TIMEOUT)

    @property
    def pid(self) -> int:
        return self._process.pid

    # Messages

    async def request(self, method: str, params: Any = None, **members: Any) -> Any:
        """Ask the server; `members` are params too.

        Raises:
            RequestFailed: it answered with an error.
        """
        return await self.answer_to(self.send_request(method, params, **members))

    def send_request(self, method: str, params: Any = None, **members: Any) -> int:
        """Send a request without waiting; returns its id."""
        if self._process.returncode is not None:
            raise ConnectionError(f"the server has ended: {self.stderr}")
        message_id = next(self._ids)
        self._open[message_id] = asyncio.get_running_loop().create_future()
        message: JsonObject = {"jsonrpc": "2.0", "id": message_id, "method": method}
        given = {**(params or {}), **members} if members else params
        if given is not None:
            message["params"] = given
        self.send(message)
        return message_id

    async def answer_to(self, message_id: int) -> Any:
        """The answer to a request that was sent."""
        return await asyncio.wait_for(self._open[message_id], TIMEOUT)

    def notify(self, method: str, params: Any = None) -> None:
        message: JsonObject = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def send(self, message: Any) -> None:
        """Send any JSON as one frame."""
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(data)

    async def error_without_id(self) -> JsonObject:
        """The next error that the server sent for a message that it could not read."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(lambda: bool(self._unanswered)), TIMEOUT)
        return self._unanswered.pop(0)

    # Waiting

    async def wait_for(
        self, wanted: str | Callable[[JsonObject], bool], *, timeout: float = TIMEOUT
    ) -> JsonObject:
        """The next event of a type, or for which a predicate holds; those before it are passed
        over. An event is found once."""
        matches = (lambda event: event["type"] == wanted) if isinstance(wanted, str) else wanted

        def find() -> JsonObject | None:
            while self._cursor < len(self.events):
                event = self.events[self._cursor]["event"]
                self._cursor += 1
                if matches(event):
                    return event
            return None

        async with self._changed:
            return await asyncio.wait_for(self._found(find), timeout)

    async def wait_for_notification(self, method: str) -> JsonObject:
        """The first notification of a method, which may have come already."""
        async with self._changed:
            return await asyncio.wait_for(
                self._found(lambda: next((p for m, p in self.notifications if m == method), None)),
                TIMEOUT,
            )

    async def wait_for_request(self, method: str, count: int = 1) -> JsonObject:
        """The params of the count-th request of a method, which may have come already."""

        def find() -> JsonObject | None:
            found = [params for name, params in self.requests if name == method]
            return found[count - 1] if len(found) >= count else None

        async with self._changed:
            return await asyncio.wait_for(self._found(find), TIMEOUT)

    async def run(self, text: str, **members: Any) -> JsonObject:
        """Prompt, and wait until it is settled; returns that event."""
        await self.request("pi/prompt", {"text": text, **members})
        return await self.wait_for("settled")

    def forget(self) -> None:
        """Drop what came so far, for tests that run for long."""
        self.events.clear()
        self.notifications.clear()
        self.requests.clear()
        self._cursor = 0

    def event_types(self) -> list[str]:
        """The types of all events so far, in order."""
        return [one["event"]["type"] for one in self.events]

    # Buffers

    def open(self, path: Path, text: str | None = None) -> Buffer:
        """Open a file; with another text than it has on the disk when one is given."""
        shown = path.read_text() if text is None else text
        buffer = Buffer(path.as_uri(), shown, dirty=text is not None)
        self.editor.buffers[buffer.uri] = buffer
        item = {"uri": buffer.uri, "languageId": "text", "version": 1, "text": shown}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return buffer

    def type(self, buffer: Buffer, text: str) -> None:
        """Change a buffer as a person does."""
        self._change(buffer, text)
        buffer.dirty = True

    def _change(self, buffer: Buffer, text: str) -> None:
        buffer.text = text
        buffer.version += 1
        identifier = {"uri": buffer.uri, "version": buffer.version}
        self.notify(
            "textDocument/didChange",
            {"textDocument": identifier, "contentChanges": [{"text": text}]},
        )

    # Answers to the server

    def _apply_edit(self, params: JsonObject) -> JsonObject:
        change = params["edit"]["documentChanges"][0]
        buffer = self.editor.buffers[change["textDocument"]["uri"]]
        if change["textDocument"]["version"] != buffer.version:
            return {"applied": False, "failureReason": "the document has changed"}
        text = buffer.text
        for edit in reversed(change["edits"]):
            start = self.editor.index(text, edit["range"]["start"])
            end = self.editor.index(text, edit["range"]["end"])
            text = text[:start] + edit["newText"] + text[end:]
        self._change(buffer, text)
        return {"applied": True}

    def _save(self, params: JsonObject) -> JsonObject:
        for uri in params["uris"]:
            buffer = self.editor.buffers[uri]
            formatted = self.editor.on_save(buffer.text)
            if formatted != buffer.text:
                self._change(buffer, formatted)
            path = Path(uri.removeprefix("file://"))
            path.write_text(buffer.text)
            buffer.dirty = False
            self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        return {"saved": params["uris"]}

    async def _answer(self, message: JsonObject) -> None:
        own: dict[str, Answer] = {
            "pi/approve": lambda _params: {"decision": "allow"},
            "pi/save": self._save,
            "pi/diagnostics": lambda _params: {"diagnostics": []},
            "workspace/applyEdit": self._apply_edit,
            "window/workDoneProgress/create": lambda _params: None,
        }
        method, params = message["method"], message.get("params") or {}
        answer = self.editor.answers.get(method) or own.get(method)
        reply: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            if answer is None:
                raise LookupError(f"{method} is not known")
            result = answer(params)
            reply["result"] = await result if isinstance(result, Awaitable) else result
        except Exception as error:  # noqa: BLE001 - a test's answer may raise anything
            reply["error"] = {"code": -32603, "message": str(error)}
        self.send(reply)

    # Reading

    async def _found(self, find: Callable[[], Any]) -> Any:
        while (found := find()) is None:
            await self._changed.wait()
        return found

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while header := await self._next_header(stdout):
            if not header.lower().startswith(b"content-length:"):
                continue
            await stdout.readuntil(b"\r\n")
            body = await stdout.readexactly(int(header.split(b":")[1]))
            async with self._changed:
                self._take(json.loads(body))
                self._changed.notify_all()
        for future in self._open.values():
            if not future.done():
                future.set_exception(ConnectionError(f"the server ended: {self.stderr}"))
                future.exception()

    async def _next_header(self, stdout: asyncio.StreamReader) -> bytes:
        await self._reading.wait()
        return await stdout.readline()

    def _take(self, message: JsonObject) -> None:
        self.received.append(message)
        if "method" in message and "id" in message:
            self.requests.append((message["method"], message.get("params") or {}))
            self._spawn(self._answer(message))
        elif message.get("method") == "pi/event":
            self.events.append(message["params"])
        elif "method" in message:
            self.notifications.append((message["method"], message.get("params") or {}))
        elif message["id"] is None:
            self._unanswered.append(message["error"])
        else:
            future = self._open[message["id"]]
            if "error" in message:
                future.set_exception(RequestFailed(message["error"]))
                future.exception()
            else:
                future.set_result(message.get("result"))

    async def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while data := await stderr.read(65536):
            self.stderr += data.decode(errors="replace")

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
