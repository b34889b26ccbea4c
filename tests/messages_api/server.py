"""The HTTP server: takes requests, checks them, and plays the replies of the script."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any

from tests.messages_api.parts import (
    STREAM_HEAD,
    WAIT_SECONDS,
    Cut,
    Delay,
    Gate,
    HttpError,
    Part,
    Reply,
    Wire,
)
from tests.messages_api.requests import ApiRequest, in_turns
from tests.messages_api.rules import problems_of
from tests.messages_api.stream import Step, steps

MAX_BODY = 32 * 1024 * 1024

Answer = Reply | HttpError | Wire
Script = Callable[[ApiRequest], Answer]


class MessagesApi:
    """The server; it runs in a thread of its own, so tests with and without a loop can use it.

    Args:
        key: the key that it takes; None takes any.
        strict: whether leaving the `with` block fails after a request that broke a rule, or for
            which the script had no reply.
        port: 0 for any free one.
        lenient: whether it takes, as the real service does, what other programs send and we never
            do (see `in_turns`).

    Attributes:
        requests: all requests that were answered from the script.
        problems: what was wrong with the others.
    """

    def __init__(
        self, *, key: str | None = None, strict: bool = True, port: int = 0, lenient: bool = False
    ) -> None:
        self.requests: list[ApiRequest] = []
        self.problems: list[str] = []
        self.connections = 0
        self._key = key
        self._strict = strict
        self._lenient = lenient
        self._port = port
        self._replies: deque[Answer | Script] = deque()
        self._otherwise: Script | None = None
        self._changed = threading.Condition()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="messages-api", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._open: set[_Connection] = set()

    # --- for tests ------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def reply(self, *parts: Part | HttpError, **options: Any) -> None:
        """The next reply of the script: parts of a stream with `Reply`'s options, or an error."""
        if len(parts) == 1 and isinstance(parts[0], HttpError):
            self._replies.append(parts[0])
            return
        streamed = tuple(part for part in parts if not isinstance(part, HttpError))
        assert len(streamed) == len(parts), "an HttpError stands alone"
        self._replies.append(Reply(streamed, **options))

    def reply_by(self, script: Script) -> None:
        """The next reply, made from its request."""
        self._replies.append(script)

    def otherwise(self, script: Script) -> None:
        """What answers requests when the script is at its end."""
        self._otherwise = script

    async def received(self, count: int) -> ApiRequest:
        """Wait for the request of this number (from 1) and give it."""
        return await asyncio.to_thread(self.wait_for, count)

    def wait_for(self, count: int) -> ApiRequest:
        """As `received`, for tests without an event loop."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, WAIT_SECONDS):
                raise AssertionError(f"only {len(self.requests)} of {count} requests came")
            return self.requests[count - 1]

    def __enter__(self) -> MessagesApi:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        if error is None and self._strict and self.problems:
            raise AssertionError("requests were refused:\n" + "\n".join(self.problems))

    def start(self) -> None:
        self._thread.start()
        self._started.wait(WAIT_SECONDS)

    def stop(self) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(WAIT_SECONDS)

    # --- the server -----------------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await self._loop.create_server(
            lambda: _Connection(self._converse), "127.0.0.1", self._port
        )
        self._port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._stop.wait()
        server.close()
        for connection in self._open:
            connection.writer.transport.abort()
        if tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks, timeout=WAIT_SECONDS)

    async def _converse(self, connection: _Connection) -> None:
        """All requests of one connection, one after the other."""
        self.connections += 1
        self._open.add(connection)
        try:
            while (request := await _read_request(connection.reader)) is not None:
                answer = self._answer(request)
                if isinstance(answer, HttpError):
                    await _send_error(connection, answer)
                elif isinstance(answer, Wire):
                    await _send_wire(connection, answer, request)
                    return
                elif not await _send_stream(connection, answer, request):
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, which tests see as `abandoned`
        finally:
            self._open.discard(connection)
            connection.writer.close()

    def _answer(self, request: ApiRequest) -> Answer:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
        script = self._replies.popleft() if self._replies else self._otherwise
        if script is None:
            self.problems.append(f"request {len(self.requests)}: the script has no reply for it")
            return HttpError(400, "invalid_request_error", "the script has no reply for this")
        return script(request) if callable(script) else script

    def _refusal(self, request: ApiRequest) -> HttpError | None:
        """What the real API answers when the request breaks one of its rules."""
        if (request.method, request.path) != ("POST", "/v1/messages"):
            self.problems.append(f"{request.method} {request.path} is not served")
            return HttpError(404, "not_found_error", "Not found")
        if request.size > MAX_BODY:
            return HttpError(413, "request_too_large", "Request exceeds the maximum size")
        if not request.key or (self._key is not None and request.key != self._key):
            return HttpError(401, "authentication_error", "invalid API key")
        if self._lenient:
            request.body["messages"] = in_turns(request.messages)
        problems = problems_of(request.body)
        if "anthropic-version" not in request.headers:
            problems.append("anthropic-version: header is required")
        if not problems:
            return None
        self.problems += problems
        return HttpError(400, "invalid_request_error", problems[0])


class _Connection(asyncio.StreamReaderProtocol):
    """One connection.

    Attributes:
        gone: set as soon as the client has closed it.
        go_on: set when a gate is opened, and when the client is gone.
    """

    writer: asyncio.StreamWriter

    def __init__(self, converse: Callable[[_Connection], Any]) -> None:
        self.reader = asyncio.StreamReader(limit=2 * MAX_BODY)
        self.gone = asyncio.Event()
        self.go_on = asyncio.Event()
        self._converse = converse
        super().__init__(self.reader, self._begin)

    def _begin(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Any:
        self.writer = writer
        return self._converse(self)

    def eof_received(self) -> bool:
        self._leave()
        return bool(super().eof_received())

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        self.gone.set()
        self.go_on.set()


async def _read_request(reader: asyncio.StreamReader) -> ApiRequest | None:
    """The next request of a connection; None at its end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    request_line, *lines = head.strip().split("\r\n")
    method, path, _ = request_line.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    content = await reader.readexactly(int(headers.get("content-length", 0)))
    body = json.loads(content) if content else {}
    return ApiRequest(method, path.partition("?")[0], headers, body, len(content))


