from __future__ import annotations

import pytest

from pi_lsp.compaction.branch_summary import BranchSummary, left_behind, summarise_branch
from pi_lsp.compaction.context_size import ContextMeter
from pi_lsp.errors import ProviderError
from pi_lsp.messages import JsonObject
from pi_lsp.settings import BranchSummarySettings
from tests.compaction.conversation import (
    MODEL,
    Item,
    ScriptedAsk,
    answer,
    branch_summary,
    compaction_summary,
    context,
    used,
    user,
)


def no_details(_entry_id: str) -> JsonObject:
    return {}


async def summarise(
    meter: ContextMeter, items: list[Item], ask: ScriptedAsk, instructions: str | None = None
) -> BranchSummary | None:
    return await summarise_branch(
        items,
        meter,
        ask,
        model=MODEL,
        settings=BranchSummarySettings(),
        details_of=no_details,
        instructions=instructions,
    )


def test_left_behind_is_what_only_the_old_branch_holds() -> None:
    old = context(user("shared"), answer("shared"), user("old"), answer("old"))
    assert left_behind(old, {"e0", "e1", "e7"}) == old[2:]


def test_nothing_is_left_behind_when_the_new_leaf_is_further_on() -> None:
    old = context(user("shared"), answer("shared"))
    assert left_behind(old, {"e0", "e1", "e2"}) == []


async def test_the_branch_is_told_with_its_files_and_the_persons_wishes(
    meter: ContextMeter,
) -> None:
    items = context(
        user("try it in b.py"), answer("done", calls=[("t1", "edit", {"path": "b.py"})])
    )
    ask = ScriptedAsk([answer("b.py was tried", usage=used(50, 5))])
    summary = await summarise(meter, items, ask, instructions="say why it failed")
    assert summary == BranchSummary(
        "b.py was tried\n\n<modified-files>\nb.py\n</modified-files>",
        {"readFiles": [], "modifiedFiles": ["b.py"]},
        used(50, 5),
    )
    assert "try it in b.py" in ask.prompt(0)
    assert "say why it failed" in ask.prompt(0)


async def test_summaries_on_the_branch_are_part_of_it_with_their_files(
    meter: ContextMeter,
) -> None:
    items = context(compaction_summary("long ago"), user("more"), branch_summary("a side way"))
    details = {"e0": {"readFiles": ["old.py"]}, "e2": {"modifiedFiles": ["side.py"]}}
    ask = ScriptedAsk([answer("all of it")])
    summary = await summarise_branch(
        items,
        meter,
        ask,
        model=MODEL,
        settings=BranchSummarySettings(),
        details_of=lambda entry_id: details[entry_id],
    )
    assert summary is not None
    assert summary.details == {"readFiles": ["old.py"], "modifiedFiles": ["side.py"]}
    assert "long ago" in ask.prompt(0)
    assert "a side way" in ask.prompt(0)


async def test_a_branch_that_says_nothing_needs_no_summary(meter: ContextMeter) -> None:
    ask = ScriptedAsk([])
    assert await summarise(meter, [], ask) is None
    failed = context(answer("ha", stop_reason="error", error="overloaded"))
    assert await summarise(meter, failed, ask) is None


async def test_a_summary_that_fails_is_an_error(meter: ContextMeter) -> None:
    ask = ScriptedAsk([answer("")])
    with pytest.raises(ProviderError, match="empty"):
        await summarise(meter, context(user("hi")), ask)
