"""What the agent tells of itself while it works: one class per event, in the wire's own words.

The order in a run stands in docs/protocol.md. An event goes to the function that the harness was
made with; that function must not block.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from pi_lsp.messages import JsonObject


class WireModel(BaseModel, frozen=True):
    """snake_case here, camelCase on the wire; unknown members are ignored.

    What checks a model is built when the model is first used: there are a hundred, and all of
    them would be built before the editor gets its first answer.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="ignore",
        defer_build=True,
    )

    def to_wire(self) -> JsonObject:
        """As JSON; members that are None are left out unless they were set to None on purpose."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class ImageAttachment(WireModel, frozen=True):
    """A picture; `data` is base64."""

    data: str
    mime_type: str


class Position(WireModel, frozen=True):
    """As in LSP: line from 0, character in the negotiated encoding."""

    line: int
    character: int


class Range(WireModel, frozen=True):
    start: Position
    end: Position


class Attachment(WireModel, frozen=True):
    """A file, or a part of it, that goes with a message."""

    uri: str
    range: Range | None = None


class QueueItem(WireModel, frozen=True):
    """A message that waits."""

    id: str
    text: str
    images: list[ImageAttachment] | None = None
    attachments: list[Attachment] | None = None


class Queues(WireModel, frozen=True):
    """What waits, oldest first."""

    steer: list[QueueItem] = []
    follow_up: list[QueueItem] = []
    next_turn: list[QueueItem] = []


CompactionReason = Literal["manual", "threshold", "overflow"]


class Event(WireModel, frozen=True):
    """The base of all events."""

    type: str

    def to_wire(self) -> JsonObject:
        return {"type": self.type, **super().to_wire()}


class AgentStart(Event, frozen=True):
    type: Literal["agent_start"] = "agent_start"


class TurnStart(Event, frozen=True):
    type: Literal["turn_start"] = "turn_start"


class SavePoint(Event, frozen=True):
    type: Literal["save_point"] = "save_point"


class MessageStart(Event, frozen=True):
    type: Literal["message_start"] = "message_start"
    message: JsonObject


class MessageUpdate(Event, frozen=True):
    """A piece of the answer; the first of a tool call also says which call it is."""

    type: Literal["message_update"] = "message_update"
    content_index: int
    kind: Literal["text", "thinking", "toolCall"]
    delta: str
    tool_call_id: str | None = None
    tool_name: str | None = None


class MessageEnd(Event, frozen=True):
    type: Literal["message_end"] = "message_end"
    message: JsonObject
    entry_id: str


class ToolExecutionStart(Event, frozen=True):
    type: Literal["tool_execution_start"] = "tool_execution_start"
    tool_call_id: str
    tool_name: str
    args: JsonObject


class ToolExecutionUpdate(Event, frozen=True):
    type: Literal["tool_execution_update"] = "tool_execution_update"
    tool_call_id: str
    delta: str


class ToolExecutionEnd(Event, frozen=True):
    """`result` is `{content, details?}`."""

    type: Literal["tool_execution_end"] = "tool_execution_end"
    tool_call_id: str
    result: JsonObject
    is_error: bool
    duration_ms: int


class TurnEnd(Event, frozen=True):
    type: Literal["turn_end"] = "turn_end"
    entry_id: str | None
    tool_result_ids: list[str]


class AgentEnd(Event, frozen=True):
    type: Literal["agent_end"] = "agent_end"
    entry_ids: list[str]


class Settled(Event, frozen=True):
    """The phase is idle: whoever hears this may prompt at once."""

    type: Literal["settled"] = "settled"
    aborted: bool
    error: str | None = None
    next_turn_count: int


class QueueUpdate(Event, frozen=True):
    type: Literal["queue_update"] = "queue_update"
    queues: Queues


class EntryAppended(Event, frozen=True):
    type: Literal["entry_appended"] = "entry_appended"
    entry: JsonObject


class LeafChanged(Event, frozen=True):
    type: Literal["leaf_changed"] = "leaf_changed"
    leaf_id: str | None


class SessionChanged(Event, frozen=True):
    """Another session is the folder's now; `state` is the wire's `State`."""

    type: Literal["session_changed"] = "session_changed"
    state: JsonObject


class SessionInfoChanged(Event, frozen=True):
    type: Literal["session_info_changed"] = "session_info_changed"
    name: str | None


class ModelChanged(Event, frozen=True):
    """`model` is a `Model` of the wire."""

    type: Literal["model_changed"] = "model_changed"
    model: JsonObject


class ThinkingLevelChanged(Event, frozen=True):
    type: Literal["thinking_level_changed"] = "thinking_level_changed"
    level: str


class ApprovalModeChanged(Event, frozen=True):
    type: Literal["approval_mode_changed"] = "approval_mode_changed"
    mode: str


class TrustChanged(Event, frozen=True):
    type: Literal["trust_changed"] = "trust_changed"
    trusted: bool


class ContextChanged(Event, frozen=True):
    """`tokens` of `window` are used; `percent` from 0 to 100, `cost` in US dollars."""

    type: Literal["context_changed"] = "context_changed"
    tokens: int | None
    window: int
    percent: float | None
    cost: float


class CompactionStart(Event, frozen=True):
    type: Literal["compaction_start"] = "compaction_start"
    reason: CompactionReason


class CompactionEnd(Event, frozen=True):
    type: Literal["compaction_end"] = "compaction_end"
    reason: CompactionReason
    result: JsonObject | None = None
    aborted: bool
    error: str | None = None


class BranchSummaryStart(Event, frozen=True):
    type: Literal["branch_summary_start"] = "branch_summary_start"


class BranchSummaryEnd(Event, frozen=True):
    type: Literal["branch_summary_end"] = "branch_summary_end"
    aborted: bool
    error: str | None = None


class RetryStart(Event, frozen=True):
    """The attempt that failed is void: what streamed of it is dropped."""

    type: Literal["retry_start"] = "retry_start"
    attempt: int
    max_attempts: int
    delay_ms: int
    error: str


class RetryEnd(Event, frozen=True):
    type: Literal["retry_end"] = "retry_end"
    success: bool


class ApprovalAsked(Event, frozen=True):
    """The params of `pi/approve`."""

    type: Literal["approval_asked"] = "approval_asked"
    tool_call_id: str
    tool_name: str
    args: JsonObject
    title: str
    diff: str | None = None
    before_uri: str | None = None
    after_uri: str | None = None
    path: str | None = None
    outside_workspace: bool = False


class ApprovalAnswered(Event, frozen=True):
    type: Literal["approval_answered"] = "approval_answered"
    tool_call_id: str
    decision: str


class BashUpdate(Event, frozen=True):
    type: Literal["bash_update"] = "bash_update"
    delta: str


class ErrorEvent(Event, frozen=True):
    type: Literal["error"] = "error"
    code: str
    message: str


def event_types() -> list[str]:
    """The names of all events, for the handshake."""
    return sorted(str(cls.model_fields["type"].default) for cls in _leaves(Event))


def _leaves(cls: type[Event]) -> list[type[Any]]:
    return [leaf for sub in cls.__subclasses__() for leaf in ([sub, *_leaves(sub)])]
