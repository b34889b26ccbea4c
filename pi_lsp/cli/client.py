"""A small client of the server: starts it as an editor would, and speaks LSP with it over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from pi_lsp import __version__, system
from pi_lsp.messages import JsonObject

Answer = Callable[[JsonObject], Awaitable[object]]

_METHOD_NOT_FOUND = -32601
_INTERNAL_ERROR = -32603
_REQUEST_CANCELLED = -32800
_CLOSE_WAIT_S = 10
_HANG_UP_WAIT_S = 3
_EXIT_WAIT_S = 2
"""Between the end of what the server says and the end of its process."""


class RequestFailedError(Exception):
    """The server answered with an error; the message is for a person."""


class ServerGoneError(Exception):
    """The server ended, or could not be started."""


@dataclass(frozen=True)
class Launch:
    """How to start the server.

    Attributes:
        folder: the workspace folder.
        settings: the client's settings (`initializationOptions`).
        arguments: more arguments for the server's command line.
    """

    folder: Path
    settings: JsonObject = field(default_factory=dict[str, Any])
    arguments: Sequence[str] = ()


class Client:
    """A running server with one workspace folder. Use it in `async with`.

    Leaving the block ends the server; one that does not end in time is killed.

    Args:
        on_event: hears the events of `pi/event`, in order. An OSError (the output that it writes
            to is gone) ends the connection, and is raised by `request` and `gone`.
        on_message: hears `window/showMessage`: the type (1 error … 4 log) and the text.
        answers: answers to the server's own requests, by method.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        on_event: Callable[[JsonObject], None],
        on_message: Callable[[int, str], None],
        answers: Mapping[str, Answer],
    ) -> None:
        self._launch = launch
        self._on_event = on_event
        self._on_message = on_message
        self._answers = answers
        self._process: asyncio.subprocess.Process
        self._reading: asyncio.Task[None]
        self._waiting: dict[int, asyncio.Future[JsonObject]] = {}
        self._answering: dict[object, asyncio.Task[None]] = {}
        self._last_id = 0
        self._fault: OSError | None = None

    async def __aenter__(self) -> Client:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "pi_lsp",
            *self._launch.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._launch.folder,
            **system.apart(),  # Ctrl-C is for us: the server is told by `pi/abort`
        )
        self._reading = asyncio.create_task(self._read())
        try:
            await self._handshake()
        except BaseException:
            await self._hang_up()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, asyncio.CancelledError):
            await self._hang_up()
            return
        try:
            await asyncio.wait_for(self._close(), _CLOSE_WAIT_S)
        except (asyncio.TimeoutError, ServerGoneError, RequestFailedError, OSError):
            await self._hang_up()

    async def request(self, method: str, params: JsonObject | None = None) -> JsonObject:
        """Ask the server.

        Raises:
            RequestFailedError: it answered with an error.
            ServerGoneError: it ended before it answered.
            OSError: what it told could not be taken.
        """
        if self._reading.done():
            raise self._fault or ServerGoneError(self._farewell())
        self._last_id += 1
        answer = self._waiting[self._last_id] = asyncio.get_running_loop().create_future()
        self._send({"id": self._last_id, "method": method, "params": params or {}})
        return await answer

    async def gone(self) -> None:
        """Wait until the server has ended.

        Raises:
            OSError: what it told could not be taken.
        """
        await asyncio.wait({self._reading})
        if self._fault is not None:
            raise self._fault

    async def _hang_up(self) -> None:
        """End the server by going away: it stops what runs and writes it down; else kill it."""
        pipe = self._process.stdin
        assert pipe is not None
        pipe.close()
        ended = asyncio.ensure_future(self._process.wait())
        await asyncio.wait({ended}, timeout=_HANG_UP_WAIT_S)
        if self._process.returncode is None:
            self._process.kill()
        await asyncio.wait({ended, self._reading})

    async def _handshake(self) -> None:
        uri = self._launch.folder.as_uri()
        await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": "pi-lsp", "version": __version__},
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self._launch.folder.name}],
                "capabilities": {"experimental": {"pi": {"approval": True}}},
                "initializationOptions": self._launch.settings,
            },
        )
        self._send({"method": "initialized", "params": {}})

    async def _close(self) -> None:
        await self.request("shutdown")
        self._send({"method": "exit"})
        await self._process.wait()
        await self.gone()

    def _send(self, message: JsonObject) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        pipe = self._process.stdin
        assert pipe is not None
        if not pipe.is_closing():
            pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        try:
            while message := await _next_message(pipe):
                self._take(message)
            await asyncio.wait({asyncio.ensure_future(self._process.wait())}, timeout=_EXIT_WAIT_S)
        except OSError as error:
            self._fault = error
        finally:
            for task in self._answering.values():
                task.cancel()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(self._fault or ServerGoneError(self._farewell()))

    def _take(self, message: JsonObject) -> None:
        method: str | None = message.get("method")
        params: JsonObject = message.get("params") or {}
        if method is None:
            self._resolve(message)
        elif "id" in message:
            self._answer(message["id"], method, params)
        elif method == "pi/event":
            self._on_event(params["event"])
        elif method == "window/showMessage":
            self._on_message(params["type"], params["message"])
        elif method == "$/cancelRequest" and params["id"] in self._answering:
            self._answering[params["id"]].cancel()

    def _resolve(self, message: JsonObject) -> None:
        answer = self._waiting.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(RequestFailedError(message["error"]["message"]))
        else:
            answer.set_result(message.get("result") or {})

    def _answer(self, request_id: object, method: str, params: JsonObject) -> None:
        handler = self._answers.get(method)
        if handler is None:
            error = {"code": _METHOD_NOT_FOUND, "message": f"{method} is not known here"}
            self._send({"id": request_id, "error": error})
            return

        async def answer() -> None:
            try:
                self._send({"id": request_id, "result": await handler(params)})
            except OSError as fault:  # there is no terminal any more to ask on
                error = {"code": _INTERNAL_ERROR, "message": str(fault)}
                self._send({"id": request_id, "error": error})
            except asyncio.CancelledError:
                error = {"code": _REQUEST_CANCELLED, "message": "cancelled"}
                self._send({"id": request_id, "error": error})
                raise
            finally:
                del self._answering[request_id]

        self._answering[request_id] = asyncio.create_task(answer())

    def _farewell(self) -> str:
        code = self._process.returncode
        return f"The server ended{f' with code {code}' if code else ''}; its log says why."


async def _next_message(pipe: asyncio.StreamReader) -> JsonObject | None:
    """The next message; None at the end."""
    length = 0
    try:
        while (header := await pipe.readuntil(b"\r\n")) != b"\r\n":
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(await pipe.readexactly(length))
    except asyncio.IncompleteReadError:
        return None
