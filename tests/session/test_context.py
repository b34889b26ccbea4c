"""From path to context: compactions, context edits, what is never sent, the model in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pi_lsp.session import Session
from tests.session.conversation import answer, chain, entry, texts, user

Opened = Callable[..., Session]


def test_a_compaction_stands_for_all_before_what_it_kept(session: Session) -> None:
    session.append_message(answer("one"))
    kept = session.append_message(user("two"))
    session.append_message(answer("three"))
    session.append_compaction(summary="sum", first_kept_entry_id=kept.id, tokens_before=100)
    session.append_message(user("four"))
    context = session.context()
    assert texts(context) == ["[sum]", "two", "three", "four"]
    assert context.messages[0].message["role"] == "compactionSummary"
    assert texts(session.context(kept.id)) == ["first", "one", "two"]


def test_the_last_compaction_counts_and_older_ones_add_nothing(session: Session) -> None:
    kept = session.append_message(answer("one"))
    session.append_compaction(summary="old", first_kept_entry_id=kept.id, tokens_before=1)
    session.append_message(user("two"))
    session.append_compaction(summary="new", first_kept_entry_id=kept.id, tokens_before=2)
    session.append_message(user("three"))
    assert texts(session.context()) == ["[new]", "one", "two", "three"]


def test_a_compaction_may_keep_nothing(session: Session) -> None:
    compaction = session.append_compaction(summary="all", first_kept_entry_id=None, tokens_before=1)
    session.append_message(user("next"))
    assert compaction.data["firstKeptEntryId"] == compaction.id
    assert texts(session.context()) == ["[all]", "next"]


def test_a_boundary_that_is_not_on_the_path_keeps_nothing(opened: Opened) -> None:
    lost = entry("c", "b", "compaction", summary="s", firstKeptEntryId="gone", tokensBefore=5)
    session = opened([*chain("a", "b"), lost, entry("d", "c")])
    assert texts(session.context()) == ["[s]", "d"]


def test_a_branch_summary_is_sent_and_bookkeeping_is_not(session: Session) -> None:
    left = session.append_message(answer("wrong way"))
    session.move_leaf(session.path()[-2].id)
    session.append_branch_summary(from_id=left.id, summary="tried it")
    session.append_label(left.id, "dead end")
    session.append_name("title")
    session.append_custom("other-program", {"x": 1})
    session.append_queues({"steer": [{"id": "q", "text": "t"}], "followUp": [], "nextTurn": []})
    context = session.context()
    assert texts(context) == ["first", "[tried it]"]
    assert context.messages[1].message["role"] == "branchSummary"


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [(None, ["a", "c"]), ({"content": "new"}, ["a", "new", "c"]), ("odd", ["a", "b", "c"])],
)
def test_an_edit_changes_what_its_target_adds(
    opened: Opened, replacement: Any, expected: list[str]
) -> None:
    edit = entry("e", "c", "context_edit", targetId="b", replacement=replacement)
    session = opened([*chain("a", "b", "c"), edit])
    assert texts(session.context()) == expected
    assert texts(session.context("c")) == ["a", "b", "c"]


def test_the_latest_edit_of_the_branch_wins_and_roles_keep_their_form(opened: Opened) -> None:
    session = opened(
        [
            entry("a", None),
            entry("b", "a", message=answer("b")),
            entry("e1", "b", "context_edit", targetId="b", replacement=None),
            entry("e2", "e1", "context_edit", targetId="b", replacement={"content": "short"}),
        ]
    )
    message: Any = session.context().messages[1].message
    assert message["content"] == [{"type": "text", "text": "short"}]
    assert texts(session.context("e1")) == ["a"]


def test_a_custom_message_is_sent_and_can_be_edited(opened: Opened) -> None:
    note = entry("n", "a", "custom_message", customType="x", content="note", display=False)
    edit = entry("e", "n", "context_edit", targetId="n", replacement={"content": "less"})
    session = opened([entry("a", None), note, edit])
    assert texts(session.context("n")) == ["a", "note"]
    assert texts(session.context()) == ["a", "less"]
    assert session.context().messages[1].message["role"] == "custom"


def test_system_messages_and_hidden_commands_are_never_sent(opened: Opened) -> None:
    shown = {"role": "bashExecution", "command": "make", "output": "", "exitCode": 0}
    session = opened(
        [
            entry("a", None, message={"role": "system", "content": "be nice"}),
            entry("b", "a", message={**shown, "excludeFromContext": True}),
            entry("c", "b", message=shown),
            entry("d", "c", message={"role": "from the future", "content": "x"}),
            entry("e", "d", "something_new", content="x"),
        ]
    )
    assert texts(session.context()) == ["make"]
    assert session.message_count == 3


def test_model_and_thinking_level_are_what_the_path_says_last(session: Session) -> None:
    start = session.leaf_id
    assert session.context().model == ("anthropic", "sonnet")
    session.append_message(answer("x", model="opus"))
    assert session.context().model == ("anthropic", "opus")
    session.append_model_change("demo", "demo")
    session.append_thinking_level_change("off")
    assert session.context().model == ("demo", "demo")
    assert session.context().thinking_level == "off"
    assert session.context(start).thinking_level == "medium"
    assert session.context(None).model is None


def test_unusable_models_and_levels_are_passed_over(opened: Opened) -> None:
    session = opened(
        [
            entry("a", None, "model_change", provider="p", modelId="m"),
            entry("b", "a", "thinking_level_change", thinkingLevel="low"),
            entry("c", "b", "model_change", provider=3, modelId=None),
            entry("d", "c", "thinking_level_change", thinkingLevel="enormous"),
            entry("e", "d", message={"role": "assistant", "content": []}),
        ]
    )
    assert session.context().model == ("p", "m")
    assert session.context().thinking_level == "low"


def test_a_context_that_goes_on_is_the_same_as_one_read_anew(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    for number in range(5):
        session.append_message(user(f"q{number}"))
        session.context()
        session.append_message(answer(f"a{number}"))
    before = session.context()
    assert reopened(session).context() == before
