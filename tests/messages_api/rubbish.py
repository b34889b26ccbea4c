"""What no mended event can show: bytes that are spoiled, streams that break off or never end, and
answers that are no streams at all. `mutations.py` draws from these.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import count, repeat
from typing import Any

from tests.messages_api.parts import STREAM_HEAD, Cut, Delay, Gate, Wire
from tests.messages_api.stream import Step

NESTED = "[" * 5_000 + "]" * 5_000
"""JSON that no recursive reader takes."""

TEXT_BLOCK = {"type": "text", "text": "one more "}

# --- spoiled bytes ----------------------------------------------------------------------------


def bytes_missing(source: random.Random, content: bytes) -> bytes:
    start = source.randrange(len(content) + 1)
    return content[:start] + content[start + source.randint(1, 200) :]


def bytes_too_many(source: random.Random, content: bytes) -> bytes:
    start = source.randrange(len(content) + 1)
    rubbish = source.choice(
        [b"\xff\xfe", b"\0", b"\n\n", b"\r", b"data: {\n\n", b"data:\n\n", source.randbytes(50)]
    )
    return content[:start] + rubbish + content[start:]


def bytes_changed(source: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(source.randint(1, 5)):
        if changed:
            changed[source.randrange(len(changed))] = source.randrange(256)
    return bytes(changed)


def half_of_the_bytes(source: random.Random, content: bytes) -> bytes:
    return content[: source.randrange(len(content) + 1)]


SPOILING_BYTES: list[Callable[[random.Random, bytes], bytes]] = [
    bytes_missing,
    bytes_too_many,
    bytes_changed,
    half_of_the_bytes,
]


# --- how it ends, or does not -----------------------------------------------------------------


def cut_off(_source: random.Random) -> Iterator[Step]:
    yield Cut()


def silence(_source: random.Random) -> Iterator[Step]:
    yield Gate()


def endless_pings(_source: random.Random) -> Iterator[Step]:
    yield from _again_and_again(b'event: ping\ndata: {"type": "ping"}\n\n')


def endless_comments(_source: random.Random) -> Iterator[Step]:
    yield from _again_and_again(b": still there\n")


def endless_line(_source: random.Random) -> Iterator[Step]:
    yield from _again_and_again(b"data: " + b"x" * 1000)


def endless_words(source: random.Random) -> Iterator[Step]:
    index, delta = source.randrange(3), {"type": "text_delta", "text": "on and on "}
    yield _event({"type": "content_block_start", "index": index, "content_block": TEXT_BLOCK})
    yield from _again_and_again(
        _event({"type": "content_block_delta", "index": index, "delta": delta})
    )


def endless_blocks(_source: random.Random) -> Iterator[Step]:
    for number in count(100):
        yield _event({"type": "content_block_start", "index": number, "content_block": TEXT_BLOCK})
        yield Delay(1)


ENDINGS: list[Callable[[random.Random], Iterator[Step]]] = [
    cut_off,
    silence,
    endless_pings,
    endless_comments,
    endless_line,
    endless_words,
    endless_blocks,
]


def _event(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def _again_and_again(content: bytes) -> Iterator[Step]:
    """Without an end, but not faster than a network."""
    for one in repeat(content):
        yield one
        yield Delay(1)


# --- what is no stream at all -----------------------------------------------------------------

_MESSAGE = json.dumps(
    {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "whole"}]}
).encode()
_PAGE = b"<!doctype html><html><body><h1>Welcome to the hotel network</h1></body></html>"


def _head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


NO_STREAMS: dict[str, Wire] = {
    "an HTML page": Wire([_PAGE], _head("content-type: text/html"), chunked=False),
    "an HTML page as a stream": Wire([_PAGE]),
    "a whole message": Wire([_MESSAGE], _head("content-type: application/json"), chunked=False),
    "an empty stream": Wire([]),
    "an empty answer": Wire([], _head("content-length: 0"), chunked=False),
    "no content": Wire([], _head(status="204 No Content"), chunked=False),
    "a redirect": Wire(
        [], _head("location: http://127.0.0.1:9/", "content-length: 0", status="302 Found"), False
    ),
    "a teapot": Wire([b"short"], _head("content-length: 5", status="418 Teapot"), chunked=False),
    "an unknown status": Wire([], _head("content-length: 0", status="799 What"), chunked=False),
    "a length that is too long": Wire([_PAGE], _head("content-length: 99999"), chunked=False),
    "a length that is too short": Wire([_PAGE], _head("content-length: 9"), chunked=False),
    "a length that is no number": Wire([_PAGE], _head("content-length: many"), chunked=False),
    "no HTTP": Wire([b"SSH-2.0-OpenSSH_9.9\r\n"], b"", chunked=False),
    "bytes": Wire([bytes(range(256))], b"", chunked=False),
    "a closed connection": Wire([], b"", chunked=False),
    "a cut connection": Wire([Cut()], b"", chunked=False),
    "half a head": Wire([Cut()], STREAM_HEAD[:40], chunked=False),
    "a head alone": Wire([Cut()]),
    "chunks that are none": Wire([b"zz\r\nhello\r\n"], STREAM_HEAD, chunked=False),
    "no zip": Wire([_PAGE], _head("content-encoding: gzip"), chunked=False),
    "an unknown encoding": Wire([_PAGE], _head("content-encoding: klingon"), chunked=False),
    "an error that is no JSON": Wire([b"{"], _head(status="500 Oh"), chunked=False),
    "an error of a strange shape": Wire(
        [b'{"error": [[{"message": {"a": 1}}]]}'], _head(status="400 Bad Request"), chunked=False
    ),
    "an error that is deep": Wire(
        [NESTED.encode()],
        _head("content-type: application/json", status="400 Bad Request"),
        chunked=False,
    ),
    "never a byte": Wire([Gate()], b"", chunked=False),
    "an error with a strange wait": Wire(
        [b"{}"], _head("retry-after: 10e400", status="429 Too Many"), chunked=False
    ),
}
