"""Where a context is cut: what before it is summarised, what from it on is kept as it stands.

A cut may fall before a message of the person's side (user, custom, bash, branch summary) or
before an answer, and never between a call and its result. A **turn** here goes from a message of
the person's side to the next one, with all answers and results between them. Turns are kept whole
unless one alone is larger than what may be kept: then the cut falls inside it (a split turn).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pi_lsp.compaction.tokens import CountedMessage
from pi_lsp.messages import Message, tool_calls

_PERSONS_SIDE = frozenset(("user", "custom", "bashExecution", "branchSummary"))


@dataclass(frozen=True)
class CutPoint:
    """A place in a context.

    Attributes:
        first_kept: the place of the first message that is kept; the context's length when nothing
            is kept.
        turn_start: the place where the turn begins that the cut splits; None when it splits none.
        kept_tokens: the estimate of what is kept.
    """

    first_kept: int
    turn_start: int | None
    kept_tokens: int


def find_cut(
    messages: Sequence[CountedMessage],
    count: Callable[[CountedMessage], int],
    *,
    first: int,
    keep_recent: int,
    most_kept: int,
) -> CutPoint | None:
    """The best place to cut, or None when nothing is to be cut off.

    Counts from the newest message back, and no further than it must.

    Args:
        count: the tokens of a message.
        first: the place of the first message that may be summarised (what lies before it, a
            previous summary, is not counted).
        keep_recent: the tokens that the kept part should have at most. A cut within this budget
            is taken where there is one.
        most_kept: the tokens that the kept part must have at most; else nothing is kept.
    """
    sizes = _SizesFromEnd(messages, count)
    over_budget = sizes.last_place_over(keep_recent, first)
    if over_budget is None and sizes.of(first) <= most_kept:
        return None
    allowed = cut_places(messages, first)
    wanted = _wanted(messages, allowed, sizes, first, over_budget, keep_recent)
    for place in allowed:
        if place >= wanted and sizes.of(place) <= most_kept:
            return _cut_at(messages, place, sizes, first)
    if sizes.of(first) <= most_kept:
        return None
    return CutPoint(first_kept=len(messages), turn_start=None, kept_tokens=0)


def cut_places(messages: Sequence[CountedMessage], first: int) -> list[int]:
    """All places after `first` where a cut may fall, in order."""
    unbroken = _between_call_and_result(messages, first)
    return [
        place
        for place in range(first + 1, len(messages))
        if place not in unbroken and _may_begin(messages[place].message)
    ]


def is_turn_start(messages: Sequence[CountedMessage], place: int, first: int) -> bool:
    """Whether a turn begins here: with the first of a row of messages of the person's side."""
    if messages[place].message["role"] not in _PERSONS_SIDE:
        return False
    return place == first or messages[place - 1].message["role"] not in _PERSONS_SIDE


def _may_begin(message: Message) -> bool:
    return message["role"] in _PERSONS_SIDE or message["role"] == "assistant"


def _between_call_and_result(messages: Sequence[CountedMessage], first: int) -> set[int]:
    """The places where a cut would leave a result without its call.

    A result belongs to the latest call with its id that has none yet, as in
    `pi_lsp.llm.transcript`.
    """
    waiting: dict[str, list[int]] = {}
    unbroken: set[int] = set()
    for place in range(first, len(messages)):
        message = messages[place].message
        if message["role"] == "assistant":
            for call in tool_calls(message):
                waiting.setdefault(call["id"], []).append(place)
        elif message["role"] == "toolResult" and waiting.get(message["toolCallId"]):
            unbroken.update(range(waiting[message["toolCallId"]].pop() + 1, place + 1))
    return unbroken


def _wanted(
    messages: Sequence[CountedMessage],
    allowed: list[int],
    sizes: _SizesFromEnd,
    first: int,
    over_budget: int | None,
    keep_recent: int,
) -> int:
    """The place where the kept part should begin if nothing else hindered.

    Of the cuts within the budget the one that keeps most, at the start of a turn; inside a turn
    only when that turn alone is larger than the budget. Without any, the last cut there is.
    """
    if not allowed:
        return len(messages)
    if over_budget is None:
        return allowed[0]
    within = [place for place in allowed if place > over_budget]
    if not within:
        return allowed[-1]
    starts = [place for place in within if is_turn_start(messages, place, first)]
    if not starts:
        return within[0]
    turn_start = _turn_start_before(messages, over_budget + 1, first)
    one_turn = sizes.of(starts[0]) + keep_recent
    too_large = sizes.last_place_over(one_turn, turn_start) is not None
    return within[0] if too_large else starts[0]


def _turn_start_before(messages: Sequence[CountedMessage], place: int, first: int) -> int:
    for earlier in range(place - 1, first, -1):
        if is_turn_start(messages, earlier, first):
            return earlier
    return first


def _cut_at(
    messages: Sequence[CountedMessage], place: int, sizes: _SizesFromEnd, first: int
) -> CutPoint:
    whole_turns = is_turn_start(messages, place, first)
    return CutPoint(
        first_kept=place,
        turn_start=None if whole_turns else _turn_start_before(messages, place, first),
        kept_tokens=sizes.of(place),
    )


class _SizesFromEnd:
    """The tokens of the messages from a place to the end, counted as far back as was asked."""

    def __init__(
        self, messages: Sequence[CountedMessage], count: Callable[[CountedMessage], int]
    ) -> None:
        self._messages = messages
        self._count = count
        self._sizes = [0]

    def of(self, place: int) -> int:
        end = len(self._messages)
        while len(self._sizes) <= end - place:
            message = self._messages[end - len(self._sizes)]
            self._sizes.append(self._sizes[-1] + self._count(message))
        return self._sizes[end - place]

    def last_place_over(self, budget: int, first: int) -> int | None:
        """The last place from which on there are more tokens than the budget."""
        for place in range(len(self._messages) - 1, first - 1, -1):
            if self.of(place) > budget:
                return place
        return None
