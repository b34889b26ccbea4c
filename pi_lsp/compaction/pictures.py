"""The tokens of a picture, by its size in pixels.

A model of Anthropic's sees a picture as patches of 28 × 28 pixels, one token each, after it was
scaled down to what the model takes: at most 2576 pixels on the long edge and 4784 patches for the
present models (older ones: 1568 and 1568). Source: Anthropic's documentation, "Images and vision".
The present models' limits are used for all: too many tokens only compact a little early.
"""

from __future__ import annotations

import base64
import math

from pi_lsp.pictures import picture_size

PATCH_PIXELS = 28
LONGEST_EDGE_PIXELS = 2576
MOST_PATCHES = 4784
UNKNOWN_PICTURE_TOKENS = 1600
"""For a picture whose size cannot be read."""

_HEADER_CHARS = 128 * 1024
"""Base64 characters that are looked at first; only a JPEG with much metadata needs more."""


def count_picture(data: str) -> int:
    """The tokens of a picture in base64."""
    size = _size(data[:_HEADER_CHARS])
    if size is None and len(data) > _HEADER_CHARS:
        size = _size(data)
    return UNKNOWN_PICTURE_TOKENS if size is None else patches(*size)


def patches(width: int, height: int) -> int:
    """The tokens of a picture of this size in pixels, scaled down as the service does it."""
    scale = min(1.0, LONGEST_EDGE_PIXELS / max(width, height))
    across, down = width * scale / PATCH_PIXELS, height * scale / PATCH_PIXELS
    return min(MOST_PATCHES, math.ceil(across) * math.ceil(down))


def _size(data: str) -> tuple[int, int] | None:
    """Width and height in pixels, None when they cannot be read."""
    try:
        return picture_size(base64.b64decode(data[: len(data) // 4 * 4]))
    except ValueError:
        return None
