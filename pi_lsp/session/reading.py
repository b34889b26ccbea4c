"""What can be read of a session: what it is, where it stands, its tree and its context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pi_lsp.errors import NotFoundError
from pi_lsp.messages import JsonObject
from pi_lsp.session.context import Context, ContextReader
from pi_lsp.session.entry import Entry
from pi_lsp.session.journal import Journal
from pi_lsp.session.nodes import NodeReader, TreeFilter, TreeNode
from pi_lsp.session.stats import SessionStats


class _Here:
    """The default of `leaf_id` parameters: where the conversation stands."""


_HERE = _Here()


@dataclass(frozen=True)
class EntryPage:
    """A part of the entries.

    Attributes:
        entries: in file order.
        more: whether `limit` cut others off, at the end that is farther from the anchor.
    """

    entries: list[Entry]
    more: bool


class SessionReader:
    """The reading half of a `Session`.

    Attributes:
        leaf_id: the entry that the next one will hang from; may be bookkeeping.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._index = journal.index
        self._tree = journal.index.tree
        self._contexts = ContextReader()
        self._last_context: tuple[str | None, int, Context] | None = None
        self._nodes = NodeReader()
        self.leaf_id: str | None = self._tree.leaf_id

    @property
    def id(self) -> str:
        return self._journal.header.id

    @property
    def file(self) -> Path:
        """The session's file, a real path; it may not exist yet."""
        return self._journal.file

    @property
    def folder(self) -> Path:
        """The workspace folder, a real path."""
        return self._journal.places.folder

    @property
    def name(self) -> str | None:
        """The title that a person gave it."""
        return self._index.name

    @property
    def created(self) -> str:
        """ISO 8601, UTC."""
        return self._journal.header.created

    @property
    def parent_session(self) -> str | None:
        """The file that it was forked from."""
        return self._journal.header.parent_session

    @property
    def header(self) -> JsonObject:
        """All members of the file's first line."""
        return self._journal.header.data

    @property
    def read_only(self) -> bool:
        """Whether a newer program wrote it, or it was opened for reading."""
        return self._journal.read_only

    @property
    def on_disk(self) -> bool:
        """Whether it has a file."""
        return self._journal.on_disk

    @property
    def warnings(self) -> list[str]:
        """What is wrong with the file, and what happened to it, a sentence each."""
        return [*self._index.report(self.file.name), *self._journal.notices]

    @property
    def visible_leaf_id(self) -> str | None:
        """The nearest entry at or above the leaf that people see as a node."""
        above = self._tree.ancestors(self.leaf_id)
        return next((entry.id for entry in above if not entry.is_bookkeeping), None)

    def entry(self, entry_id: str) -> Entry:
        """
        Raises:
            NotFoundError: there is no such entry.
        """
        return self._tree.entry(entry_id)

    def parent_of(self, entry_id: str) -> str | None:
        """The entry that this one hangs from; None for a root.

        Raises:
            NotFoundError: there is no such entry.
        """
        return self._tree.parent_of(self.entry(entry_id).id)

    def path(self, leaf_id: str | _Here | None = _HERE) -> list[Entry]:
        """The entries from the root to the leaf, bookkeeping included.

        Raises:
            NotFoundError: there is no such entry.
        """
        return self._tree.path(self._place(leaf_id))

    def context(self, leaf_id: str | _Here | None = _HERE) -> Context:
        """What the model is sent, and the model and thinking level in use. Its messages are kept
        for the next call: do not change them.

        Raises:
            NotFoundError: there is no such entry.
        """
        place, known = self._place(leaf_id), self._index.indexed_bytes
        if self._last_context is None or self._last_context[:2] != (place, known):
            self._last_context = place, known, self._contexts.read(self._tree.path(place))
        return self._last_context[2]

    def entries(
        self,
        *,
        since: str | None = None,
        before: str | None = None,
        limit: int | None = None,
        branch: bool = False,
    ) -> EntryPage:
        """Entries in file order, leaf entries and bookkeeping included.

        Args:
            since: only those after this entry; a limit then cuts off the last ones.
            before: only those before this entry; a limit then cuts off the first ones, as it
                does without either.
            branch: only those of the active path.

        Raises:
            NotFoundError: `since` or `before` is none of them.
        """
        found = self.path() if branch else list(self._tree)
        if since is not None:
            found = found[_position(found, since) + 1 :]
        if before is not None:
            found = found[: _position(found, before)]
        if limit is None or len(found) <= limit:
            return EntryPage(found, more=False)
        cut = found[:limit] if since is not None else found[len(found) - limit :]
        return EntryPage(cut, more=True)

    def tree(self, filter: TreeFilter = "default") -> list[TreeNode]:
        """The tree as people see it: flat, in file order."""
        return self._nodes.read(self._tree, self.leaf_id, self._index.labels, filter)

    def label_of(self, entry_id: str) -> str | None:
        """The label of an entry."""
        return self._index.labels.get(entry_id)

    @property
    def message_count(self) -> int:
        """Messages on the active path, those of the system left out."""
        return sum(
            entry.type == "message" and entry.role != "system"
            for entry in self._tree.ancestors(self.leaf_id)
        )

    def queues(self) -> JsonObject | None:
        """The queues as they were last written; some items may have become messages since."""
        return self._index.queues

    def delivered(self) -> frozenset[str]:
        """The ids of all queue items that became messages."""
        return frozenset(self._index.delivered)

    def stats(self) -> SessionStats:
        """What the whole file has used until now."""
        return replace(self._index.stats)

    def blocks(self) -> Iterator[bytes]:
        """The file's bytes, a block at a time; of a session without a file, what it would hold."""
        return self._journal.blocks()

    def _place(self, leaf_id: str | _Here | None) -> str | None:
        if isinstance(leaf_id, _Here):
            return self.leaf_id
        return None if leaf_id is None else self._tree.node(self.entry(leaf_id).id)


def _position(entries: list[Entry], entry_id: str) -> int:
    for position, entry in enumerate(entries):
        if entry.id == entry_id:
            return position
    raise NotFoundError(f"This session has no entry {entry_id} there.")
