"""Keeping an answer of "always" in the person's own settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from pi_lsp.errors import StorageError
from pi_lsp.messages import JsonObject
from pi_lsp.settings.json_files import change_object
from pi_lsp.settings.locations import agent_directory
from pi_lsp.settings.models import ApprovalRule


def keep_rule(rule: ApprovalRule, directory: Path | None = None) -> None:
    """Add a rule to the `approval.rules` of the person's own `settings.json`; it blocks on disk.

    Args:
        directory: pi's own directory; None for the usual one.

    Raises:
        StorageError: the file cannot be changed, or what it holds there is no list of rules.
    """
    path = (directory or agent_directory()) / "settings.json"
    entry = rule.model_dump(by_alias=True, exclude_none=True)

    def add(members: JsonObject) -> None:
        approval: Any = members.setdefault("approval", {})
        rules: Any = approval.setdefault("rules", []) if isinstance(approval, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
        if not isinstance(rules, list):
            raise StorageError(f"The rule is not kept: `approval.rules` in {path} is no list.")
        known = cast(list[Any], rules)
        if entry not in known:
            known.append(entry)

    change_object(path, add)
