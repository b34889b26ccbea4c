"""A provider that is quicker than whoever reads it: each answer is one made earlier.

Runs in a process of its own (`python -m benchmarks.quick_provider 20000`); the first line that it
prints is its port, and it ends with standard input.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.messages_api.parts import Reply, Text
from tests.messages_api.requests import ApiRequest
from tests.messages_api.stream import steps

_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\nrequest-id: req_test\r\n\r\n"
)


@contextmanager
def quick_provider(deltas: int) -> Iterator[str]:
    """The URL of a provider whose every answer comes in so many deltas, an HTTP chunk each."""
    command = [sys.executable, "-m", "benchmarks.quick_provider", str(deltas)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


def _response(deltas: int) -> bytes:
    words = "".join(f"word{number % 10} " for number in range(deltas))
    request = ApiRequest("POST", "/v1/messages", {}, {"model": "any", "messages": []}, 0)
    events = steps(Reply((Text(words, pieces=deltas),)), request)
    chunks = [event for event in events if isinstance(event, bytes)]
    return _HEAD + b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in chunks) + b"0\r\n\r\n"


async def _serve(deltas: int) -> None:
    response = _response(deltas)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.lower().split(b"\r\n")
                length = next(line for line in lines if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.partition(b":")[2]))
                writer.write(response)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()  # the program has ended

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
