"""Which images may go with a request; the others become a text note.

Kind and size are read from the bytes, never from what the message says of them: one image that
the API refuses would make every later request of its session fail.
Limits: https://platform.claude.com/docs/en/build-with-claude/vision.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pi_lsp.llm.provider import Model
from pi_lsp.messages import ImageBlock
from pi_lsp.pictures import picture_size, picture_type

MAX_IMAGE_BYTES = 5 * 1024 * 1024
"""Of one image, as base64."""
MAX_SIDE = 8000
"""Pixels."""
MANY_IMAGES = 20
MAX_SIDE_OF_MANY = 2000
"""Pixels, in a request with more than `MANY_IMAGES`."""
MAX_IMAGES = 100
MAX_TOTAL_BYTES = 24 * 1024 * 1024
"""Of all images of a request, as base64; a request may have 32 MB, and the text needs room."""


@dataclass(frozen=True)
class _Picture:
    """An image that the API takes when it stands alone; sides in pixels."""

    media_type: str
    data: str
    longest_side: int

    def block(self) -> dict[str, Any]:
        source = {"type": "base64", "media_type": self.media_type, "data": self.data}
        return {"type": "image", "source": source}


def picture_blocks(images: Sequence[ImageBlock], model: Model) -> list[dict[str, Any]]:
    """An image block of the API, or a text block with a note, for each image, in order.

    When they are too many or too large together, the oldest are left out.
    """
    if "image" not in model.input:
        return [_note("this model cannot see images") for _ in images]
    examined = [_examine(image) for image in images]
    pictures = [one for one in examined if isinstance(one, _Picture)]
    too_old = _count_to_leave_out(pictures)
    many = len(pictures) - too_old > MANY_IMAGES
    blocks: list[dict[str, Any]] = []
    for one in examined:
        if isinstance(one, str):
            blocks.append(_note(one))
        elif too_old > 0:
            too_old -= 1
            blocks.append(_note("newer images of this conversation need the room"))
        elif many and one.longest_side > MAX_SIDE_OF_MANY:
            blocks.append(
                _note(
                    f"it has more than {MAX_SIDE_OF_MANY} pixels on a side, which is too many "
                    f"next to {MANY_IMAGES} others"
                )
            )
        else:
            blocks.append(one.block())
    return blocks


def _examine(image: ImageBlock) -> _Picture | str:
    """The image, or why it cannot go."""
    data = "".join(image["data"].split())
    if len(data) > MAX_IMAGE_BYTES:
        return f"it has {len(data) / 1024 / 1024:.1f} MB, and at most 5 MB can be sent"
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "its data is damaged"
    media_type = picture_type(content)
    if media_type is None:
        return "it is no png, jpeg, gif or webp"
    size = picture_size(content)
    if size is None:
        return "its data is damaged"
    longest = max(size)
    if longest > MAX_SIDE:
        return f"it has {longest} pixels on a side, and at most {MAX_SIDE} can be sent"
    return _Picture(media_type, data, longest)


def _count_to_leave_out(pictures: Sequence[_Picture]) -> int:
    """How many of the oldest must go so that the rest is within the limits of a request.

    They go by halves of a limit at a time: the rest then stays the same over many requests, and
    with it what the service has cached.
    """
    count = _in_steps(len(pictures) - MAX_IMAGES, MAX_IMAGES // 2)
    total = sum(len(picture.data) for picture in pictures)
    bytes_to_drop = _in_steps(total - MAX_TOTAL_BYTES, MAX_TOTAL_BYTES // 2)
    dropped = sum(len(picture.data) for picture in pictures[:count])
    while dropped < bytes_to_drop:
        dropped += len(pictures[count].data)
        count += 1
    return count


def _in_steps(excess: int, step: int) -> int:
    """The excess, rounded up to whole steps; 0 when there is none."""
    return -(-excess // step) * step if excess > 0 else 0


def _note(reason: str) -> dict[str, Any]:
    return {"type": "text", "text": f"(An image stood here. It is not shown because {reason}.)"}
