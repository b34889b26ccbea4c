from __future__ import annotations

import base64
import struct
import zlib

import pytest

from pi_lsp.compaction.pictures import UNKNOWN_PICTURE_TOKENS, count_picture, patches


def png(width: int, height: int) -> str:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk).decode()


def gif(width: int, height: int) -> str:
    return base64.b64encode(b"GIF89a" + struct.pack("<HH", width, height) + b"\0" * 10).decode()


def jpeg_with_much_metadata(width: int, height: int) -> str:
    metadata = (b"\xff\xe2" + struct.pack(">H", 60_000) + b"\0" * 59_998) * 3
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + b"\0" * 9
    return base64.b64encode(b"\xff\xd8" + metadata + frame + b"\xff\xd9").decode()


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (28, 28, 1),
        (29, 28, 2),
        (1000, 1000, 36 * 36),
        (1280, 720, 46 * 26),
        (8000, 28, 92),
        (7000, 7000, 4784),
    ],
)
def test_a_picture_counts_by_the_patches_that_it_fills(
    width: int, height: int, tokens: int
) -> None:
    assert patches(width, height) == tokens
    assert count_picture(png(width, height)) == tokens


def test_a_gif_counts_by_its_size() -> None:
    assert count_picture(gif(280, 140)) == 50


def test_a_size_behind_much_metadata_is_found() -> None:
    assert count_picture(jpeg_with_much_metadata(280, 280)) == 100


@pytest.mark.parametrize(
    "data",
    [
        "",
        "not base64 at all!",
        base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' width='9'/>").decode(),
        png(0, 0),
        png(100, 100)[:12],
    ],
)
def test_a_picture_that_cannot_be_read_counts_as_a_middling_one(data: str) -> None:
    assert count_picture(data) == UNKNOWN_PICTURE_TOKENS
