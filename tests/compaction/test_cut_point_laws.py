"""What holds for the cut of any context, and for the context that comes of it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.compaction.cut_point import CutPoint, cut_places, find_cut
from pi_lsp.compaction.tokens import CountedMessage
from pi_lsp.llm.transcript import NO_RESULT, plain
from pi_lsp.messages import Message, text_of
from tests.compaction.conversation import (
    Item,
    answer,
    branch_summary,
    command,
    compaction_summary,
    context,
    custom,
    result,
    user,
)

Case = tuple[list[Item], dict[str, int], int, int, int, CutPoint | None]
"""Context, sizes by entry id, first place to summarise, budget, room, and the cut."""

CALL_IDS = st.sampled_from(["a", "b", "c", "d"])

_messages: st.SearchStrategy[Message] = st.one_of(
    st.just(user("hello")),
    st.just(custom("note")),
    st.just(command("ls", "out")),
    st.just(branch_summary("tried")),
    st.just(answer("done")),
    st.lists(CALL_IDS, min_size=1, max_size=3, unique=True).map(
        lambda ids: answer(calls=[(call_id, "read", {}) for call_id in ids])
    ),
    CALL_IDS.map(lambda call_id: result(call_id, "text")),
)


@st.composite
def contexts(draw: st.DrawFn) -> tuple[list[Item], dict[str, int], int]:
    """A context of any shape, its sizes by entry id, and its first place to summarise."""
    messages = draw(st.lists(_messages, max_size=25))
    compacted = draw(st.booleans())
    items = context(*([compaction_summary("before")] if compacted else []), *messages)
    sizes = draw(st.lists(st.integers(1, 400), min_size=len(items), max_size=len(items)))
    return (
        items,
        {item.entry_id: size for item, size in zip(items, sizes, strict=True)},
        int(compacted),
    )


@st.composite
def cuts(draw: st.DrawFn) -> Case:
    items, sizes, first = draw(contexts())
    keep_recent = draw(st.integers(0, 2000))
    most_kept = draw(st.integers(keep_recent, 3000))

    def size(item: CountedMessage) -> int:
        return sizes[item.entry_id]

    found = find_cut(items, size, first=first, keep_recent=keep_recent, most_kept=most_kept)
    return items, sizes, first, keep_recent, most_kept, found


def total(items: list[Item], sizes: dict[str, int]) -> int:
    return sum(sizes[item.entry_id] for item in items)


@given(cuts())
def test_the_kept_part_is_within_budget_where_a_cut_exists(case: Case) -> None:
    items, sizes, first, keep_recent, most_kept, found = case
    if found is None:
        assert total(items[first:], sizes) <= most_kept
        return
    kept = total(items[found.first_kept :], sizes)
    assert kept == found.kept_tokens <= most_kept
    exists = any(total(items[place:], sizes) <= keep_recent for place in cut_places(items, first))
    if exists and total(items[first:], sizes) > keep_recent:
        assert kept <= keep_recent


@given(cuts())
def test_nothing_to_compact_means_that_all_is_recent_or_that_it_is_one_piece(case: Case) -> None:
    items, sizes, first, keep_recent, most_kept, found = case
    if found is None and total(items[first:], sizes) > keep_recent:
        assert all(total(items[place:], sizes) > most_kept for place in cut_places(items, first))


@given(cuts())
def test_a_cut_summarises_something_and_splits_only_the_turn_that_it_names(case: Case) -> None:
    items, _sizes, first, _keep_recent, _most_kept, found = case
    if found is None:
        return
    assert first < found.first_kept <= len(items)
    if found.turn_start is not None:
        assert first <= found.turn_start < found.first_kept
        assert items[found.first_kept].message["role"] == "assistant" or (
            items[found.first_kept - 1].message["role"] not in ("assistant", "toolResult")
        )


@given(cuts())
def test_the_rebuilt_context_keeps_each_result_with_its_call(case: Case) -> None:
    items, _sizes, first, _keep_recent, _most_kept, found = case
    if found is None:
        return
    kept = [item.message for item in items[found.first_kept :]]
    if kept:
        assert kept[0]["role"] not in ("toolResult", "compactionSummary")
    sent = plain([compaction_summary("summary"), *kept])
    assert sent[0]["role"] == "user"
    assert sent[-1]["role"] != "assistant"
    # What the whole conversation gave the calls of the kept part, they still have.
    before = _made_up(plain([item.message for item in items[first:]]))
    assert _made_up(sent) <= before


def _made_up(messages: Sequence[Message]) -> int:
    return sum(
        message["role"] == "toolResult" and text_of(message["content"]) == NO_RESULT
        for message in messages
    )
