"""The tree as people see it: a flat list of nodes, filtered, without bookkeeping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pi_lsp.messages import JsonObject
from pi_lsp.session import shapes
from pi_lsp.session.entry import Entry
from pi_lsp.session.text import first_text, shortened
from pi_lsp.session.tree import Tree

TreeFilter = Literal["default", "noTools", "user", "labeled", "branches", "all"]

TEXT_LIMIT = 120
"""Characters of a node's text."""


@dataclass(frozen=True)
class TreeNode:
    """An entry that people see.

    Attributes:
        parent_id: the nearest shown ancestor.
        role: of a message; None otherwise.
        text: one line.
        label: None when it has none.
        on_path: whether it lies on the way to the leaf.
    """

    id: str
    parent_id: str | None
    type: str
    role: str | None
    text: str
    timestamp: str
    label: str | None
    on_path: bool


@dataclass(frozen=True)
class _Look:
    """What a node shows; kept, since entries never change."""

    text: str
    only_calls: bool


class NodeReader:
    """Draws the tree, and keeps the texts of entries that it has decoded."""

    def __init__(self) -> None:
        self._looks: dict[str, _Look] = {}

    def read(
        self, tree: Tree, leaf_id: str | None, labels: dict[str, str], filter: TreeFilter
    ) -> list[TreeNode]:
        """The shown nodes in file order."""
        shown = self._shown(tree, labels, filter)
        parents = _shown_parents(tree, shown)
        on_path = {entry.id for entry in tree.ancestors(leaf_id)}
        return [
            TreeNode(
                id=entry.id,
                parent_id=parents[entry.id],
                type=entry.type,
                role=entry.role or None,
                text=self._look(entry).text,
                timestamp=entry.timestamp,
                label=labels.get(entry.id),
                on_path=entry.id in on_path,
            )
            for entry in tree
            if entry.id in shown
        ]

    def _shown(self, tree: Tree, labels: dict[str, str], filter: TreeFilter) -> set[str]:
        if filter == "branches":
            return _branch_points(tree)
        tests: dict[TreeFilter, Callable[[Entry], bool]] = {
            "default": _is_conversation,
            "noTools": self._is_no_tool,
            "user": lambda entry: entry.role == "user",
            "labeled": lambda entry: entry.id in labels,
            "all": lambda entry: True,
        }
        test = tests[filter]
        return {entry.id for entry in tree if not entry.is_bookkeeping and test(entry)}

    def _is_no_tool(self, entry: Entry) -> bool:
        if not _is_conversation(entry) or entry.role == "toolResult":
            return False
        return entry.role != "assistant" or not self._look(entry).only_calls

    def _look(self, entry: Entry) -> _Look:
        look = self._looks.get(entry.id)
        if look is None:
            look = self._looks[entry.id] = _look_of(entry.data)
        return look


def _is_conversation(entry: Entry) -> bool:
    if entry.type == "message":
        return entry.role != "system"
    return entry.type in {"compaction", "branch_summary", "custom_message"}


def _branch_points(tree: Tree) -> set[str]:
    conversation = {entry.id for entry in tree if _is_conversation(entry)}
    children = Counter(_shown_parents(tree, conversation).values())
    return {
        entry.id
        for entry in tree
        if entry.id in conversation
        and (
            entry.role == "user"
            or entry.type in {"compaction", "branch_summary"}
            or children[entry.id] > 1
        )
    }


def _shown_parents(tree: Tree, shown: set[str]) -> dict[str, str | None]:
    """For each shown entry its nearest shown ancestor. Each link is climbed once."""
    nearest: dict[str, str | None] = {}
    for entry in tree:
        passed: list[str] = []
        step = tree.parent_of(entry.id)
        while step is not None and step not in shown and step not in nearest:
            passed.append(step)
            step = tree.parent_of(step)
        found = step if step is None or step in shown else nearest[step]
        for hidden in passed:
            nearest[hidden] = found
        nearest[entry.id] = found
    return {entry_id: nearest[entry_id] for entry_id in shown}


def _look_of(data: JsonObject) -> _Look:
    message = shapes.members_of(data.get("message"))
    blocks = shapes.objects(message.get("content"))
    text = _text(data, message, blocks)
    calls = [block for block in blocks if block.get("type") == "toolCall"]
    has_text = any(shapes.text(block.get("text")).strip() for block in blocks)
    return _Look(shortened(text, TEXT_LIMIT), bool(calls) and not has_text)


def _text(data: JsonObject, message: JsonObject, blocks: list[JsonObject]) -> str:
    kind, role = data.get("type"), message.get("role")
    if kind == "message":
        if role == "bashExecution":
            return f"! {shapes.text(message.get('command'))}"
        own = first_text(message.get("content"))
        if role == "toolResult":
            return f"{shapes.text(message.get('toolName'))}: {own}"
        return own or _calls(blocks) or shapes.text(message.get("errorMessage"))
    if kind in ("compaction", "branch_summary"):
        return shapes.text(data.get("summary"))
    if kind == "custom_message":
        return first_text(data.get("content"))
    if kind == "model_change":
        return f"{shapes.text(data.get('provider'))}/{shapes.text(data.get('modelId'))}"
    if kind == "thinking_level_change":
        return shapes.text(data.get("thinkingLevel"))
    return shapes.text(data.get("customType"))


def _calls(blocks: list[JsonObject]) -> str:
    names = [shapes.text(block.get("name")) for block in blocks if block.get("type") == "toolCall"]
    return ", ".join(name for name in names if name)
