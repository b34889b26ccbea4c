"""Bytes on the pipe that are no frames, half frames and strange frames: the server finds its way
back, and loses nothing that stands whole behind what was whole."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field

import pytest

from tests.editor import JsonObject
from tests.fuzz.cases import TIMEOUT, case, seeds
from tests.fuzz.conftest import StartWatched
from tests.fuzz.watched import WatchedClient
from tests.fuzz.whole import check_all_is_well, new_session
from tests.messages_api import MessagesApi, Reply, Text

pytestmark = pytest.mark.timeout(TIMEOUT)

SWALLOWED_BYTES = 2_000
"""A frame may say that it is longer than it is, by less than this."""

DEEP = b"[" * 50_000

BAD_BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"pi/state"',
    b"\xff\xfe\xfd",
    DEEP,
    b'{"jsonrpc": "2.0", "id": 1e400, "method": "pi/state"}',
    b'{"jsonrpc": "2.0", "id": 1.5, "method": "pi/state"}',
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "pi/state"}',
    b'{"jsonrpc": "2.0", "id": null, "method": "pi/state"}',
    b'{"jsonrpc": "2.0", "id": [1], "method": {}}',
    b'{"jsonrpc": "1.0", "id": "old", "method": "pi/state"}',
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": "zz", "result": 1, "error": 2}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": ' + DEEP + b"}",
    b'{"jsonrpc": "2.0", "method": "", "method": "pi/state", "params": [[[]]]}',
    b'[{"jsonrpc": "2.0", "id": "batch", "method": "pi/state"}]',
    b'{"jsonrpc": "2.0", "method": "pi/prompt", "params": {"text": "' + b"x" * 10**6 + b'"}}',
]


@dataclass
class Bytes:
    """What a case sends, and which requests in it must be answered."""

    pieces: list[bytes] = field(default_factory=list[bytes])
    asked: dict[int | str, int] = field(default_factory=dict[int | str, int])
    in_step: bool = True

    def ask(self, source: random.Random, number: int) -> None:
        """A good request in some allowed form; it counts only where frames follow each other."""
        message: JsonObject = {"jsonrpc": "2.0", "id": f"frame-{number}", "method": "pi/state"}
        body = json.dumps(message, indent=source.choice([None, 1])).encode()
        self.pieces.append(header(source, len(body)) + body)
        if self.in_step:
            self.asked[f"frame-{number}"] = 1

    def ask_wrongly(self, source: random.Random) -> None:
        """A whole frame whose body is no request that could be answered."""
        body = source.choice([*BAD_BODIES, source.randbytes(source.randrange(300))])
        self.pieces.append(header(source, len(body)) + body)

    def confuse(self, source: random.Random) -> None:
        """Something after which nobody can say where the next frame begins."""
        body = b'{"jsonrpc": "2.0", "id": "lost", "method": "pi/state"}'
        wrong = len(body) + source.choice([-20, -1, 1, 50, SWALLOWED_BYTES - 100])
        self.pieces.append(
            source.choice(
                [
                    header(source, wrong) + body,
                    body,
                    b"Content-Length: 12\r\n",
                    b"Content-Length: x\r\n\r\n",
                    b"Content-Length: -5\r\n\r\n",
                    b"Content-Length: 99999999999\r\n\r\n",
                    b"Content-Length: 99999999999999999999999\r\n\r\n",
                    b"X: " + b"y" * source.choice([10, 20_000]),
                    b"\r\n" * 5,
                    b"\0" * 100,
                    source.randbytes(source.randrange(3000)),
                ]
            )
        )
        self.in_step = False

    def sent_as(self, source: random.Random) -> list[bytes]:
        """The bytes as they are written: in pieces that know nothing of frames."""
        content = b"".join(self.pieces)
        if source.random() < 0.3:
            return [content]
        longest = max(source.choice([1, 30, 3000]), len(content) // 500)
        cut: list[bytes] = []
        while content:
            size = source.randint(1, longest)
            cut.append(content[:size])
            content = content[size:]
        return cut


def header(source: random.Random, length: int) -> bytes:
    """A header in one of the forms that are allowed, or near enough to be understood."""
    return source.choice(
        [
            b"Content-Length: %d\r\n\r\n",
            b"Content-Length: %d\r\nContent-Type: application/x; charset=utf-8\r\n\r\n",
            b"Content-Type: application/vscode-jsonrpc\r\nContent-Length: %d\r\n\r\n",
            b"content-length:%d\r\n\r\n",
            b"Content-Length: \t %d \n\n",
        ]
    ) % (length)


async def back_in_step(client: WatchedClient) -> None:
    """Ask until the server answers; what a frame that is too long may swallow is limited."""
    for number in range(SWALLOWED_BYTES // 60 + 3):
        client.send({"jsonrpc": "2.0", "id": f"again-{number}", "method": "pi/state"})
    client.send({"jsonrpc": "2.0", "id": "back", "method": "pi/state"})
    await client.answered_at_all({"back": 1})


async def test_any_bytes(start: StartWatched, api: MessagesApi) -> None:
    api.otherwise(lambda _request: Reply((Text("Here I am."),)))
    client = await start()
    for seed in seeds(20):
        with case(seed) as source:
            await new_session(client)
            sent = Bytes()
            for number in range(source.randint(1, 15)):
                kinds = [sent.ask, lambda source, _number: sent.ask_wrongly(source)]  # noqa: B023
                source.choice(kinds)(source, number)
            for _ in range(source.choice([0, 1, 3])):
                sent.confuse(source)
            for piece in sent.sent_as(source):
                client.send_bytes(piece)
                await asyncio.sleep(0)
            await back_in_step(client)
            for message_id, times in sent.asked.items():
                assert client.answered.get(message_id) == times, f"{message_id} of {sent.pieces}"
            await check_all_is_well(client)


async def test_a_message_as_large_as_a_book_does_not_hold_up_the_next(
    start: StartWatched, api: MessagesApi
) -> None:
    """6 MB of a document's text in one frame, then a request."""
    api.otherwise(lambda _request: Reply((Text("Here I am."),)))
    client = await start()
    await client.request("pi/state")
    text = "line of a book\n" * 400_000
    item = {"uri": "file:///book.txt", "languageId": "text", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})
    client.notify("textDocument/didClose", {"textDocument": {"uri": item["uri"]}})
    assert (await client.request("pi/state"))["phase"] == "idle"
    await check_all_is_well(client)
