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
        if head.type == "message":
            self._add_message(head.message)
        elif head.type in _WITH_USAGE:
            self._add_usage(head.usage)

    def _add_message(self, message: MessageHead | None) -> None:
        if message is None:
            return
        if message.role == "assistant":
            self.assistant_messages += 1
            if not isinstance(message.content, str):
                self.tool_calls += [block.type for block in message.content].count("toolCall")
            self._add_usage(message.usage)
        elif message.role == "toolResult":
            self.tool_results += 1
        elif message.role == "user":
            self.user_messages += 1

    def _add_usage(self, usage: UsageHead | None) -> None:
        if usage is not None:
            self.input += usage.input
            self.output += usage.output
            self.cache_read += usage.cache_read
            self.cache_write += usage.cache_write
            self.cost += usage.cost.total
