"""Asks a model for a summary, and refuses what is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pi_lsp.compaction.conversation_text import newest_within, split_into_parts
from pi_lsp.compaction.encoding import count_text
from pi_lsp.compaction.file_lists import without_lists
from pi_lsp.compaction.prompts import SYSTEM_PROMPT, SummaryKind, summary_prompt
from pi_lsp.compaction.tokens import TokenCounter
from pi_lsp.errors import ProviderError
from pi_lsp.llm.provider import Model, Request
from pi_lsp.messages import (
    AssistantMessage,
    ThinkingLevel,
    Usage,
    no_usage,
    now_ms,
    text_of,
    tool_calls,
)

Ask = Callable[[Request], Awaitable[AssistantMessage]]
"""Puts a question to a model, with the retries, the abort and the events of any other question."""

PROMPT_TOKENS = 1000
"""What a summary's request holds besides the conversation and the previous summary."""

WORDS_PER_TOKEN = 0.6
MOST_SHORTENINGS = 2
"""How often the request is halved when the service finds it too long after all."""

_INPUT_SHARE = 0.8
"""Of the room that is left, since the count is an estimate."""


@dataclass(frozen=True)
class SummaryLimits:
    """Tokens of a summary's request.

    Attributes:
        summary: what the summary itself may have.
        answer: what the answer may have, with the thinking.
        conversation: what the conversation may have; there is room for a summary beside it.
    """

    summary: int
    answer: int
    conversation: int


def summary_limits(
    model: Model, reserve: int, thinking_level: ThinkingLevel, share: float = 1.0
) -> SummaryLimits:
    """The limits of one summary.

    A summary has four fifths of the reserve (the rest is for what stands around it); a model that
    thinks gets room for that on top, so that thinking does not use the summary up.

    Args:
        reserve: tokens that the compaction leaves free.
        share: of a summary, for one that is only a part.
    """
    window = model.context_window
    summary = min(model.max_tokens, int(max(reserve * 4 // 5, window // 16) * share))
    thinks = model.reasoning and thinking_level != "off"
    answer = min(model.max_tokens, summary + window // 8) if thinks else summary
    room = window - answer - summary - PROMPT_TOKENS
    return SummaryLimits(summary, answer, max(window // 8, int(room * _INPUT_SHARE)))


@dataclass
class Summariser:
    """Writes the summaries of one compaction, or of one branch, one after the other.

    Args:
        ratio: reported tokens per counted token of this model.
        instructions: the person's own wishes, for each summary.

    Attributes:
        usages: what the questions cost so far.
    """

    ask: Ask
    counter: TokenCounter
    model: Model
    thinking_level: ThinkingLevel = "off"
    ratio: float = 1.0
    instructions: str | None = None
    usages: list[Usage] = field(default_factory=list[Usage])

    async def of_all(
        self,
        kind: SummaryKind,
        texts: Sequence[str],
        limits: SummaryLimits,
        previous: str | None = None,
    ) -> str:
        """A summary of all the texts: of as many as one request holds, then brought up to date
        with the next ones.

        Raises:
            ProviderError: there was no answer, or it is no summary.
        """

        async def attempt(room: int) -> str:
            summary = previous
            parts = await self.counter.in_background(
                lambda: split_into_parts(texts, room, count_text)
            )
            for part in parts:
                summary = await self._summary(kind, part, limits, summary)
            return summary or ""

        return await self._shortening(attempt, int(limits.conversation / self.ratio))

    async def of_newest(
        self, kind: SummaryKind, texts: Sequence[str], limits: SummaryLimits
    ) -> str:
        """A summary of the newest of the texts, as many as one request holds.

        Raises:
            ProviderError: there was no answer, or it is no summary.
        """

        async def attempt(room: int) -> str:
            conversation = await self.counter.in_background(
                lambda: newest_within(texts, room, count_text)
            )
            return await self._summary(kind, conversation, limits, None)

        return await self._shortening(attempt, int(limits.conversation / self.ratio))

    async def _shortening(
        self,
        attempt: Callable[[int], Awaitable[str]],
        room: int,
        shortenings: int = MOST_SHORTENINGS,
    ) -> str:
        """An attempt, again with half the conversation when the service finds it too long."""
        try:
            return await attempt(room)
        except ProviderError as fault:
            if not fault.overflow or shortenings == 0:
                raise
        return await self._shortening(attempt, room // 2, shortenings - 1)

    async def _summary(
        self, kind: SummaryKind, conversation: str, limits: SummaryLimits, previous: str | None
    ) -> str:
        prompt = summary_prompt(
            kind,
            conversation,
            previous=previous,
            instructions=self.instructions,
            most_words=int(limits.summary * WORDS_PER_TOKEN),
        )
        answer = await self.ask(
            Request(
                model=self.model,
                system=SYSTEM_PROMPT,
                messages=[{"role": "user", "content": prompt, "timestamp": now_ms()}],
                thinking_level=self.thinking_level,
                max_tokens=limits.answer,
                cache=False,
            )
        )
        self.usages.append(answer["usage"])
        return checked_summary(answer)


def checked_summary(answer: AssistantMessage) -> str:
    """The text of an answer that is a summary, without lists of files that it may repeat.

    Raises:
        ProviderError: it is none: the answer failed, was cut off, calls a tool, or is empty.
    """
    if answer["stopReason"] in ("error", "aborted"):
        reason = answer.get("errorMessage") or "the answer was aborted."
        raise ProviderError(f"No summary was written: {reason}")
    if answer["stopReason"] == "length":
        raise ProviderError(
            "No summary was written: it was cut off at its length limit. Ask for a shorter one in "
            "the instructions, or raise the setting reserveTokens."
        )
    if tool_calls(answer):
        raise ProviderError(
            "No summary was written: the model tried to call a tool instead. Try again, or choose "
            "another model."
        )
    text = without_lists(text_of(answer["content"])).strip()
    if not text:
        raise ProviderError(
            "No summary was written: the model's answer was empty. Try again, or choose another "
            "model."
        )
    return text


def sum_of(usages: Sequence[Usage]) -> Usage:
    """What several answers cost together."""
    total = no_usage()
    for usage in usages:
        total["input"] += usage["input"]
        total["output"] += usage["output"]
        total["cacheRead"] += usage["cacheRead"]
        total["cacheWrite"] += usage["cacheWrite"]
        total["totalTokens"] += usage["totalTokens"]
        cost, more = total["cost"], usage["cost"]
        cost["input"] += more["input"]
        cost["output"] += more["output"]
        cost["cacheRead"] += more["cacheRead"]
        cost["cacheWrite"] += more["cacheWrite"]
        cost["total"] += more["total"]
    return total
