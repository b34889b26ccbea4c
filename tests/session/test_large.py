"""Long conversations: nothing recurses, nothing is done once per entry and entry."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pi_lsp.session import Session, index
from pi_lsp.session.entry import Head
from tests.session.conversation import answer, entry, header, lines, user

LENGTH = 100_000

QUESTION = (
    '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-01-31T09:15:02.118Z",'
    '"message":{"role":"user","content":"why?","timestamp":1}}\n'
)


def linked(ids: list[str], parents: list[str | None]) -> bytes:
    """A file of questions that hang from each other."""
    rows = (QUESTION % link for link in zip(ids, map(json.dumps, parents), strict=True))
    return lines([header()]) + "".join(rows).encode()


@pytest.mark.timeout(300)
def test_a_hundred_thousand_entries_in_one_branch(opened: Callable[..., Session]) -> None:
    ids = [f"{number:08x}" for number in range(LENGTH)]
    session = opened([entry(one, parent) for one, parent in zip(ids, [None, *ids], strict=False)])
    assert len(session.path()) == LENGTH
    assert len(session.context().messages) == LENGTH
    assert len(session.tree()) == LENGTH
    assert len(session.tree("branches")) == LENGTH
    assert session.message_count == LENGTH
    assert session.stats().user_messages == LENGTH
    session.append_message(answer("and on"))
    assert len(session.path()) == LENGTH + 1
    child = session.clone()
    assert len(child.path()) == LENGTH + 1


@pytest.mark.timeout(300)
def test_a_hundred_thousand_entries_in_reversed_order(opened: Callable[..., Session]) -> None:
    """Every parent comes after its child, and the last one closes a circle."""
    ids = [f"{number:08x}" for number in range(LENGTH)]
    session = opened(linked(ids, [*ids[1:], ids[0]]))
    assert len(session.path(ids[0])) == 1
    assert len(session.path(ids[1])) == LENGTH
    assert "entry 00000000 hangs from its own descendant" in session.warnings[0]
    assert len(session.tree()) == LENGTH


@pytest.mark.timeout(300)
def test_twenty_thousand_leaf_entries_that_lead_on(
    opened: Callable[..., Session],
) -> None:
    ids = [f"{number:08x}" for number in range(20_000)]
    rows = [entry(ids[0], None)]
    rows += [
        entry(one, target, "leaf", targetId=target)
        for one, target in zip(ids[1:], ids[:-1], strict=True)
    ]
    session = opened([*rows, entry("last", ids[-1])])
    assert [one.id for one in session.path()] == [ids[0], "last"]


def test_appending_costs_the_same_at_any_length(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is counted, not timed: an append looks at no entry but the new one."""
    for _ in range(50):
        session.append_message(user("x"))
    seen = 0
    read_head = index.read_head

    def counted(line: bytes) -> Head | None:
        nonlocal seen
        seen += 1
        return read_head(line)

    monkeypatch.setattr(index, "read_head", counted)
    session.append_message(user("y"))
    assert seen == 1
