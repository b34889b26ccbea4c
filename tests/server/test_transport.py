"""The pipe to the editor: real pipes, real threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from io import FileIO

import pytest_asyncio

from pi_lsp.server.frames import BadFrame, FrameDecoder, frame
from pi_lsp.server.transport import CONGESTED_BYTES, Transport


class Pipe:
    """A transport between two pipes, and their other ends."""

    def __init__(self) -> None:
        server_in, self.to_server = os.pipe()
        self.from_server, server_out = os.pipe()
        self.received: asyncio.Queue[bytes | BadFrame] = asyncio.Queue()
        self.ended = asyncio.Event()
        self.transport = Transport(
            FileIO(server_in, "r"),
            FileIO(server_out, "w"),
            on_frame=self.received.put_nowait,
            on_end=self.ended.set,
        )
        self.transport.start()

    async def sent(self, count: int) -> list[bytes]:
        """So many bodies that the transport sent."""
        decoder, bodies = FrameDecoder(), list[bytes]()
        while len(bodies) < count:
            data = await asyncio.to_thread(os.read, self.from_server, 1 << 20)
            bodies += [one for one in decoder.feed(data) if isinstance(one, bytes)]
        return bodies


@pytest_asyncio.fixture
async def pipe() -> AsyncIterator[Pipe]:
    made = Pipe()
    yield made
    if not made.ended.is_set():
        os.close(made.to_server)
        await made.ended.wait()
    await made.transport.close(5)


async def test_frames_go_both_ways(pipe: Pipe) -> None:
    os.write(pipe.to_server, frame(b"one") + frame(b"two"))
    assert [await pipe.received.get(), await pipe.received.get()] == [b"one", b"two"]
    pipe.transport.send(b"three")
    assert await pipe.sent(1) == [b"three"]


async def test_the_end_of_the_pipe_is_told_once(pipe: Pipe) -> None:
    os.close(pipe.to_server)
    await asyncio.wait_for(pipe.ended.wait(), 5)


async def test_an_editor_that_does_not_read_stops_nobody(pipe: Pipe) -> None:
    drained = asyncio.Event()
    for _ in range(40):
        pipe.transport.send(b"x" * 100_000)
    assert pipe.transport.congested
    assert pipe.transport.backlog_bytes > CONGESTED_BYTES
    os.write(pipe.to_server, frame(b"still heard"))
    assert await asyncio.wait_for(pipe.received.get(), 5) == b"still heard"
    pipe.transport.when_drained(drained.set)
    assert not drained.is_set()
    assert len(await pipe.sent(40)) == 40
    await asyncio.wait_for(drained.wait(), 5)
    assert not pipe.transport.congested


async def test_what_was_sent_before_the_end_still_arrives(pipe: Pipe) -> None:
    pipe.transport.send(b"last words")
    await pipe.transport.close(5)
    pipe.transport.send(b"too late")
    assert await pipe.sent(1) == [b"last words"]


async def test_an_editor_that_stopped_listening_is_gone() -> None:
    pipe = Pipe()
    os.close(pipe.from_server)
    pipe.transport.send(b"into the void")
    await asyncio.wait_for(pipe.ended.wait(), 5)
    assert pipe.transport.backlog_bytes == 0
    drained = asyncio.Event()
    pipe.transport.when_drained(drained.set)
    await asyncio.wait_for(drained.wait(), 5)
    os.close(pipe.to_server)
    await pipe.transport.close(5)
