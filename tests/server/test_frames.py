"""Cutting a stream into frames, whatever the stream holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.server.frames import BadFrame, FrameDecoder, frame


def bodies(items: list[bytes | BadFrame]) -> list[bytes]:
    return [item for item in items if isinstance(item, bytes)]


def faults(items: list[bytes | BadFrame]) -> list[BadFrame]:
    return [item for item in items if isinstance(item, BadFrame)]


@given(st.lists(st.binary(max_size=60), max_size=8), st.integers(min_value=1, max_value=37))
def test_frames_come_out_whole_however_the_bytes_arrive(sent: list[bytes], size: int) -> None:
    stream = b"".join(frame(body) for body in sent)
    decoder = FrameDecoder()
    items: list[bytes | BadFrame] = []
    for start in range(0, len(stream), size):
        items += decoder.feed(stream[start : start + size])
    assert items == sent


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(rubbish: bytes) -> None:
    decoder = FrameDecoder()
    decoder.feed(rubbish)
    decoder.feed(b"\r\n" * 3)


def test_other_headers_may_stand_before_and_after_the_length() -> None:
    before = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    stream = before + b"Content-Length: 2\r\n\r\n{}" + b"content-length:2\r\n" + before + b"\r\n[]"
    assert FrameDecoder().feed(stream) == [b"{}", b"[]"]


def test_rubbish_is_reported_once_and_the_next_frame_is_found() -> None:
    items = FrameDecoder().feed(b"\x00\xffhello\r\n\r\n" + frame(b"{}") + frame(b"[]"))
    assert len(faults(items)) == 1
    assert bodies(items) == [b"{}", b"[]"]


def test_a_frame_that_claims_more_than_any_message_has_is_skipped() -> None:
    stream = b"Content-Length: 99999999999999\r\n\r\n" + b'{"a":1}' + frame(b"{}")
    items = FrameDecoder().feed(stream)
    assert faults(items)
    assert bodies(items) == [b"{}"]


def test_endless_rubbish_takes_no_memory() -> None:
    decoder = FrameDecoder()
    for _ in range(100):
        decoder.feed(b"x" * 65536)
    assert len(decoder._buffer) < 65536
    assert bodies(decoder.feed(b"\r\n" + frame(b"{}"))) == [b"{}"]


def test_a_header_without_an_end_is_given_up() -> None:
    decoder = FrameDecoder()
    items = decoder.feed(b"Content-Length: 5\r\nX: " + b"y" * 10000)
    items += decoder.feed(frame(b"{}"))
    assert faults(items)
    assert bodies(items) == [b"{}"]
