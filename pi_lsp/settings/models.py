"""What can be set, with the defaults. How the layers are put over each other: `layers.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel

from pi_lsp.messages import ThinkingLevel

QueueMode = Literal["one-at-a-time", "all"]
ApprovalMode = Literal["ask", "edits", "auto", "readonly"]


def _empty_list_is_empty_object(value: Any) -> Any:
    """Lua has one empty table, which arrives as `[]`."""
    return {} if value == [] else value


_Table = BeforeValidator(_empty_list_is_empty_object)


class SettingsModel(BaseModel):
    """snake_case here, camelCase in files; unknown members (pi has many more) are ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="ignore",
        defer_build=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _accept_lua(cls, value: Any) -> Any:
        return _empty_list_is_empty_object(value)


class CompactionLimits(SettingsModel):
    """Tokens that a compaction leaves free, and keeps."""

    reserve_tokens: int | None = Field(default=None, ge=0)
    keep_recent_tokens: int | None = Field(default=None, ge=0)


class CompactionSettings(SettingsModel):
    """`model_overrides` is keyed by `provider/id` or by the id alone."""

    enabled: bool = True
    reserve_tokens: int = Field(default=16384, ge=0)
    keep_recent_tokens: int = Field(default=20000, ge=0)
    model_overrides: Annotated[dict[str, CompactionLimits], _Table] = Field(
        default_factory=dict[str, CompactionLimits]
    )


class BranchSummarySettings(SettingsModel):
    reserve_tokens: int = Field(default=16384, ge=0)


class RetrySettings(SettingsModel):
    enabled: bool = True
    max_retries: int = Field(default=3, ge=0, le=100)
    base_delay_ms: int = Field(default=2000, ge=0)
    max_agent_delay_ms: int = Field(default=60000, ge=0)


class SessionSettings(SettingsModel):
    """`dir` is relative to the folder, or absolute; a leading `~` stands for the home folder."""

    startup: Literal["continue", "new"] = "continue"
    dir: str = Field(default=".pi/sessions", min_length=1)

    @field_validator("dir")
    @classmethod
    def _as_path(cls, value: str) -> str:
        if "\0" in value:
            raise ValueError("a path holds no NUL")
        try:
            return str(Path(value).expanduser()) if value.startswith("~") else value
        except RuntimeError as error:
            raise ValueError("this home folder is not known") from error


class ApprovalRule(SettingsModel):
    """A glob on the command (bash) or the path (all others).

    Attributes:
        folder: absolute; the rule counts in this workspace folder only. None for all.
    """

    tool: str = "*"
    pattern: str = "*"
    decision: Literal["allow", "ask", "deny"]
    folder: str | None = None

    @field_validator("folder")
    @classmethod
    def _absolute(cls, value: str | None) -> str | None:
        if value is not None and not Path(value).is_absolute():
            raise ValueError("it should be an absolute path")
        return value


class ApprovalSettings(SettingsModel):
    mode: ApprovalMode = "ask"
    rules: list[ApprovalRule] = Field(default_factory=list[ApprovalRule])


class ProviderSettings(SettingsModel):
    base_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    api_key: str | None = Field(default=None, min_length=1, repr=False)


class ModelCostSettings(SettingsModel):
    """US dollars per million tokens."""

    input: float = Field(default=0, ge=0)
    output: float = Field(default=0, ge=0)
    cache_read: float = Field(default=0, ge=0)
    cache_write: float = Field(default=0, ge=0)


class ModelSettings(SettingsModel):
    """A model that the catalogue does not know; windows in tokens.

    `thinking_level_map` says what a level is called by the service; null for a level that the
    model does not take.
    """

    provider: str = Field(min_length=1)
    id: str = Field(min_length=1)
    name: str | None = None
    context_window: int = Field(default=128_000, gt=0)
    max_tokens: int = Field(default=16_384, gt=0)
    reasoning: bool = False
    thinking_level_map: Annotated[dict[ThinkingLevel, str | None], _Table] | None = None
    input: list[Literal["text", "image"]] = Field(default=["text"])
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
    providers: Annotated[dict[str, ProviderSettings], _Table] = Field(
        default_factory=dict[str, ProviderSettings]
    )
    default_tools: list[str] | None = None
    models: list[ModelSettings] = Field(default_factory=list[ModelSettings])
    shell_path: str | None = None
    shell_command_prefix: str | None = None

    def selected_tools(self, available: Sequence[str]) -> list[str]:
        """The tools that `default_tools` leaves of `available`, in the order of `available`.

        Plain names select; `+name` adds and `-name` removes one, in the order of the list. With
        only such changes, or nothing set, the selection starts from all. Unknown names (tools
        that only pi has) select nothing.
        """
        if self.default_tools is None:
            return list(available)
        changes = [name for name in self.default_tools if name[:1] in ("+", "-")]
        plain = [name for name in self.default_tools if name[:1] not in ("+", "-")]
        selected = set(available) if changes and not plain else set(plain)
        for change in changes:
            if change[0] == "+":
                selected.add(change[1:])
            else:
                selected.discard(change[1:])
        return [name for name in available if name in selected]
