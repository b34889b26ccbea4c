"""The settings: what can be set, where it comes from, and what a folder may not set."""

from pi_lsp.settings.approval_rules import keep_rule
from pi_lsp.settings.layers import LoadedSettings, load_settings
from pi_lsp.settings.locations import agent_directory
from pi_lsp.settings.models import (
    ApprovalMode,
    ApprovalRule,
    ApprovalSettings,
    BranchSummarySettings,
    CompactionLimits,
    CompactionSettings,
    ModelCostSettings,
    ModelSettings,
    ProviderSettings,
    QueueMode,
    RetrySettings,
    SessionSettings,
    Settings,
)

__all__ = [
    "ApprovalMode",
    "ApprovalRule",
    "ApprovalSettings",
    "BranchSummarySettings",
    "CompactionLimits",
    "CompactionSettings",
    "LoadedSettings",
    "ModelCostSettings",
    "ModelSettings",
    "ProviderSettings",
    "QueueMode",
    "RetrySettings",
    "SessionSettings",
    "Settings",
    "agent_directory",
    "keep_rule",
    "load_settings",
]
