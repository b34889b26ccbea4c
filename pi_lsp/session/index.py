"""The index of a session's lines: the tree, and what entries say of the session as a whole.

Every line is looked at once, in file order, and only its first members are decoded. What is
appended later, by us or by others, is read on from there by the same code; so what memory holds
is what a reader of the file would find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pi_lsp import __version__
from pi_lsp.errors import SessionInvalidError
from pi_lsp.messages import JsonObject
from pi_lsp.session import shapes
from pi_lsp.session.entry import QUEUES, DeepHead, Entry, Head, read_head
from pi_lsp.session.header import Header, read_header, without_bom
from pi_lsp.session.kept_index import FileIdentity, KeptIndex, columns_of
from pi_lsp.session.mirror import Mirror
from pi_lsp.session.stats import SessionStats
from pi_lsp.session.text import one_line
from pi_lsp.session.tree import Tree

_LISTED_LINES = 10
_NOTES = frozenset({"label", "session_info", "custom"})


class Index:
    """What is known of the lines of a mirror.

    Attributes:
        header: the session's; None until a line was read.
        tree: the entries and their links.
        labels: label of each labelled entry.
        name: the session's title; None when it has none.
        queues: what the last `pi-lsp.queues` entry holds; None when there is none.
        delivered: the ids of all queue items that became messages.
        stats: what all lines used.
    """

    def __init__(self, mirror: Mirror) -> None:
        self.header: Header | None = None
        self.tree = Tree()
        self.labels: dict[str, str] = {}
        self.name: str | None = None
        self.queues: JsonObject | None = None
        self.delivered: set[str] = set()
        self.stats = SessionStats()
        self._mirror = mirror
        self._offset = 0
        self._line_number = 0
        self._in_mid_line = False
        self._damaged: list[int] = []
        self._too_deep: list[int] = []
        self._torn: int | None = None

    @property
    def indexed_bytes(self) -> int:
        """How far the index has come; it changes whenever anything in it does."""
        return self._offset

    def read_header(self, path: Path) -> Header | None:
        """Reads up to the header; None when there is nothing to read at all.

        Args:
            path: the file, for the error.

        Raises:
            SessionInvalidError: what there is, is no session.
        """
        for offset, line in self._mirror.lines():
            self._line_number += 1
            self._offset = offset + len(line) + 1
            self.header = read_header(line, path)
            if self.header is not None:
                self._in_mid_line = self._offset > self._mirror.size
                self._offset = min(self._offset, self._mirror.size)
                return self.header
            if without_bom(line).strip():
                self._damaged.append(self._line_number)
        if self._mirror.size:
            raise SessionInvalidError(
                f"{path} is no session: no line of it can be read. It was left as it is."
            )
        return None

    def read_on(self) -> list[Entry]:
        """Indexes what the mirror has gained, and gives back the new entries.

        A last line that is torn is left for later: its writer may still be writing.
        """
        known = len(self.tree.oddities.duplicates)
        size = self._mirror.size
        entries: list[Entry] = []
        self._torn = None
        for offset, line in self._mirror.lines(self._offset):
            end = offset + len(line)
            head = read_head(line)
            if not self._in_mid_line:
                self._line_number += 1
            if end < size:
                self._in_mid_line = False
                self._offset = end + 1
            elif head is None and line.strip():
                self._torn = self._line_number
                self._line_number -= 1
                break
            else:
                self._in_mid_line = True
                self._offset = end
            if head is not None and head.id and head.type != "session":
                entries.append(self._take(head, offset, len(line)))
            elif line.strip():
                self._damaged.append(self._line_number)
        self.tree.settle()
        if len(self.tree.oddities.duplicates) > known:
            entries = list({entry.id: entry for entry in entries}.values())
        return entries

    def restore(self, kept: KeptIndex) -> None:
        """Takes over what was kept of this very file, in place of reading on."""
        entries = list(kept.entries(self._mirror))
        if kept.is_plain:
            self.tree.fill(entries)
        else:
            for entry in entries:
                self.tree.add(entry)
            self.tree.settle()
        for entry in entries:
            self._note(entry)
        self.stats = replace(kept.stats)
        self._damaged, self._too_deep = list(kept.damaged), list(kept.too_deep)
        self._line_number, self._in_mid_line = kept.line_number, kept.in_mid_line
        self._offset = kept.size

    def to_keep(self, identity: FileIdentity) -> Callable[[], KeptIndex] | None:
        """What makes the index that can be kept, in any thread; None when it is not of the whole
        file, or one that an id stands in twice."""
        at_end = self._offset == self._mirror.size == identity[2]
        if not at_end or self._torn is not None or self.tree.oddities.duplicates:
            return None
        entries, stats = list(self.tree), replace(self.stats)
        line_number, in_mid_line = self._line_number, self._in_mid_line
        damaged, too_deep = list(self._damaged), list(self._too_deep)
        is_plain = self.tree.is_plain
        return lambda: KeptIndex(
            __version__,
            identity,
            line_number,
            in_mid_line,
            is_plain,
            damaged,
            too_deep,
            stats,
            columns_of(entries),
        )

    def report(self, file: str) -> list[str]:
        """What a person should know of the file's state, a sentence each."""
        torn = [self._torn] if self._torn is not None else []
        oddities = self.tree.oddities
        found = (
            (self._damaged + torn, f"{file}: {{}} cannot be read; skipped, and kept in the file."),
            (self._too_deep, f"{file}: {{}} is nested too deeply to be read; it counts as empty."),
        )
        links = (
            (oddities.orphans, "hangs from an entry that is not in the file; it begins a tree"),
            (oddities.circles, "hangs from its own descendant; it begins a tree"),
            (oddities.duplicates, "stands in the file more than once; the last one counts"),
        )
        sentences = [text.format(_named("line", numbers)) for numbers, text in found if numbers]
        sentences += [f"{file}: {_named('entry', ids)} {text}." for ids, text in links if ids]
        return sentences

    def _take(self, head: Head, offset: int, length: int) -> Entry:
        entry = head.entry(self._line_number, offset, length, self._mirror)
        if isinstance(head, DeepHead):
            self._too_deep.append(self._line_number)
        self.stats.add(head)
        self.tree.add(entry)
        self._note(entry)
        return entry

    def _note(self, entry: Entry) -> None:
        if entry.queue_id is not None:
            self.delivered.add(entry.queue_id)
        if entry.type in _NOTES:
            self._note_data(entry, entry.data)

    def _note_data(self, entry: Entry, data: JsonObject) -> None:
        if entry.type == "label":
            target = shapes.text(data.get("targetId"))
            self.labels.pop(target, None)
            if label := shapes.text(data.get("label")):
                self.labels[target] = label
        elif entry.type == "session_info":
            self.name = one_line(shapes.text(data.get("name"))) or None
        elif entry.custom_type == QUEUES:
            self.queues = shapes.members_of(data.get("data"))


def _named(noun: str, items: list[int] | list[str]) -> str:
    if len(items) == 1:
        return f"{noun} {items[0]}"
    plural = "entries" if noun == "entry" else f"{noun}s"
    listed = ", ".join(str(item) for item in items[:_LISTED_LINES])
    more = len(items) - _LISTED_LINES
    return f"{plural} {listed}" + (f" and {more} more" if more > 0 else "")
