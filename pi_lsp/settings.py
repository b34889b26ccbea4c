"""The settings: layers, defaults, and what a folder may not set.

Later layers win: built-in defaults; the user's `settings.json`; the trusted folder's
`.pi/settings.json`; the client's. A value that cannot be used is reported with its path and the
default is used; it never stops the server.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from pi_lsp.messages import ThinkingLevel

QueueMode = Literal["one-at-a-time", "all"]
ApprovalMode = Literal["ask", "edits", "auto", "readonly"]


class SettingsModel(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, extra="ignore"
    )


class CompactionLimits(SettingsModel):
    """Tokens that a compaction leaves free, and keeps."""

    reserve_tokens: int | None = Field(default=None, ge=0)
    keep_recent_tokens: int | None = Field(default=None, ge=0)


class CompactionSettings(SettingsModel):
    """`model_overrides` is keyed by `provider/id` or by the id alone."""

    enabled: bool = True
    reserve_tokens: int = Field(default=16384, ge=0)
    keep_recent_tokens: int = Field(default=20000, ge=0)
    model_overrides: dict[str, CompactionLimits] = Field(default_factory=dict)


class BranchSummarySettings(SettingsModel):
    reserve_tokens: int = Field(default=16384, ge=0)


class RetrySettings(SettingsModel):
    enabled: bool = True
    max_retries: int = Field(default=3, ge=0, le=100)
    base_delay_ms: int = Field(default=2000, ge=0)
    max_agent_delay_ms: int = Field(default=60000, ge=0)


class SessionSettings(SettingsModel):
    startup: Literal["continue", "new"] = "continue"
    dir: str = ".pi/sessions"


class ApprovalRule(SettingsModel):
    """A glob on the command (bash) or the path (all others)."""

    tool: str = "*"
    pattern: str = "*"
    decision: Literal["allow", "ask", "deny"]


class ApprovalSettings(SettingsModel):
    mode: ApprovalMode = "ask"
    rules: list[ApprovalRule] = Field(default_factory=list[ApprovalRule])


class ProviderSettings(SettingsModel):
    base_url: str | None = None
    api_key: str | None = Field(default=None, repr=False)


class ModelCostSettings(SettingsModel):
    """US dollars per million tokens."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0


class ModelSettings(SettingsModel):
    """A model that the catalogue does not know; windows in tokens."""

    provider: str
    id: str
    name: str | None = None
    context_window: int = Field(default=200000, gt=0)
    max_tokens: int = Field(default=8192, gt=0)
    reasoning: bool = False
    cost: ModelCostSettings | None = None


class Settings(SettingsModel):
    """All settings, after the layers were put over each other."""

    default_provider: str | None = None
    default_model: str | None = None
    default_thinking_level: ThinkingLevel = "medium"
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_mode: QueueMode = "one-at-a-time"
    compaction: CompactionSettings = Field(default_factory=CompactionSettings)
    branch_summary: BranchSummarySettings = Field(default_factory=BranchSummarySettings)
    retry: RetrySettings = Field(default_factory=RetrySettings)
    session: SessionSettings = Field(default_factory=SessionSettings)
    approval: ApprovalSettings = Field(default_factory=ApprovalSettings)
    providers: dict[str, ProviderSettings] = Field(default_factory=dict)
    default_tools: list[str] | None = None
    models: list[ModelSettings] = Field(default_factory=list[ModelSettings])
    shell_path: str | None = None
    shell_command_prefix: str | None = None
