"""Stories of where a context is cut. Each message takes 100 tokens unless the story says more."""

from __future__ import annotations

import pytest

from pi_lsp.compaction.cut_point import CutPoint, cut_places, find_cut
from pi_lsp.compaction.tokens import CountedMessage
from pi_lsp.messages import Message, text_of
from tests.compaction.conversation import (
    answer,
    branch_summary,
    command,
    compaction_summary,
    context,
    custom,
    result,
    user,
)

ENOUGH = 1_000_000


def size(item: CountedMessage) -> int:
    """100 tokens, or what a result or a person says: `#3000`."""
    message = item.message
    if message["role"] != "toolResult" and message["role"] != "user":
        return 100
    text = text_of(message["content"])
    return int(text[1:]) if text.startswith("#") else 100


def cut(
    *messages: Message, keep_recent: int, first: int = 0, most_kept: int = ENOUGH
) -> CutPoint | None:
    return find_cut(
        context(*messages), size, first=first, keep_recent=keep_recent, most_kept=most_kept
    )


def call(call_id: str) -> Message:
    return answer(calls=[(call_id, "read", {"path": call_id})])


def turns(count: int) -> list[Message]:
    return [message for _ in range(count) for message in (user("question"), answer("answer"))]


def test_whole_turns_are_kept_as_many_as_the_budget_takes() -> None:
    assert cut(*turns(5), keep_recent=450) == CutPoint(6, None, 400)


def test_a_turn_that_fits_exactly_is_kept() -> None:
    assert cut(*turns(5), keep_recent=400) == CutPoint(6, None, 400)


def test_nothing_is_cut_off_when_all_of_it_is_recent() -> None:
    assert cut(*turns(3), keep_recent=600) is None
    assert cut(keep_recent=600) is None


def test_a_turn_larger_than_the_budget_is_split_before_an_answer() -> None:
    found = cut(
        *turns(2),
        user("a long piece of work"),
        call("t1"),
        result("t1", "#3000"),
        call("t2"),
        result("t2", "done"),
        answer("finished"),
        keep_recent=500,
    )
    assert found == CutPoint(first_kept=7, turn_start=4, kept_tokens=300)


def test_a_small_turn_after_a_large_one_still_leaves_the_budget_used() -> None:
    found = cut(
        user("a long piece of work"),
        call("t1"),
        result("t1", "#3000"),
        call("t2"),
        result("t2", "done"),
        *turns(1),
        keep_recent=500,
    )
    assert found == CutPoint(first_kept=3, turn_start=0, kept_tokens=400)


def test_a_turn_that_fits_by_itself_is_not_split_for_the_last_bit_of_budget() -> None:
    found = cut(
        *turns(1),
        user("a short piece of work"),
        call("t1"),
        result("t1", "done"),
        answer("finished"),
        *turns(1),
        keep_recent=500,
    )
    assert found == CutPoint(first_kept=6, turn_start=None, kept_tokens=200)


def test_a_result_is_never_kept_without_its_call() -> None:
    messages = [user("read both"), answer(calls=[("t1", "read", {}), ("t2", "read", {})])]
    messages += [result("t1", "#300"), result("t2", "#300"), answer("read")]
    assert cut_places(context(*messages), 0) == [1, 4]
    assert cut(*messages, keep_recent=450) == CutPoint(4, 0, 100)


def test_a_result_that_comes_late_holds_everything_since_its_call_together() -> None:
    messages = [user("go"), call("t1"), user("meanwhile"), result("t1", "late"), answer("ok")]
    assert cut_places(context(*messages), 0) == [1, 4]


def test_a_result_without_a_call_holds_nothing_together() -> None:
    messages = [user("go"), result("lost", "?"), answer("ok"), user("next")]
    assert cut_places(context(*messages), 0) == [2, 3]


def test_an_id_that_two_calls_share_belongs_to_the_later_one_first() -> None:
    messages = [user("go"), call("t"), result("t", "1"), call("t"), result("t", "2")]
    assert cut_places(context(*messages), 0) == [1, 3]


@pytest.mark.parametrize(
    "opening", [user("hello"), custom("note"), command("ls", "a"), branch_summary("tried")]
)
def test_a_turn_begins_with_any_message_of_the_persons_side(opening: Message) -> None:
    found = cut(*turns(2), opening, answer("yes"), keep_recent=200)
    assert found == CutPoint(4, None, 200)


def test_messages_that_were_sent_together_stay_together() -> None:
    found = cut(*turns(2), command("ls", "a"), user("look"), answer("yes"), keep_recent=350)
    assert found == CutPoint(4, None, 300)


def test_the_previous_summary_is_neither_counted_nor_cut_off_again() -> None:
    assert cut(compaction_summary("s"), *turns(2), keep_recent=400, first=1) is None
    found = cut(compaction_summary("s"), *turns(2), keep_recent=300, first=1)
    assert found == CutPoint(3, None, 200)


def test_without_a_cut_within_the_budget_the_least_is_kept() -> None:
    found = cut(*turns(2), user("read"), call("t1"), result("t1", "#3000"), keep_recent=500)
    assert found == CutPoint(first_kept=5, turn_start=4, kept_tokens=3100)


def test_nothing_is_kept_when_even_the_least_is_too_much() -> None:
    messages = [*turns(2), user("read"), call("t1"), result("t1", "#3000")]
    assert cut(*messages, keep_recent=500, most_kept=2000) == CutPoint(7, None, 0)


def test_one_message_that_is_too_much_by_itself_is_not_kept() -> None:
    assert cut(user("#3000"), keep_recent=500, most_kept=2000) == CutPoint(1, None, 0)


def test_one_message_that_is_only_over_the_budget_leaves_nothing_to_compact() -> None:
    assert cut(user("#1000"), keep_recent=500, most_kept=2000) is None


def test_less_than_the_budget_is_kept_when_the_room_is_smaller_than_the_budget() -> None:
    assert cut(*turns(5), keep_recent=800, most_kept=450) == CutPoint(6, None, 400)


def test_only_what_is_kept_is_counted_and_the_turn_at_the_budget() -> None:
    counted: list[str] = []

    def counting(item: CountedMessage) -> int:
        counted.append(item.entry_id)
        return size(item)

    find_cut(context(*turns(1000)), counting, first=0, keep_recent=400, most_kept=ENOUGH)
    assert len(counted) <= 8
