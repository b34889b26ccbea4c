"""The pipe to the editor: one thread reads, one writes, and the event loop waits for neither.

pygls reads on the thread pool of its handlers and writes on the event loop; there a full pool or
an editor that stops reading would stop everything, `pi/abort` too.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

from pi_lsp.server.frames import BadFrame, FrameDecoder, frame

logger = logging.getLogger(__name__)

CONGESTED_BYTES = 1024 * 1024
"""From here on what can wait should wait: see `Transport.congested`."""

_READ_BYTES = 64 * 1024
_FRAMES_IN_FLIGHT = 256
"""So many frames may wait for the event loop before reading waits."""


class ByteStream(Protocol):
    """An unbuffered stream: `read` gives what there is, b"" at the end; `write` may be short."""

    def read(self, size: int, /) -> bytes | None: ...

    def write(self, data: memoryview, /) -> int | None: ...


class Transport:
    """Frames in and out.

    Args:
        source: where frames come from.
        sink: where frames go to.
        on_frame: called on the event loop for each body, and for what was no frame.
        on_end: called on the event loop, once, when the editor is gone.
    """

    def __init__(
        self,
        source: ByteStream,
        sink: ByteStream,
        *,
        on_frame: Callable[[bytes | BadFrame], None],
        on_end: Callable[[], None],
    ) -> None:
        self._source = source
        self._sink = sink
        self._on_frame = on_frame
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._ended = False
        self._in_flight = threading.BoundedSemaphore(_FRAMES_IN_FLIGHT)
        self._changed = threading.Condition()
        self._outgoing: deque[bytes] = deque()
        self._backlog_bytes = 0
        self._closing = False
        self._broken = False
        self._drained: list[Callable[[], None]] = []
        self._writer = threading.Thread(target=self._write, name="pi-lsp writer", daemon=True)

    def start(self) -> None:
        """Start both threads."""
        self._writer.start()
        threading.Thread(target=self._read, name="pi-lsp reader", daemon=True).start()

    # Writing

    def send(self, body: bytes) -> None:
        """Put a body on its way; never waits. After the end it goes nowhere."""
        data = frame(body)
        with self._changed:
            if self._broken or self._closing:
                return
            self._outgoing.append(data)
            self._backlog_bytes += len(data)
            self._changed.notify_all()

    @property
    def backlog_bytes(self) -> int:
        """Bytes that the editor has not taken yet."""
        return self._backlog_bytes

    @property
    def congested(self) -> bool:
        """Whether the editor reads more slowly than we write."""
        return self._backlog_bytes > CONGESTED_BYTES

    def when_drained(self, callback: Callable[[], None]) -> None:
        """Call `callback` on the event loop, once, when the editor has taken all."""
        with self._changed:
            if self._backlog_bytes and not self._broken:
                self._drained.append(callback)
                return
        self._loop.call_soon(callback)

    async def close(self, timeout: float) -> None:
        """Give the editor up to `timeout` seconds to take what waits, then write no more."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        await asyncio.to_thread(self._writer.join, timeout)

    def _write(self) -> None:
        try:
            while data := self._next_data():
                self._write_all(data)
                self._taken(len(data))
        except (OSError, ValueError) as error:
            # The editor closed its end; the reader sees the same and tells of it.
            logger.info("the editor takes no more: %s", error)
            with self._changed:
                self._broken = True
                self._outgoing.clear()
            self._taken(self._backlog_bytes)
            self._call(self._end)

    def _next_data(self) -> bytes:
        """All that waits, in one piece; b"" when nothing more will come."""
        with self._changed:
            self._changed.wait_for(lambda: self._outgoing or self._closing)
            data = b"".join(self._outgoing)
            self._outgoing.clear()
            return data

    def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = self._sink.write(rest)
            rest = rest[written or 0 :]

    def _taken(self, size: int) -> None:
        with self._changed:
            self._backlog_bytes -= size
            if self._backlog_bytes:
                return
            callbacks, self._drained = self._drained, []
        for callback in callbacks:
            self._call(callback)

    # Reading

    def _read(self) -> None:
        decoder = FrameDecoder()
        try:
            while data := self._source.read(_READ_BYTES):
                for item in decoder.feed(data):
                    self._in_flight.acquire()
                    self._call(self._deliver, item)
        except (OSError, ValueError) as error:
            logger.info("the editor sends no more: %s", error)
        self._call(self._end)

    def _deliver(self, item: bytes | BadFrame) -> None:
        self._in_flight.release()
        self._on_frame(item)

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._on_end()

    def _call(self, function: Callable[..., None], *args: bytes | BadFrame) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:
            logger.debug("the event loop has ended before the editor's pipe")
