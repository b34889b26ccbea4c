"""The tree of a session's entries: who hangs from whom, the leaf, and the path to it.

Whatever a file holds (unknown parents, circles, double ids), the links that `Tree` gives form
trees: every walk upwards ends at a root. All walks are loops, and linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pi_lsp.errors import NotFoundError
from pi_lsp.session import shapes
from pi_lsp.session.entry import LEAF, Entry


@dataclass
class Oddities:
    """What is wrong with the links of a file: ids of entries."""

    orphans: list[str] = field(default_factory=list[str])
    circles: list[str] = field(default_factory=list[str])
    duplicates: list[str] = field(default_factory=list[str])


class Tree:
    """Entries in file order, and their links.

    Attributes:
        leaf_id: where the file says that the conversation stands.
        oddities: what had to be straightened.
    """

    def __init__(self) -> None:
        self.leaf_id: str | None = None
        self.oddities = Oddities()
        self._entries: dict[str, Entry] = {}
        self._parents: dict[str, str | None] = {}
        self._targets: dict[str, str | None] = {}
        self._settled = True
        self._path: list[Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, entry_id: str) -> bool:
        return entry_id in self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    @property
    def is_plain(self) -> bool:
        """Whether it is as the lines say: no leaf entries, and no link had to be straightened."""
        return not self._targets and self.oddities == Oddities()

    def fill(self, entries: Sequence[Entry]) -> None:
        """Takes all entries of a plain tree at once, in file order; the tree is empty."""
        self._entries = {entry.id: entry for entry in entries}
        self._parents = {entry.id: entry.parent_id for entry in entries}
        self.leaf_id = entries[-1].id if entries else None

    def add(self, entry: Entry) -> None:
        """Puts an entry at the end and moves the leaf as a reader of the file would."""
        entry_id, parent_id = entry.id, entry.parent_id
        if entry_id in self._entries:
            self.oddities.duplicates.append(entry_id)
            del self._entries[entry_id]
            self._targets.pop(entry_id, None)
            self._settled = False
        self._entries[entry_id] = entry
        if entry.type != "message" and entry.is_leaf_entry:
            self._add_leaf_entry(entry)
            return
        if parent_id is not None and parent_id not in self._parents:
            parent_id = None
            self._settled = False
        self._parents[entry_id] = self._node(parent_id) if self._targets else parent_id
        self.leaf_id = entry_id

    def _add_leaf_entry(self, entry: Entry) -> None:
        target = self._targets[entry.id] = target_of(entry)
        links = (target, entry.parent_id)
        if any(link is not None and link not in self._parents for link in links):
            self._settled = False
        self._parents[entry.id] = entry.parent_id
        self.leaf_id = self._leaf_after(entry)

    def settle(self) -> None:
        """Straightens the links, when one of the entries that were added had an odd one."""
        if self._settled:
            return
        self._settled = True
        self.oddities.orphans = []
        self._path = []
        for entry in self:
            parent = entry.parent_id
            if parent is not None and parent not in self._entries:
                self.oddities.orphans.append(entry.id)
                parent = None
            self._parents[entry.id] = parent
            if entry.is_leaf_entry:
                self._targets[entry.id] = target_of(entry)
        for entry in self:
            if not entry.is_leaf_entry:
                self._parents[entry.id] = self._node(self._parents[entry.id])
        self._cut_circles()
        self._replay()

    def entry(self, entry_id: str) -> Entry:
        """
        Raises:
            NotFoundError: there is none of this id.
        """
        try:
            return self._entries[entry_id]
        except KeyError:
            raise NotFoundError(f"This session has no entry {entry_id}.") from None

    def parent_of(self, entry_id: str) -> str | None:
        """The entry that this one hangs from, None for a root; never a leaf entry."""
        return self._parents[entry_id]

    def path(self, leaf_id: str | None) -> list[Entry]:
        """The entries from the root to `leaf_id`; empty for None.

        Raises:
            NotFoundError: there is no such entry.
        """
        if leaf_id is None:
            return []
        entry = self.entry(leaf_id)
        if self._path and self._parents[leaf_id] == self._path[-1].id:
            self._path.append(entry)  # the common case: the conversation went on by one entry
        elif not self._path or self._path[-1] is not entry:
            self._path = list(self.ancestors(leaf_id))
            self._path.reverse()
        return self._path.copy()

    def node(self, entry_id: str | None) -> str | None:
        """The entry itself; for a leaf entry, where it leads."""
        return self._node(entry_id)

    def ancestors(self, entry_id: str | None) -> Iterator[Entry]:
        """The entry and all above it, upwards."""
        while entry_id is not None:
            yield self._entries[entry_id]
            entry_id = self._parents[entry_id]

    def _node(self, entry_id: str | None) -> str | None:
        """Where a chain of leaf entries leads. Each link is followed once: then the whole chain
        points to its end."""
        if entry_id not in self._targets:
            return entry_id
        passed: dict[str, None] = {}
        while entry_id in self._targets and entry_id not in passed:
            passed[entry_id] = None
            target = self._targets[entry_id]
            known = target is None or target in self._entries
            entry_id = target if known else self._parents.get(entry_id)
        end = None if entry_id in passed else entry_id
        for leaf_entry in passed:
            self._targets[leaf_entry] = end
        return end

    def _leaf_after(self, entry: Entry) -> str | None:
        if not entry.is_leaf_entry:
            return entry.id
        target = self._targets[entry.id]
        if target is not None and target not in self._entries:
            return self.leaf_id
        return self._node(target)

    def _replay(self) -> None:
        self.leaf_id = None
        for entry in self:
            self.leaf_id = self._leaf_after(entry)

    def _cut_circles(self) -> None:
        """Makes a root of the earliest entry of every circle."""
        self.oddities.circles = []
        order = {entry_id: number for number, entry_id in enumerate(self._entries)}
        safe: set[str] = set()
        for entry_id in self._entries:
            climbed: dict[str, None] = {}
            step: str | None = entry_id
            while step is not None and step not in safe and step not in climbed:
                climbed[step] = None
                step = self._parents[step]
            if step is not None and step in climbed:
                passed = list(climbed)
                first = min(passed[passed.index(step) :], key=order.__getitem__)
                self._parents[first] = None
                self.oddities.circles.append(first)
            safe.update(climbed)


def target_of(entry: Entry) -> str | None:
    """The leaf that a leaf entry sets; an unusable target counts as its parent."""
    data = entry.data
    holder = shapes.members_of(data.get("data")) if entry.custom_type == LEAF else data
    target: Any = holder.get("targetId", entry.parent_id)
    return target if target is None or isinstance(target, str) else entry.parent_id
