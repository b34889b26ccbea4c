"""Frames of the LSP base protocol: a header with `Content-Length`, then that many bytes.

Bytes in, bodies out, and back; nothing here reads or writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_BODY_BYTES = 256 * 1024 * 1024
"""A longer body is refused: its length is a mistake, or it would take all memory."""

_MAX_HEADER_BYTES = 8192
_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,20})[ \t]*\r?\n", re.IGNORECASE)
_LENGTH_NAME = b"content-length:"
_HEADER_END = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True)
class BadFrame:
    """Bytes that are no frame, or one that is too long; `reason` is a sentence."""

    reason: str


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class FrameDecoder:
    """Cuts a stream of bytes into bodies, and finds its way back after rubbish.

    A JSON body never holds a raw line break inside a string, so `Content-Length: N` with a line
    break after it is a header wherever it stands; after bytes that are no frame, the next one
    begins there.
    """

    def __init__(self, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        self._body_bytes: int | None = None
        self._lost = False

    def feed(self, data: bytes) -> list[bytes | BadFrame]:
        """What these bytes complete, in order. A stretch of rubbish is reported once."""
        self._buffer += data
        frames: list[bytes | BadFrame] = []
        while True:
            if self._body_bytes is None and not self._read_header(frames):
                return frames
            if self._body_bytes is None:
                continue
            if len(self._buffer) < self._body_bytes:
                return frames
            frames.append(bytes(self._buffer[: self._body_bytes]))
            del self._buffer[: self._body_bytes]
            self._body_bytes = None

    def _read_header(self, frames: list[bytes | BadFrame]) -> bool:
        """Look for the next header; False when more bytes are needed."""
        first = _LENGTH.search(self._buffer)
        if first is None:
            self._drop_rubbish(frames)
            return False
        end = _HEADER_END.search(self._buffer, first.end() - 2)
        if end is None and len(self._buffer) - first.start() <= _MAX_HEADER_BYTES:
            return False
        if end is None:
            del self._buffer[: first.end()]
            self._report(frames, "a header without an end was skipped")
            return True
        *_, length = _LENGTH.finditer(self._buffer, first.start(), end.end())
        size = int(length.group(1))
        if size > self._max_body_bytes:
            del self._buffer[: end.end()]
            self._report(frames, f"a frame of {size} bytes is too long and was skipped")
            return True
        if not self._is_header(first.start()):
            self._report(frames, "bytes that are no frame were skipped")
        del self._buffer[: end.end()]
        self._body_bytes = size
        self._lost = False
        return True

    def _is_header(self, end: int) -> bool:
        """Whether what stands before the length is another header line (`Content-Type: …`)."""
        return all(b":" in line for line in bytes(self._buffer[:end]).split(b"\r\n") if line)

    def _drop_rubbish(self, frames: list[bytes | BadFrame]) -> None:
        """Keep only what could be the beginning of a header."""
        if len(self._buffer) <= _MAX_HEADER_BYTES:
            return
        tail = self._buffer.lower().rfind(_LENGTH_NAME, len(self._buffer) - _MAX_HEADER_BYTES)
        keep = tail if tail >= 0 else len(self._buffer) - len(_LENGTH_NAME)
        del self._buffer[:keep]
        self._report(frames, "bytes that are no frame were skipped")

    def _report(self, frames: list[bytes | BadFrame], reason: str) -> None:
        if not self._lost:
            frames.append(BadFrame(reason))
        self._lost = True
