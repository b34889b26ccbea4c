"""Writes to the session and tells of it, always in that order: what is told is in the file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_lsp.agent.events import EntryAppended, Event, LeafChanged, MessageEnd, MessageStart
from pi_lsp.agent.input import Accepted
from pi_lsp.messages import JsonObject, Message, ThinkingLevel, Usage
from pi_lsp.session import Entry, Session
from pi_lsp.session.shapes import members_of


class Recorder:
    """The only way from the agent into the session.

    Every method raises StorageError or ReadOnlyError when the entry could not be written; nothing
    is told then.
    """

    def __init__(self, session: Session, emit: Callable[[Event], None]) -> None:
        self.session = session
        self._emit = emit

    def message(
        self, message: Message, *, queue_id: str | None = None, announced: bool = False
    ) -> str:
        """Append a message.

        Args:
            queue_id: the id of the queue item that it was, if it was one.
            announced: its `message_start` was told already, while it streamed.

        Returns:
            The entry's id.
        """
        self.take_in()
        entry = self.session.append_message(message, queue_id=queue_id)
        stored: JsonObject = {**message}
        if not announced:
            self._emit(MessageStart(message=stored))
        self._emit(MessageEnd(message=stored, entry_id=entry.id))
        return entry.id

    def take_in(self) -> None:
        """Take in what another program appended to the file, and tell of it.

        Raises:
            StorageError: the file cannot be read.
        """
        before = self.session.visible_leaf_id
        for entry in self.session.take_in():
            if entry.type == "message":
                message = members_of(entry.data.get("message"))
                self._emit(MessageStart(message=message))
                self._emit(MessageEnd(message=message, entry_id=entry.id))
            else:
                self._tell(entry)
        if (leaf_id := self.session.visible_leaf_id) != before:
            self._emit(LeafChanged(leaf_id=leaf_id))

    def accepted(self, accepted: Accepted) -> str:
        """Append a person's message; returns the entry's id."""
        queue_id = accepted.item.id if accepted.item is not None else None
        return self.message(accepted.message(), queue_id=queue_id)

    def model_change(self, provider: str, model_id: str) -> None:
        self._tell(self.session.append_model_change(provider, model_id))

    def thinking_level_change(self, level: ThinkingLevel) -> None:
        self._tell(self.session.append_thinking_level_change(level))

    def queues(self, queues: JsonObject) -> None:
        self._tell(self.session.append_queues(queues))

    def label(self, target_id: str, label: str | None) -> None:
        self._tell(self.session.append_label(target_id, label))

    def name(self, name: str) -> None:
        self._tell(self.session.append_name(name))

    def leaf(self, target_id: str | None) -> None:
        self._tell(self.session.move_leaf(target_id))

    def compaction(
        self,
        *,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: int,
        details: JsonObject | None,
        usage: Usage | None,
    ) -> str:
        """Append a compaction; returns the entry's id."""
        entry = self.session.append_compaction(
            summary=summary,
            first_kept_entry_id=first_kept_entry_id,
            tokens_before=tokens_before,
            details=details,
            usage=usage,
        )
        self._tell(entry)
        return entry.id

    def branch_summary(
        self, *, from_id: str | None, summary: str, details: JsonObject | None, usage: Usage | None
    ) -> str:
        """Append a branch summary; returns the entry's id."""
        entry = self.session.append_branch_summary(
            from_id=from_id, summary=summary, details=details, usage=usage
        )
        self._tell(entry)
        return entry.id

    async def sync(self) -> None:
        """Wait until all that was written is on the disk; the event loop goes on meanwhile."""
        await asyncio.to_thread(self.session.sync)

    def _tell(self, entry: Entry) -> None:
        self._emit(EntryAppended(entry=entry.data))