async def _send_error(connection: _Connection, error: HttpError) -> None:
    usual = {
        "type": "error",
        "error": {"type": error.kind, "message": error.message},
        "request_id": "req_test",
    }
    body = (json.dumps(usual) if error.body is None else error.body).encode()
    headers = {
        "content-type": "application/json" if error.body is None else "text/html",
        "content-length": str(len(body)),
        "request-id": "req_test",
        **error.headers,
    }
    connection.writer.write(_head(error.status, headers) + body)
    await connection.writer.drain()


async def _send_stream(connection: _Connection, reply: Reply, request: ApiRequest) -> bool:
    """Play a reply. Returns whether the connection can take another request."""
    writer = connection.writer
    writer.write(STREAM_HEAD)

    async def send(content: bytes) -> None:
        await _send(writer, content, reply)

    if not await _play(connection, steps(reply, request), send, request):
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def _send_wire(connection: _Connection, wire: Wire, request: ApiRequest) -> None:
    """Play an answer that may be anything."""
    writer = connection.writer
    writer.write(wire.head)

    async def send(content: bytes) -> None:
        if content or not wire.chunked:  # a chunk of no bytes would be the last one
            writer.write(_chunk(content) if wire.chunked else content)
        await writer.drain()
        await asyncio.sleep(0)

    if await _play(connection, wire.steps, send, request) and wire.chunked:
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _play(
    connection: _Connection,
    played: Iterable[Step],
    send: Callable[[bytes], Awaitable[None]],
    request: ApiRequest,
) -> bool:
    """Do one step after the other; False when the connection was cut."""
    try:
        for step in played:
            if isinstance(step, Cut):
                connection.writer.transport.abort()
                return False
            if isinstance(step, Gate):
                await _wait_at(step, connection)
            elif isinstance(step, Delay):
                await asyncio.sleep(step.ms / 1000)
            else:
                await send(step)
            if connection.gone.is_set():
                raise ConnectionResetError
    except ConnectionError:
        request.abandoned.set()
        raise
    return True


async def _send(writer: asyncio.StreamWriter, content: bytes, reply: Reply) -> None:
    size = reply.split or len(content)
    for start in range(0, len(content), size):
        chunk = content[start : start + size]
        writer.write(_chunk(chunk))
        if reply.split:
            await writer.drain()
            await asyncio.sleep(0)
    await writer.drain()
    if reply.delay_ms:
        await asyncio.sleep(reply.delay_ms / 1000)


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


async def _wait_at(gate: Gate, connection: _Connection) -> None:
    """Wait until the gate is opened or the client is gone."""
    await connection.writer.drain()
    loop = asyncio.get_running_loop()

    def go_on() -> None:
        if not loop.is_closed():  # a gate that is opened after the server has stopped
            loop.call_soon_threadsafe(connection.go_on.set)

    gate.arrive(go_on)
    await connection.go_on.wait()
    connection.go_on.clear()


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
