"""What an editor sends: the params of every request, as docs/protocol.md lists them."""

from __future__ import annotations

from typing import Literal

from pi_lsp.agent.events import Attachment, ImageAttachment, WireModel
from pi_lsp.agent.input import UserInput
from pi_lsp.settings import ApprovalMode, QueueMode


class Params(WireModel, frozen=True):
    """The params of every request; `workspace` may be left out when there is one folder."""

    workspace: str | None = None


class MessageParams(Params, frozen=True):
    """A message of the person."""

    text: str
    images: list[ImageAttachment] | None = None
    attachments: list[Attachment] | None = None

    def as_input(self) -> UserInput:
        return UserInput(self.text, self.images or [], self.attachments or [])


class PromptParams(MessageParams, frozen=True):
    """`at` is the entry to go to first, as `pi/navigate` does."""

    when_busy: Literal["steer", "followUp"] | None = None
    at: str | None = None


class UnqueueParams(Params, frozen=True):
    id: str


class WaitForIdleParams(Params, frozen=True):
    timeout_ms: int | None = None


class MessagesParams(Params, frozen=True):
    leaf_id: str | None = None


class EntriesParams(Params, frozen=True):
    """`since`: those after this entry. `before`: those next to it. `branch`: the active path."""

    since: str | None = None
    before: str | None = None
    limit: int | None = None
    branch: bool | None = None


TreeFilter = Literal["default", "noTools", "user", "labeled", "branches", "all"]


class TreeParams(Params, frozen=True):
    filter: TreeFilter | None = None


class NavigateParams(Params, frozen=True):
    """`entry_id` is None for the empty root."""

    entry_id: str | None
    summarize: bool | None = None
    instructions: str | None = None
    label: str | None = None


class LabelParams(Params, frozen=True):
    """A `label` of None takes the label away."""

    entry_id: str
    label: str | None


class ForkParams(Params, frozen=True):
    entry_id: str
    position: Literal["before", "at"] | None = None


class CompactParams(Params, frozen=True):
    instructions: str | None = None


class NewSessionParams(Params, frozen=True):
    name: str | None = None


class SessionParams(Params, frozen=True):
    session_id: str


class RenameSessionParams(Params, frozen=True):
    name: str


class ExportParams(Params, frozen=True):
    format: Literal["html", "markdown", "jsonl"]
    path: str | None = None


class SetModelParams(Params, frozen=True):
    provider: str
    model_id: str


class SetThinkingLevelParams(Params, frozen=True):
    level: Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]


class SetQueueModeParams(Params, frozen=True):
    steering: QueueMode | None = None
    follow_up: QueueMode | None = None


class SetAutoCompactionParams(Params, frozen=True):
    enabled: bool


class SetApprovalModeParams(Params, frozen=True):
    mode: ApprovalMode


class SetApiKeyParams(Params, frozen=True):
    provider: str
    key: str

    def __repr_args__(self) -> list[tuple[str, str]]:
        return [("provider", self.provider), ("key", "…")]


class SetTrustParams(Params, frozen=True):
    trusted: bool


class BashParams(Params, frozen=True):
    command: str
    exclude_from_context: bool | None = None
