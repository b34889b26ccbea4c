"""A session: one conversation, its tree, and where it stands; the only truth about it.

Each method that writes returns when the entry is in the file (or, before the first user message,
held for it), and raises when it is not; then memory is as if it had not been called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pi_lsp.messages import JsonObject, Message, ThinkingLevel, Usage
from pi_lsp.session import jsonl, shapes
from pi_lsp.session.entry import LEAF, QUEUES, Entry
from pi_lsp.session.forking import fork_lines
from pi_lsp.session.header import file_name, new_header, now_iso
from pi_lsp.session.identifiers import new_entry_id
from pi_lsp.session.journal import Journal
from pi_lsp.session.lock import SessionLock
from pi_lsp.session.places import Places
from pi_lsp.session.reading import SessionReader
from pi_lsp.session.text import first_text, one_line


class Session(SessionReader):
    """One conversation. Not safe to change from several threads; `sync` is.

    Attributes:
        idle: set to False by the owner while it works: then what another program appends never
            moves the leaf.
    """

    def __init__(self, journal: Journal) -> None:
        """Takes an open journal; `SessionStore` and `fork` make sessions."""
        super().__init__(journal)
        self.idle = True

    @classmethod
    def new(cls, places: Places, parent_session: Path | None = None) -> Session:
        """A session without entries; its file comes with the first user message."""
        header = new_header(places.folder, parent_session)
        path = places.directory / file_name(header.id, header.created)
        return cls(Journal.begin(places, header, path, SessionLock(path)))

    # Writing

    def require_writable(self) -> None:
        """
        Raises:
            ReadOnlyError: a newer program wrote the session, or it was opened for reading.
        """
        self._journal.require_writable()

    def append_message(self, message: Message, *, queue_id: str | None = None) -> Entry:
        """Adds a message at the leaf.

        Args:
            queue_id: the id of the queue item that it was, if it was one.

        Raises:
            ReadOnlyError, SessionLockedError, StorageError: it was not written.
        """
        members: JsonObject = {"message": message}
        if queue_id is not None:
            members["queueId"] = queue_id
        return self._append("message", members, makes_file=message["role"] == "user")

    def append_model_change(self, provider: str, model_id: str) -> Entry:
        """Another model from here on. Raises as `append_message`."""
        return self._append("model_change", {"provider": provider, "modelId": model_id})

    def append_thinking_level_change(self, level: ThinkingLevel) -> Entry:
        """Another thinking level from here on. Raises as `append_message`."""
        return self._append("thinking_level_change", {"thinkingLevel": level})

    def append_compaction(
        self,
        *,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: int,
        details: JsonObject | None = None,
        usage: Usage | None = None,
    ) -> Entry:
        """A summary in place of all before an entry. Raises as `append_message`.

        Args:
            first_kept_entry_id: the first entry that stays in the context; None keeps none.
            tokens_before: of the context that was compacted.
            details: `{readFiles, modifiedFiles}`.
            usage: of the summary's own making.
        """
        entry_id = new_entry_id(self._tree)
        members = _without_none(
            summary=summary,
            firstKeptEntryId=first_kept_entry_id or entry_id,
            tokensBefore=tokens_before,
            details=details,
            usage=usage,
        )
        return self._append("compaction", members, entry_id=entry_id)

    def append_branch_summary(
        self,
        *,
        from_id: str | None,
        summary: str,
        details: JsonObject | None = None,
        usage: Usage | None = None,
    ) -> Entry:
        """The summary of a branch that was left. Raises as `append_message`.

        Args:
            from_id: the leaf that was left; None for the empty root.
        """
        members = _without_none(
            fromId=from_id or "root", summary=summary, details=details, usage=usage
        )
        return self._append("branch_summary", members)

    def append_label(self, target_id: str, label: str | None) -> Entry:
        """Labels an entry; None or an empty label clears. Raises as `append_message`.

        Raises:
            NotFoundError: there is no such entry.
        """
        members = _without_none(
            targetId=self.entry(target_id).id, label=one_line(label or "") or None
        )
        return self._append("label", members)

    def append_name(self, name: str) -> Entry:
        """Gives the session a title; an empty one clears. Raises as `append_message`."""
        return self._append("session_info", {"name": one_line(name)})

    def append_custom(self, custom_type: str, data: Any) -> Entry:
        """A note that is never sent. Raises as `append_message`."""
        return self._append("custom", {"customType": custom_type, "data": data})

    def append_queues(self, queues: JsonObject) -> Entry:
        """Notes what waits. A message for the next turn makes the file exist. Raises as
        `append_message`."""
        members = {"customType": QUEUES, "data": queues}
        return self._append("custom", members, makes_file=bool(queues.get("nextTurn")))

    def move_leaf(self, target_id: str | None) -> Entry:
        """Switches the branch: the next entry hangs from the target, or begins a tree for None.

        Raises:
            NotFoundError: there is no such entry.
            ReadOnlyError, SessionLockedError, StorageError: nothing was switched.
        """
        self._prepare_write()
        target = self._place(target_id)
        entry = self._write(*self._leaf_entry(target), makes_file=False)
        self.leaf_id = target
        return entry

    def sync(self) -> None:
        """Returns when all that was appended is on the disk. May be called from any thread.

        Raises:
            StorageError: the disk refused.
        """
        self._journal.sync()

    def take_in(self) -> list[Entry]:
        """Takes in what another program appended to the file. When `idle` and it continues from
        the leaf, the leaf follows; else the leaf stays.

        Raises:
            StorageError: the file cannot be read.
        """
        entries = self._journal.look()
        if entries:
            self._follow(entries)
        return entries

    def close(self) -> None:
        """Releases the lock and the file; idempotent. What was read can still be read."""
        self._journal.close()

    # New sessions from this one

    def fork(
        self, entry_id: str, position: Literal["before", "at"] = "before"
    ) -> tuple[Session, str | None]:
        """A new session with the path up to an entry; this one is untouched.

        Args:
            position: `before` leaves out a user message and gives back its text; every other
                entry, and `at`, is taken along.

        Returns:
            the new session and the text for the editor. It has a file if it has a message.

        Raises:
            NotFoundError: there is no such entry.
            StorageError: the new file cannot be written.
        """
        entry = self.entry(entry_id)
        if position == "before" and entry.role == "user":
            text = first_text(shapes.members_of(entry.data.get("message")).get("content"))
            return self._fork(self._tree.parent_of(entry.id)), text
        return self._fork(self._tree.node(entry.id)), None

    def clone(self) -> Session:
        """A new session with the active path. Raises as `fork`."""
        return self._fork(self.leaf_id)

    def _fork(self, leaf_id: str | None) -> Session:
        path = self._tree.path(leaf_id)
        child = Session.new(self._journal.places, self.file if self.on_disk else None)
        child._adopt(fork_lines(path, self._index.labels))
        return child

    def _adopt(self, lines: bytes) -> None:
        """Begins with entries from elsewhere; messages among them make the file at once."""
        entries = self._journal.hold(lines)
        self.leaf_id = self._tree.leaf_id
        if any(entry.type == "message" for entry in entries):
            self._journal.write_held()

    # How an entry is written

    def _append(
        self,
        kind: str,
        members: JsonObject,
        *,
        entry_id: str | None = None,
        makes_file: bool = False,
    ) -> Entry:
        self._prepare_write()
        entry_id = entry_id or new_entry_id(self._tree)
        line = self._line(kind, entry_id, self.leaf_id, members)
        if self._tree.leaf_id != self.leaf_id:
            line = self._leaf_entry(self.leaf_id)[0] + line
        entry = self._write(line, entry_id, makes_file=makes_file)
        self.leaf_id = entry.id
        return entry

    def _prepare_write(self) -> None:
        self._journal.make_writable()
        self.take_in()

    def _write(self, lines: bytes, entry_id: str, *, makes_file: bool) -> Entry:
        if self._journal.on_disk:
            self._journal.append(lines)
        elif makes_file:
            self._journal.create(lines)
        else:
            self._journal.hold(lines)
        return self._tree.entry(entry_id)

    def _leaf_entry(self, target: str | None) -> tuple[bytes, str]:
        """The line that makes the target the leaf, and its id."""
        entry_id = new_entry_id(self._tree)
        members = {"customType": LEAF, "data": {"targetId": target}}
        return self._line("custom", entry_id, target, members), entry_id

    @staticmethod
    def _line(kind: str, entry_id: str, parent_id: str | None, members: JsonObject) -> bytes:
        head = {"type": kind, "id": entry_id, "parentId": parent_id, "timestamp": now_iso()}
        return jsonl.encode({**head, **members})

    def _follow(self, taken: list[Entry]) -> None:
        """Moves the leaf along with what others appended, if it goes on from here. Others may
        not know our bookkeeping, so what hangs from the node above it goes on from here too."""
        new = {entry.id for entry in taken}
        file_leaf = step = self._tree.leaf_id
        while step is not None and step in new:
            step = self._tree.parent_of(step)
        if self.idle and step in (self.leaf_id, self.visible_leaf_id):
            self.leaf_id = file_leaf


def _without_none(**members: Any) -> JsonObject:
    return {key: value for key, value in members.items() if value is not None}
