"""How large the context is: what the service reported last, and an estimate of what follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.tokens import CountedMessage, TokenCounter
from pi_lsp.llm.provider import Model, ToolSpec
from pi_lsp.messages import AssistantMessage, Message, Usage

GUESSED_SHARE = 0.025
"""How much of a window may be guessed from its length: two small files of source code in 200,000
tokens."""


@dataclass(frozen=True)
class MeasuredContext:
    """What is to be measured: all that the next request will hold.

    Attributes:
        messages: the context, oldest first.
        after_compaction: the place in `messages` of the first one that was written after the
            last compaction; 0 without one. The usage of older answers says nothing of the
            context as it is now.
        model: the model that will be asked.
    """

    messages: Sequence[CountedMessage]
    model: Model
    after_compaction: int = 0
    system: str = ""
    tools: Sequence[ToolSpec] = field(default_factory=tuple[ToolSpec, ...])


class _Parts(NamedTuple):
    """The tokens of a context that the service reported last, and an estimate of the others."""

    reported: int
    unreported: int


class ContextMeter:
    """Measures contexts for one session.

    Args:
        counter: the session's.
        calibration: may be shared by several sessions.
    """

    def __init__(self, counter: TokenCounter, calibration: Calibration) -> None:
        self.counter = counter
        self.calibration = calibration

    async def measure(self, context: MeasuredContext) -> int:
        """The tokens of the context. What was not counted before is counted in the background.

        What fills a small part of the window only is guessed while nothing else has to be
        counted: the ranks take 0.3 s and 45 MB, and the error is far below a hundredth of it.
        """
        if not self.counter.is_loaded:
            parts = self._parts_at_hand(context)
            if parts.unreported <= GUESSED_SHARE * context.model.context_window:
                return self._tokens(context, parts)
        parts = await self.counter.in_background(
            lambda: self._parts(context, self.counter.count, self.counter.count_around)
        )
        return self._tokens(context, parts)

    def at_hand(self, context: MeasuredContext) -> int:
        """The tokens of the context, without waiting: what was not counted yet is guessed."""
        return self._tokens(context, self._parts_at_hand(context))

    async def learn(self, context: MeasuredContext, answer: AssistantMessage) -> None:
        """Learn from an answer how the model counts, once anything is counted here.

        Args:
            context: what the request held (without the answer).
        """
        if not is_valid(answer) or not self.counter.is_loaded:
            return
        estimated = await self.counter.in_background(lambda: self._estimate(context))
        usage = answer["usage"]
        reported = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
        self.calibration.observe(context.model, estimated=estimated, reported=reported)

    def _estimate(self, context: MeasuredContext) -> int:
        around = self.counter.count_around(context.system, context.tools)
        return around + self.counter.count_all(context.messages)

    def _tokens(self, context: MeasuredContext, parts: _Parts) -> int:
        return parts.reported + round(self.calibration.ratio(context.model) * parts.unreported)

    def _parts_at_hand(self, context: MeasuredContext) -> _Parts:
        return self._parts(context, self.counter.at_hand, self.counter.around_at_hand)

    def _parts(
        self,
        context: MeasuredContext,
        count: Callable[[CountedMessage], int],
        count_around: Callable[[str, Sequence[ToolSpec]], int],
    ) -> _Parts:
        messages = context.messages
        reported_at = last_reported(messages, context.after_compaction)
        if reported_at is None:
            around = count_around(context.system, context.tools)
            return _Parts(0, around + sum(count(item) for item in messages))
        answer = messages[reported_at].message
        assert answer["role"] == "assistant"
        following = sum(count(item) for item in messages[reported_at + 1 :])
        return _Parts(usage_tokens(answer["usage"]), following)


def last_reported(messages: Sequence[CountedMessage], after_compaction: int = 0) -> int | None:
    """The place of the last answer whose usage tells the size of the context up to it."""
    for place in range(len(messages) - 1, after_compaction - 1, -1):
        if is_valid(messages[place].message):
            return place
    return None


def is_valid(message: Message) -> bool:
    """Whether a message is a whole answer with a usage: one that failed or was stopped reports
    a part of it, and some services report none."""
    return (
        message["role"] == "assistant"
        and message["stopReason"] not in ("error", "aborted")
        and usage_tokens(message["usage"]) > 0
    )


def usage_tokens(usage: Usage) -> int:
    """The size of a context after the answer with this usage, in tokens."""
    return usage["input"] + usage["output"] + usage["cacheRead"] + usage["cacheWrite"]


def left_no_room(answer: AssistantMessage, model: Model) -> bool:
    """Whether an answer was cut because the window was full, not because it was too long: the
    context is then to be compacted, and the model asked again.

    A service cuts at the end of the window, or before the first token of the answer.
    """
    if answer["stopReason"] != "length":
        return False
    usage = answer["usage"]
    return usage["output"] == 0 or usage_tokens(usage) >= model.context_window
