"""What a reply is made of."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

WAIT_SECONDS = 45.0
"""After this a test that waits for something that does not come fails."""

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\n"
    b"content-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\n"
    b"request-id: req_test\r\n\r\n"
)
"""What comes before every stream of events."""


@dataclass(frozen=True)
class Text:
    """A text block, streamed in `pieces` deltas; `in_start` characters stand in its start."""

    text: str
    pieces: int = 2
    in_start: int = 0


@dataclass(frozen=True)
class Thinking:
    """A thinking block with its signature; None sends none."""

    thinking: str
    signature: str | None = "c2lnbmVk"
    pieces: int = 2
    in_start: int = 0


@dataclass(frozen=True)
class Redacted:
    """Thinking that the service hides."""

    data: str


@dataclass(frozen=True)
class ToolCall:
    """A tool call; arguments that are a string are sent as they stand, valid JSON or not.

    `whole_in_start` puts the arguments into the block's start, as some services do.
    """

    name: str
    arguments: Json | str = field(default_factory=dict)
    id: str | None = None
    pieces: int = 3
    whole_in_start: bool = False


@dataclass(frozen=True)
class Ping:
    pass


@dataclass(frozen=True)
class Comment:
    """A comment line of the event stream."""

    text: str = "keep-alive"


@dataclass(frozen=True)
class Event:
    """Any event; `name` None leaves the `event:` line out."""

    name: str | None
    data: Json | str


@dataclass(frozen=True)
class ErrorEvent:
    """An error in the middle of the stream; the reply ends with it."""

    kind: str
    message: str


@dataclass(frozen=True)
class Raw:
    """Bytes of the event stream, as they stand."""

    content: bytes


@dataclass(frozen=True)
class Cut:
    """The connection is reset; the reply ends with it."""


@dataclass(frozen=True)
class Delay:
    """Only for scripts that a person watches; tests use a `Gate`."""

    ms: float


class Gate:
    """A point in a reply where the server waits until the test opens it.

    A gate that is never opened holds the reply until the client goes away.
    """

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._lock = threading.Lock()
        self._is_open = False
        self._waiting: list[Callable[[], object]] = []

    async def reached(self) -> None:
        """Wait until the server stands here."""
        if not await asyncio.to_thread(self._reached.wait, WAIT_SECONDS):
            raise AssertionError("the server never came to this gate")

    def open(self) -> None:
        """Let the server go on."""
        with self._lock:
            self._is_open = True
            waiting, self._waiting = self._waiting, []
        for go_on in waiting:
            go_on()

    def arrive(self, go_on: Callable[[], object]) -> None:
        """The server is here; `go_on` is called, in any thread, when the gate is open."""
        with self._lock:
            if not self._is_open:
                self._waiting.append(go_on)
                go_on = _stay
        self._reached.set()
        go_on()


def _stay() -> None:
    """The gate is closed."""


Part = (
    Text
    | Thinking
    | Redacted
    | ToolCall
    | Ping
    | Comment
    | Event
    | ErrorEvent
    | Raw
    | Cut
    | Delay
    | Gate
)


@dataclass(frozen=True)
class Reply:
    """A stream.

    Attributes:
        stop_reason: None for what fits the parts.
        usage: of `message_delta`; None for an estimate, `{}` to leave it out.
        message_stop: whether the stream says that it is complete.
        split: the bytes of the stream are sent in pieces of so many; None for one per event.
    """

    parts: tuple[Part, ...]
    stop_reason: str | None = None
    stop_details: Json | None = None
    usage: Json | None = None
    start_usage: Json | None = None
    message_stop: bool = True
    split: int | None = None
    delay_ms: float = 0
    line_end: str = "\n"


@dataclass(frozen=True)
class HttpError:
    """An answer that is no stream; `body` replaces the usual error object."""

    status: int
    kind: str = "api_error"
    message: str = "Internal server error"
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True)
class Wire:
    """An answer whose every byte the test decides; the connection ends with it.

    Attributes:
        steps: may have no end; they are played until the client goes away.
        head: the status line and the headers, with the empty line after them.
        chunked: whether the steps are sent as HTTP chunks, which is what the usual head says.
    """

    steps: Iterable[bytes | Gate | Cut | Delay]
    head: bytes = STREAM_HEAD.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
    chunked: bool = True
