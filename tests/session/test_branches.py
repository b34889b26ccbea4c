"""The leaf: how it moves, how it survives a restart, and what other programs' files say of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pi_lsp.errors import NotFoundError
from pi_lsp.session import Session
from tests.session.conversation import answer, chain, entry, stored, texts, user

Opened = Callable[..., Session]


def test_switching_writes_a_leaf_entry_that_is_no_ones_parent(session: Session) -> None:
    first = session.leaf_id
    session.append_message(answer("one way"))
    switch = session.move_leaf(first)
    second = session.append_message(user("another way"))
    assert stored(session)[-2] == {
        "type": "custom",
        "id": switch.id,
        "parentId": first,
        "timestamp": switch.timestamp,
        "customType": "pi-lsp.leaf",
        "data": {"targetId": first},
    }
    assert second.parent_id == first
    assert texts(session.context()) == ["first", "another way"]


@pytest.mark.parametrize("to_root", [True, False])
def test_a_switch_survives_a_restart(
    session: Session, reopened: Callable[[Session], Session], to_root: bool
) -> None:
    target = None if to_root else session.leaf_id
    session.append_message(answer("left"))
    session.move_leaf(target)
    again = reopened(session)
    assert again.leaf_id == target
    new = again.append_message(user("next"))
    assert new.parent_id == target


def test_the_visible_leaf_is_above_all_bookkeeping(session: Session) -> None:
    message = session.leaf_id
    assert message is not None
    session.append_label(message, "here")
    session.append_name("title")
    session.append_queues({"steer": [], "followUp": [], "nextTurn": []})
    assert session.leaf_id != message
    assert session.visible_leaf_id == message
    session.move_leaf(None)
    assert session.visible_leaf_id is None


def test_going_nowhere_changes_nothing(session: Session) -> None:
    before = session.file.read_bytes(), session.leaf_id
    with pytest.raises(NotFoundError):
        session.move_leaf("nowhere")
    assert (session.file.read_bytes(), session.leaf_id) == before


def test_a_leaf_entry_of_pis_library_is_followed(opened: Opened) -> None:
    leaf = entry("l", "c", "leaf", targetId="a")
    session = opened([*chain("a", "b", "c"), leaf])
    assert session.leaf_id == "a"
    assert [one.id for one in session.path()] == ["a"]


def test_what_hangs_from_a_leaf_entry_hangs_from_its_target(opened: Opened) -> None:
    switch = entry("l", "a", "custom", customType="pi-lsp.leaf", data={"targetId": "a"})
    session = opened([*chain("a", "b"), switch, entry("c", "l")])
    assert [one.id for one in session.path()] == ["a", "c"]
    assert session.parent_of("c") == "a"
    assert {node.id: node.parent_id for node in session.tree("all")} == {
        "a": None,
        "b": "a",
        "c": "a",
    }


def test_leaf_entries_that_lead_to_each_other_or_nowhere_are_survived(opened: Opened) -> None:
    session = opened(
        [
            *chain("a", "b"),
            entry("l1", "b", "leaf", targetId="l2"),
            entry("l2", "b", "leaf", targetId="l1"),
            entry("l3", "b", "leaf", targetId="gone"),
            entry("l4", "b", "custom", customType="pi-lsp.leaf", data="what"),
            entry("c", "l4"),
        ]
    )
    assert [one.id for one in session.path()] == ["a", "b", "c"]


def test_the_tree_shows_both_branches_and_which_is_active(session: Session) -> None:
    first = session.leaf_id
    left = session.append_message(answer("one way"))
    session.move_leaf(first)
    right = session.append_message(answer("another way"))
    nodes = {node.id: node for node in session.tree()}
    assert [node.id for node in session.tree()] == [first, left.id, right.id]
    assert nodes[left.id].parent_id == nodes[right.id].parent_id == first
    assert not nodes[left.id].on_path
    assert nodes[right.id].on_path
