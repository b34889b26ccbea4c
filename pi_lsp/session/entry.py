"""An entry: what its line says of its place in the tree, and, on demand, all the rest."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from pi_lsp.messages import JsonObject
from pi_lsp.session import jsonl
from pi_lsp.session.mirror import Mirror

OWN_PREFIX = "pi-lsp."
"""How the types of our own `custom` entries begin."""

LEAF = "pi-lsp.leaf"
QUEUES = "pi-lsp.queues"

_BOOKKEEPING_TYPES = frozenset({"label", "session_info", "leaf"})


class Entry(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One line of a session file.

    Attributes:
        id: unique in the file.
        parent_id: as the line has it; `Tree.parent_of` says where the entry hangs.
        type: `message`, `compaction`, ... (docs/session-file.md); any other word is kept.
        timestamp: ISO 8601, UTC; empty when the line has none.
        role: of a `message` entry; empty otherwise.
        custom_type: of a `custom` or `custom_message` entry; empty otherwise.
        queue_id: the id of the queue item that a user message came from.
        line_number: in the file, from 1.
        offset: where the line begins, in bytes.
        length: of the line, in bytes, without its line end.
    """

    id: str
    parent_id: str | None
    type: str
    timestamp: str
    role: str
    custom_type: str
    queue_id: str | None
    line_number: int
    offset: int
    length: int
    mirror: Mirror

    @property
    def line(self) -> bytes:
        """The line as it stands in the file, without its line end."""
        return self.mirror.read(self.offset, self.length)

    @property
    def data(self) -> JsonObject:
        """All members of the line, decoded anew each time: whoever asks may change it.

        A line that is nested too deeply to be decoded gives only what the tree needs.
        """
        return jsonl.decode(self.line) or {
            "type": self.type,
            "id": self.id,
            "parentId": self.parent_id,
            "timestamp": self.timestamp,
        }

    @property
    def is_leaf_entry(self) -> bool:
        """Whether it switches the branch: no node, and no entry's parent."""
        return self.type == "leaf" or (self.type == "custom" and self.custom_type == LEAF)

    @property
    def is_bookkeeping(self) -> bool:
        """Whether people never see it as a node: labels, names, leaf entries, our own notes."""
        return self.type in _BOOKKEEPING_TYPES or (
            self.type == "custom" and self.custom_type.startswith(OWN_PREFIX)
        )


class Head(msgspec.Struct, frozen=True, gc=False):
    """What the index keeps of a line; all other members are skipped unread."""

    type: str
    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""
    role: str = ""
    custom_type: str = ""
    queue_id: str | None = None
    readable: bool = True


class _MessageHead(msgspec.Struct, frozen=True, gc=False):
    role: str = ""


class _LineHead(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    type: str
    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""
    custom_type: str = ""
    queue_id: str | None = None
    message: _MessageHead = _MessageHead()


_decode_head = msgspec.json.Decoder(_LineHead).decode


def read_head(line: bytes) -> Head | None:
    """What a line says of itself; None when it is no JSON object with a type.

    A member of the wrong type counts as absent.
    """
    try:
        head = _decode_head(line)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return _head_of(jsonl.decode(line))
    except RecursionError:
        return _head_before_depth(line)
    return Head(
        head.type,
        head.id,
        head.parent_id,
        head.timestamp,
        head.message.role if head.type == "message" else "",
        head.custom_type,
        head.queue_id,
    )


def _head_of(data: JsonObject | None) -> Head | None:
    if data is None or not isinstance(data.get("type"), str):
        return None
    message: Any = data.get("message")
    members = cast(JsonObject, message) if isinstance(message, dict) else {}
    return Head(
        type=data["type"],
        id=_text(data, "id"),
        parent_id=_text(data, "parentId") or None,
        timestamp=_text(data, "timestamp"),
        role=_text(members, "role") if data["type"] == "message" else "",
        custom_type=_text(data, "customType"),
        queue_id=_text(data, "queueId") or None,
    )


def _head_before_depth(line: bytes) -> Head | None:
    """The head of a line that is nested too deeply for a decoder: its first plain members.

    Our own lines and pi's begin with them.
    """
    start = line.find(b"[")
    opening = line.find(b"{", 1)
    ends = [end for end in (start, opening) if end > 0]
    comma = line.rfind(b",", 0, min(ends, default=len(line)))
    head = _head_of(jsonl.decode(line[:comma] + b"}")) if comma > 0 else None
    return msgspec.structs.replace(head, readable=False) if head else None


def _text(data: JsonObject, key: str) -> str:
    value: Any = data.get(key)
    return value if isinstance(value, str) else ""
