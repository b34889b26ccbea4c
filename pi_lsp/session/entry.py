"""An entry: what its line says of its place in the tree, and, on demand, all the rest."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from pi_lsp.messages import JsonObject
from pi_lsp.session import jsonl, shapes
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


_Count = Annotated[int, msgspec.Meta(ge=0)]
_Amount = Annotated[float, msgspec.Meta(ge=0)]


class _CostHead(msgspec.Struct, frozen=True, gc=False):
    total: _Amount = 0.0


class _BlockHead(msgspec.Struct, frozen=True, gc=False):
    type: str = ""


class UsageHead(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What an answer or a summary used: tokens, and US dollars in all."""

    input: _Count = 0
    output: _Count = 0
    cache_read: _Count = 0
    cache_write: _Count = 0
    cost: _CostHead = _CostHead()


class MessageHead(msgspec.Struct, frozen=True, gc=False):
    """What the index keeps of a message."""

    role: str = ""
    content: str | list[_BlockHead] = ""
    usage: UsageHead | None = None


class Head(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What the index keeps of a line; all other members are skipped unread."""

    type: str
    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""
    custom_type: str = ""
    queue_id: str | None = None
    message: MessageHead | None = None
    usage: UsageHead | None = None

    @property
    def role(self) -> str:
        """Of a `message` entry; empty otherwise."""
        return self.message.role if self.message is not None and self.type == "message" else ""

    def entry(self, line_number: int, offset: int, length: int, mirror: Mirror) -> Entry:
        """The entry of the line that stands there."""
        return Entry(
            self.id,
            self.parent_id,
            self.type,
            self.timestamp,
            self.role,
            self.custom_type,
            self.queue_id,
            line_number,
            offset,
            length,
            mirror,
        )


class DeepHead(Head, frozen=True, gc=False):
    """Of a line that is nested too deeply to be decoded: its first members only."""


_decode_head = msgspec.json.Decoder(Head).decode


def read_head(line: bytes) -> Head | None:
    """What a line says of itself; None when it is no JSON object with a type.

    A member of the wrong type counts as absent.
    """
    try:
        return _decode_head(line)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return _head_of(jsonl.decode(line))
    except RecursionError:
        return _head_before_depth(line)


def _head_of(data: JsonObject | None) -> Head | None:
    if data is None or not isinstance(data.get("type"), str):
        return None
    return Head(
        type=data["type"],
        id=shapes.text(data.get("id")),
        parent_id=shapes.text(data.get("parentId")) or None,
        timestamp=shapes.text(data.get("timestamp")),
        custom_type=shapes.text(data.get("customType")),
        queue_id=shapes.text(data.get("queueId")) or None,
        message=_message_head(shapes.members_of(data.get("message"))),
        usage=_usage_head(data.get("usage")),
    )


def _message_head(message: JsonObject) -> MessageHead:
    types = [
        _BlockHead(shapes.text(one.get("type"))) for one in shapes.objects(message.get("content"))
    ]
    return MessageHead(shapes.text(message.get("role")), types, _usage_head(message.get("usage")))


def _usage_head(value: Any) -> UsageHead:
    usage = shapes.usage_of(value)
    return UsageHead(
        input=usage["input"],
        output=usage["output"],
        cache_read=usage["cacheRead"],
        cache_write=usage["cacheWrite"],
        cost=_CostHead(usage["cost"]["total"]),
    )


def _head_before_depth(line: bytes) -> Head | None:
    """The head of a line that is nested too deeply for a decoder: its first plain members.

    Our own lines and pi's begin with them.
    """
    ends = [end for end in (line.find(b"["), line.find(b"{", 1)) if end > 0]
    comma = line.rfind(b",", 0, min(ends, default=len(line)))
    head = _head_of(jsonl.decode(line[:comma] + b"}")) if comma > 0 else None
    return DeepHead(**msgspec.structs.asdict(head)) if head is not None else None
