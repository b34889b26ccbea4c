"""What a session has used: messages, tool calls, tokens and cost, over the whole file."""

from __future__ import annotations

from dataclasses import dataclass

from pi_lsp.session.entry import Head, MessageHead, UsageHead

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

    def add(self, head: Head) -> None:
        """Counts one line."""
        kind, message = head.type, head.message
        if kind != "message":
            if kind in _WITH_USAGE:
                self._add_usage(head.usage)
        elif message is not None:
            self._add_message(message)

    def _add_message(self, message: MessageHead) -> None:
        role = message.role
        if role == "toolResult":
            self.tool_results += 1
            self._add_usage(message.usage)  # of a model that the tool asked; pi has such tools
        elif role == "user":
            self.user_messages += 1
        elif role == "assistant":
            self.assistant_messages += 1
            if not isinstance(message.content, str):
                for block in message.content:
                    if block.type == "toolCall":
                        self.tool_calls += 1
            self._add_usage(message.usage)

    def _add_usage(self, usage: UsageHead | None) -> None:
        if usage is not None:
            self.input += usage.input
            self.output += usage.output
            self.cache_read += usage.cache_read
            self.cache_write += usage.cache_write
            self.cost += usage.cost.total
