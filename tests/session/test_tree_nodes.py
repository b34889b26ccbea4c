"""The tree as people see it: filters, texts, labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pi_lsp.session import Session, TreeFilter
from tests.session.conversation import answer, call, entry, result, user

Opened = Callable[..., Session]


@pytest.fixture
def grown(opened: Opened) -> Session:
    """A conversation with a tool call, two branches, a compaction, a note and a label."""
    return opened(
        [
            entry("model", None, "model_change", provider="anthropic", modelId="sonnet"),
            entry("system", "model", message={"role": "system", "content": "x"}),
            entry("ask", "system"),
            entry("call", "ask", message=call("c1")),
            entry("result", "call", message=result("c1", "the\nfile")),
            entry("done", "result", message=answer("well done")),
            entry("label", "done", "label", targetId="call", label="look here"),
            entry("left", "label", message=user("left")),
            entry("right", "label", message=user("right")),
            entry("sum", "right", "compaction", summary="# Goal\nwin", firstKeptEntryId="right"),
            entry("note", "sum", "custom_message", customType="n", content="note", display=True),
            entry("state", "note", "custom", customType="other", data={}),
            entry("own", "state", "custom", customType="pi-lsp.queues", data={}),
        ]
    )


@pytest.mark.parametrize(
    ("filter", "shown"),
    [
        ("default", ["ask", "call", "result", "done", "left", "right", "sum", "note"]),
        ("noTools", ["ask", "done", "left", "right", "sum", "note"]),
        ("user", ["ask", "left", "right"]),
        ("labeled", ["call"]),
        ("branches", ["ask", "done", "left", "right", "sum"]),
        (
            "all",
            [
                *("model", "system", "ask", "call", "result", "done", "left", "right", "sum"),
                *("note", "state"),
            ],
        ),
    ],
)
def test_each_filter_shows_its_part(grown: Session, filter: TreeFilter, shown: list[str]) -> None:
    nodes = grown.tree(filter)
    assert [node.id for node in nodes] == shown
    assert all(node.parent_id is None or node.parent_id in shown for node in nodes)


def test_a_parent_is_the_nearest_shown_ancestor(grown: Session) -> None:
    parents = {node.id: node.parent_id for node in grown.tree("noTools")}
    assert parents == {
        "ask": None,
        "done": "ask",
        "left": "done",
        "right": "done",
        "sum": "right",
        "note": "sum",
    }


def test_every_node_says_in_a_line_what_it_is(grown: Session) -> None:
    texts = {node.id: node.text for node in grown.tree("all")}
    assert texts["ask"] == "ask"
    assert texts["call"] == "read"
    assert texts["result"] == "read: the file"
    assert texts["sum"] == "# Goal win"
    assert texts["note"] == "note"
    assert texts["model"] == "anthropic/sonnet"


def test_a_long_text_is_cut_at_120_characters(session: Session) -> None:
    session.append_message(user("wörter\n" * 500))
    text = session.tree()[-1].text
    assert len(text) <= 120
    assert text.endswith("…")
    assert "\n" not in text


def test_labels_are_set_changed_and_cleared(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    target = session.leaf_id
    assert target is not None
    session.append_label(target, "one")
    session.append_label(target, "two\nlines")
    assert session.label_of(target) == "two lines"
    again = reopened(session)
    assert again.label_of(target) == "two lines"
    again.append_label(target, None)
    assert again.label_of(target) is None
    assert reopened(again).label_of(target) is None


def test_names_are_one_line_and_an_empty_one_clears(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    session.append_name("a\r\nb\n c")
    assert session.name == "a b c"
    again = reopened(session)
    assert again.name == "a b c"
    again.append_name("")
    assert again.name is None


def test_queues_are_what_was_written_last_and_deliveries_are_known(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    queues = {"steer": [], "followUp": [], "nextTurn": [{"id": "q1", "text": "later"}]}
    session.append_queues({"steer": [], "followUp": [], "nextTurn": []})
    session.append_queues(queues)
    session.append_message(user("later"), queue_id="q1")
    again = reopened(session)
    assert again.queues() == queues
    assert again.delivered() == {"q1"}
    assert again.entries(limit=1).entries[0].data["queueId"] == "q1"
