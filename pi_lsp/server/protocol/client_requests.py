"""What the server asks an editor, and what it tells it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pi_lsp.agent.events import Position, Range, WireModel
from pi_lsp.messages import JsonObject

EVENT = "pi/event"
APPROVE = "pi/approve"
DIAGNOSTICS = "pi/diagnostics"
SAVE = "pi/save"


class EventParams(WireModel, frozen=True):
    """One event; `seq` counts up by one per session since the server started."""

    workspace: str
    session_id: str
    seq: int
    event: JsonObject


class ApproveAnswer(WireModel, frozen=True):
    """The answer to `pi/approve`; its params are those of the event `approval_asked`."""

    decision: Literal["allow", "allowSession", "allowAlways", "deny"]
    reason: str | None = None


class SaveAnswer(WireModel, frozen=True):
    saved: list[str] = Field(default_factory=list[str])


class DiagnosticRange(WireModel, frozen=True):
    start: Position


class WireDiagnostic(WireModel, frozen=True):
    """What of an LSP `Diagnostic` the agent is told; severity from 1 (error) to 4 (hint)."""

    range: DiagnosticRange
    message: str
    severity: int | None = None
    source: str | None = None
    code: Any = None


class DocumentDiagnostics(WireModel, frozen=True):
    uri: str
    version: int | None = None
    items: list[WireDiagnostic]


class DiagnosticsAnswer(WireModel, frozen=True):
    diagnostics: list[DocumentDiagnostics] = Field(default_factory=list[DocumentDiagnostics])


class TextEdit(WireModel, frozen=True):
    """As in LSP."""

    range: Range
    new_text: str
