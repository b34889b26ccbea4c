"""Pictures as the model gets them."""

from __future__ import annotations

import base64

from pi_lsp.messages import ImageBlock
from pi_lsp.pictures import picture_size
from pi_lsp.tools.tool import ToolFault
from pi_lsp.tools.truncation import readable_size

MAX_PICTURE_BYTES = 5 * 1024 * 1024 * 3 // 4
"""5 MB as base64: the most that the Messages API takes for one picture."""
MAX_PICTURE_SIDE = 8000
"""Pixels; the most that the Messages API takes."""


def picture_block(data: bytes, media_type: str, name: str) -> tuple[ImageBlock, str]:
    """A picture for the model, and a line that says what it is.

    Raises:
        ToolFault: it is larger than models take, or damaged.
    """
    pixels = picture_size(data)
    if pixels is None:
        raise ToolFault(f"{name} is a damaged picture ({media_type}).")
    width, height = pixels
    size = f"{media_type}, {width}×{height}, {readable_size(len(data))}"
    if max(width, height) > MAX_PICTURE_SIDE:
        raise ToolFault(
            f"{name} ({size}) cannot be shown: a side may have {MAX_PICTURE_SIDE} pixels. "
            "Make a smaller copy with a command and read that."
        )
    block: ImageBlock = {
        "type": "image",
        "data": base64.b64encode(data).decode("ascii"),
        "mimeType": media_type,
    }
    return block, f"[{name}: {size}]"


def too_large(size: int, name: str) -> ToolFault:
    """The fault of a picture with more bytes than models take."""
    return ToolFault(
        f"{name} ({readable_size(size)}) cannot be shown: a picture may have "
        f"{readable_size(MAX_PICTURE_BYTES)}. Make a smaller copy with a command and read that."
    )
