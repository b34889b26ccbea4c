"""What a session has used: messages, tool calls, tokens and cost, over the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pi_lsp.session import shapes
from pi_lsp.session.entry import Entry

_WITH_USAGE = frozenset({"compaction", "branch_summary", "usage"})


@dataclass
class SessionStats:
    """Counts of messages and calls, tokens, and US dollars; all branches count."""

    user_messages: int = 0
    assistant_messages: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens that were paid for."""
        return self.input + self.output + self.cache_read + self.cache_write

    def add(self, entry: Entry) -> None:
        """Counts one entry."""
        if entry.role == "user":
            self.user_messages += 1
        elif entry.role == "toolResult":
            self.tool_results += 1
        elif entry.role == "assistant":
            message = shapes.members_of(entry.data.get("message"))
            self.assistant_messages += 1
            self.tool_calls += _count_calls(message.get("content"))
            self._add_usage(message.get("usage"))
        elif entry.type in _WITH_USAGE:
            self._add_usage(entry.data.get("usage"))

    def _add_usage(self, value: Any) -> None:
        usage = shapes.usage_of(value)
        self.input += usage["input"]
        self.output += usage["output"]
        self.cache_read += usage["cacheRead"]
        self.cache_write += usage["cacheWrite"]
        self.cost += usage["cost"]["total"]


def _count_calls(content: Any) -> int:
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    return sum(shapes.members_of(block).get("type") == "toolCall" for block in blocks)
