"""What requests are answered with, as docs/protocol.md lists it."""

from __future__ import annotations

from typing import Literal

from pi_lsp.agent.events import QueueItem, Queues, WireModel
from pi_lsp.messages import JsonObject


class Empty(WireModel, frozen=True):
    """Done; there is nothing more to say."""


class PromptResult(WireModel, frozen=True):
    disposition: Literal["started", "queued"]
    session_id: str
    queues: Queues


class ContinueResult(WireModel, frozen=True):
    disposition: Literal["started"] = "started"

    def to_wire(self) -> JsonObject:
        return {"disposition": self.disposition}


class QueuedResult(WireModel, frozen=True):
    item: QueueItem
    queues: Queues


class UnqueueResult(WireModel, frozen=True):
    removed: bool
    queues: Queues


class ClearQueueResult(WireModel, frozen=True):
    steer: list[QueueItem]
    follow_up: list[QueueItem]


class AbortResult(WireModel, frozen=True):
    aborted: bool
    steer: list[QueueItem]
    follow_up: list[QueueItem]


class IdleResult(WireModel, frozen=True):
    phase: str


class ContextEntry(WireModel, frozen=True):
    """A message of the model's context, and the entry that it comes from."""

    entry_id: str
    message: JsonObject


class MessagesResult(WireModel, frozen=True):
    messages: list[ContextEntry]
    leaf_id: str | None


class EntriesResult(WireModel, frozen=True):
    """`more`: there are others beyond the limit."""

    entries: list[JsonObject]
    leaf_id: str | None
    more: bool


class TreeResult(WireModel, frozen=True):
    """`nodes` are flat, in file order."""

    nodes: list[JsonObject]
    leaf_id: str | None


class NavigateResult(WireModel, frozen=True):
    """`editor_text`: what the entry said, to be sent again in another form."""

    leaf_id: str | None
    editor_text: str | None = None
    summary_entry_id: str | None = None


class ForkResult(WireModel, frozen=True):
    session_id: str
    file: str
    editor_text: str | None = None


class CompactResult(WireModel, frozen=True):
    """Tokens before and after; the latter is an estimate."""

    entry_id: str
    summary: str
    first_kept_entry_id: str | None
    tokens_before: int
    estimated_tokens_after: int


class SessionsResult(WireModel, frozen=True):
    """Last used first."""

    sessions: list[JsonObject]


class ExportResult(WireModel, frozen=True):
    path: str


class ModelsResult(WireModel, frozen=True):
    models: list[JsonObject]


class ModelResult(WireModel, frozen=True):
    model: JsonObject


class LevelResult(WireModel, frozen=True):
    level: str


class QueueModesResult(WireModel, frozen=True):
    steering: str
    follow_up: str


class AutoCompactionResult(WireModel, frozen=True):
    enabled: bool


class ApprovalModeResult(WireModel, frozen=True):
    mode: str


class TrustResult(WireModel, frozen=True):
    trusted: bool


class BashResult(WireModel, frozen=True):
    """`exit_code` is None when the command was stopped."""

    output: str
    exit_code: int | None
    cancelled: bool
    truncated: bool
    full_output_path: str | None = None


class HealthCheck(WireModel, frozen=True):
    name: str
    status: Literal["ok", "warn", "error"]
    message: str
    hint: str | None = None


class HealthResult(WireModel, frozen=True):
    """`log` is where the log is written, None when it goes to standard error."""

    checks: list[HealthCheck]
    version: str
    log: str | None


class RawResult:
    """A result that is JSON already (a state, statistics)."""

    def __init__(self, value: JsonObject) -> None:
        self._value = value

    def to_wire(self) -> JsonObject:
        return self._value
