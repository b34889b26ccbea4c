"""What a fork takes along: the path, its ids, and the labels of what is on it."""

from __future__ import annotations

from typing import Any

from pi_lsp.session import jsonl
from pi_lsp.session.entry import OWN_PREFIX, Entry
from pi_lsp.session.header import now_iso
from pi_lsp.session.identifiers import new_entry_id


def fork_lines(path: list[Entry], labels: dict[str, str]) -> bytes:
    """The lines of a new session that continues a path.

    Entries keep their ids and all their members; our own bookkeeping stays behind, and labels
    are set again at the end.

    Args:
        path: from root to leaf.
        labels: of the whole session, by entry id.
    """
    kept = [entry for entry in path if not _stays_behind(entry)]
    lines: list[bytes] = []
    parent: str | None = None
    successors = _successors(path)
    for entry in kept:
        lines.append(_line(entry, parent, successors))
        parent = entry.id
    taken = {entry.id for entry in kept}
    for entry in kept:
        if (label := labels.get(entry.id)) is not None:
            label_id = new_entry_id(taken)
            taken.add(label_id)
            members = {"targetId": entry.id, "label": label}
            head = {"type": "label", "id": label_id, "parentId": parent, "timestamp": now_iso()}
            lines.append(jsonl.encode({**head, **members}))
            parent = label_id
    return b"".join(lines)


def _stays_behind(entry: Entry) -> bool:
    if entry.type == "custom":
        return entry.custom_type.startswith(OWN_PREFIX)
    return entry.type in {"label", "leaf"}


def _line(entry: Entry, parent: str | None, successors: dict[str, str | None]) -> bytes:
    """The line as it stands, unless a link leads to what stays behind."""
    changed: dict[str, Any] = {}
    if entry.parent_id != parent:
        changed["parentId"] = parent
    if entry.type == "compaction":
        first_kept: Any = entry.data.get("firstKeptEntryId")
        successor = successors.get(first_kept) if isinstance(first_kept, str) else None
        if successor is not None and successor != first_kept:
            changed["firstKeptEntryId"] = successor
    if not changed:
        return entry.line.rstrip(b"\r") + b"\n"
    return jsonl.encode({**entry.data, **changed})


def _successors(path: list[Entry]) -> dict[str, str | None]:
    """For each entry of the path the first one, from itself on, that a fork takes along."""
    successors: dict[str, str | None] = {}
    next_kept: str | None = None
    for entry in reversed(path):
        if not _stays_behind(entry):
            next_kept = entry.id
        successors[entry.id] = next_kept
    return successors
