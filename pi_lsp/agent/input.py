"""What a person sends: a text, pictures, and pieces of files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pi_lsp.agent.events import Attachment, ImageAttachment, QueueItem
from pi_lsp.messages import UserBlock, UserMessage, now_ms

Attach = Callable[[Attachment], Awaitable[UserBlock]]
"""Renders an attachment as the editor shows it now; raises PiError when it cannot be read."""


@dataclass(frozen=True)
class UserInput:
    """A message before it is accepted."""

    text: str
    images: list[ImageAttachment] = field(default_factory=list[ImageAttachment])
    attachments: list[Attachment] = field(default_factory=list[Attachment])

    @classmethod
    def of_item(cls, item: QueueItem) -> UserInput:
        """The message that waits in a queue."""
        return cls(item.text, item.images or [], item.attachments or [])

    def as_item(self, item_id: str) -> QueueItem:
        """As it waits in a queue, and stands in the file and on the wire while it waits."""
        extra: dict[str, list[ImageAttachment] | list[Attachment]] = {}
        if self.images:
            extra["images"] = self.images
        if self.attachments:
            extra["attachments"] = self.attachments
        return QueueItem.model_validate({"id": item_id, "text": self.text, **extra})


@dataclass(frozen=True)
class Accepted:
    """An accepted message: its attachments are rendered, it only waits to be delivered.

    `item` is None for a message that never was in a queue.
    """

    input: UserInput
    blocks: list[UserBlock]
    item: QueueItem | None = None

    def message(self) -> UserMessage:
        """The user message as it is stored: the typed text is always the first block."""
        typed: UserBlock = {"type": "text", "text": self.input.text}
        images: list[UserBlock] = [
            {"type": "image", "data": image.data, "mimeType": image.mime_type}
            for image in self.input.images
        ]
        content: list[UserBlock] = [typed, *self.blocks, *images]
        return {"role": "user", "content": content, "timestamp": now_ms()}


async def accept(given: UserInput, attach: Attach, item: QueueItem | None = None) -> Accepted:
    """Render the attachments of a message.

    Raises:
        PiError: an attachment cannot be read; nothing was accepted.
    """
    return Accepted(given, [await attach(one) for one in given.attachments], item)
