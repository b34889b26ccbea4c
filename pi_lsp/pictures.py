"""What a picture is: its kind and its size, read from the bytes and never from a name."""

from __future__ import annotations

import io
import struct

_BEGINNINGS = (
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF87a"),
    ("image/gif", b"GIF89a"),
)


def picture_type(beginning: bytes) -> str | None:
    """The media type of a picture that models can see (png, jpeg, gif, webp), by its first 12
    bytes; None for anything else."""
    for media_type, magic in _BEGINNINGS:
        if beginning.startswith(magic):
            return media_type
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    return None


def picture_size(content: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a picture that models can see.

    None when they cannot be read: the picture is damaged, cut off, or of another kind.
    """
    if picture_type(content[:12]) is None:
        return None
    import imagesize  # pyright: ignore[reportMissingTypeStubs]

    try:
        width, height = imagesize.get(io.BytesIO(content))  # pyright: ignore[reportUnknownMemberType]
    except (ValueError, OSError, LookupError, struct.error):
        return None
    return (width, height) if width > 0 and height > 0 else None
