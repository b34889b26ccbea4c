"""The three queues: messages that wait for the agent.

`steer` reaches the model in its next call, `followUp` when it would stop, `nextTurn` goes before
the next prompt. What waits is also kept in the session (see `MessageQueues.to_json`), so that it
survives a restart.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal

from pydantic import ValidationError

from pi_lsp.agent.events import QueueItem, Queues
from pi_lsp.agent.input import Accepted, Attach, UserInput, accept
from pi_lsp.errors import PiError
from pi_lsp.messages import JsonObject
from pi_lsp.settings import QueueMode

QueueName = Literal["steer", "followUp", "nextTurn"]


@dataclass
class MessageQueues:
    """What waits, oldest first.

    Args:
        on_change: called after each change, to tell of it.

    Attributes:
        unsaved: what waits differs from what the session last recorded.
    """

    on_change: Callable[[], None]
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_mode: QueueMode = "one-at-a-time"
    unsaved: bool = False
    _queues: dict[QueueName, list[Accepted]] = field(
        default_factory=lambda: {"steer": [], "followUp": [], "nextTurn": []}
    )

    def waiting(self, name: QueueName) -> list[Accepted]:
        return list(self._queues[name])

    async def add(self, name: QueueName, given: UserInput, attach: Attach) -> QueueItem:
        """Put a message at the end of a queue.

        Raises:
            PiError: an attachment cannot be read; nothing was queued.
        """
        item = given.as_item(_new_id())
        accepted = await accept(given, attach, item)
        self._queues[name].append(accepted)
        self._changed()
        return item

    def put_back(self, name: QueueName, messages: list[Accepted]) -> None:
        """Put messages that could not be delivered at the head of a queue, so nothing is lost."""
        self._queues[name][:0] = [
            one if one.item else Accepted(one.input, one.blocks, one.input.as_item(_new_id()))
            for one in messages
        ]
        if messages:
            self._changed()

    def take_next_turn(self) -> list[Accepted]:
        """All that waits for a prompt."""
        return self._take("nextTurn", "all")

    def take_steers(self) -> list[Accepted]:
        """The oldest steer, or all of them, by mode."""
        return self._take("steer", self.steering_mode)

    def take_follow_ups(self) -> list[Accepted]:
        """The oldest follow-up, or all of them, by mode."""
        return self._take("followUp", self.follow_up_mode)

    def remove(self, item_id: str) -> bool:
        """Take one message back; False when it was delivered already, or never was."""
        for queue in self._queues.values():
            for one in queue:
                if one.item is not None and one.item.id == item_id:
                    queue.remove(one)
                    self._changed()
                    return True
        return False

    def clear(self) -> tuple[list[QueueItem], list[QueueItem]]:
        """Empty steer and followUp, and give what they held."""
        return _items(self._take("steer", "all")), _items(self._take("followUp", "all"))

    def has_work(self) -> bool:
        """Whether something waits that a run would deliver by itself."""
        return bool(self._queues["steer"] or self._queues["followUp"])

    def as_wire(self) -> Queues:
        return Queues(
            steer=_items(self._queues["steer"]),
            follow_up=_items(self._queues["followUp"]),
            next_turn=_items(self._queues["nextTurn"]),
        )

    def to_json(self) -> JsonObject:
        """As the session keeps them."""
        return self.as_wire().to_wire()

    async def restore(
        self, stored: JsonObject | None, delivered: Collection[str], attach: Attach
    ) -> Queues:
        """Take up what a session recorded.

        `nextTurn` items wait again. Steers and follow-ups belonged to a run that has died: they
        are given back instead, for the person to decide.

        Args:
            stored: what `to_json` gave when it was written; of any shape.
            delivered: ids of items that a message in the file carries already.
        """
        found = _parse(stored)
        for item in found.next_turn:
            if item.id in delivered:
                continue
            given = UserInput.of_item(item)
            try:
                accepted = await accept(given, attach, item)
            except PiError:
                # The file behind an attachment is gone: the text still counts, and the item
                # still names what was attached.
                accepted = Accepted(given, [], item)
            self._queues["nextTurn"].append(accepted)
        return Queues(
            steer=[item for item in found.steer if item.id not in delivered],
            follow_up=[item for item in found.follow_up if item.id not in delivered],
            next_turn=[],
        )

    def _take(self, name: QueueName, mode: QueueMode) -> list[Accepted]:
        queue = self._queues[name]
        count = len(queue) if mode == "all" else min(1, len(queue))
        taken = queue[:count]
        del queue[:count]
        if taken:
            self._changed()
        return taken

    def _changed(self) -> None:
        self.unsaved = True
        self.on_change()


def _items(messages: list[Accepted]) -> list[QueueItem]:
    return [one.item for one in messages if one.item is not None]


def _new_id() -> str:
    return secrets.token_hex(4)


def _parse(stored: JsonObject | None) -> Queues:
    try:
        return Queues.model_validate(stored or {})
    except ValidationError:
        # Another version, or a damaged entry: what cannot be read cannot be queued again.
        return Queues(steer=[], follow_up=[], next_turn=[])
