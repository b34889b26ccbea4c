"""Fork and clone: a new file with the path, and the old one untouched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pi_lsp.errors import NotFoundError
from pi_lsp.session import Session, SessionStore
from tests.session.conversation import answer, entry, stored, texts, user

Opened = Callable[..., Session]


def test_forking_at_a_question_gives_its_text_back(session: Session) -> None:
    session.append_message(answer("one"))
    question = session.append_message(user("second"))
    session.append_message(answer("two"))
    before = session.file.read_bytes()
    child, text = session.fork(question.id)
    assert text == "second"
    assert texts(child.context()) == ["first", "one"]
    assert session.file.read_bytes() == before
    assert stored(child)[0]["parentSession"] == str(session.file)
    assert child.id != session.id
    assert child.context().thinking_level == "medium"


def test_entries_keep_their_ids_and_every_member(session: Session) -> None:
    session.append_message(answer("one") | {"somebodyElses": {"x": 1}})  # type: ignore[arg-type]
    child = session.clone()
    assert stored(child)[1:] == stored(session)[1:]


def test_forking_at_an_answer_or_at_takes_the_entry_along(session: Session) -> None:
    reply = session.append_message(answer("one"))
    question = session.append_message(user("second"))
    child, text = session.fork(reply.id)
    assert (texts(child.context()), text) == (["first", "one"], None)
    child, text = session.fork(question.id, "at")
    assert (texts(child.context()), text) == (["first", "one", "second"], None)
    with pytest.raises(NotFoundError):
        session.fork("nowhere")


def test_a_clone_is_the_active_path_and_not_the_newest_entry(session: Session) -> None:
    first = session.leaf_id
    session.append_message(answer("left"))
    session.move_leaf(first)
    child = session.clone()
    assert texts(child.context()) == ["first"]
    assert child.visible_leaf_id == first


def test_bookkeeping_stays_behind_and_labels_come_along(
    session: Session, reopened: Callable[[Session], Session]
) -> None:
    question = session.leaf_id
    assert question is not None
    session.append_label(question, "start")
    session.append_queues({"steer": [{"id": "q", "text": "t"}], "followUp": [], "nextTurn": []})
    reply = session.append_message(answer("one"))
    session.append_label(reply.id, "gone")
    session.append_label(reply.id, None)
    child = session.clone()
    kinds = [line.get("customType", line["type"]) for line in stored(child)]
    assert kinds == [
        *("session", "model_change", "thinking_level_change", "message", "message", "label"),
    ]
    assert stored(child)[4]["parentId"] == question
    assert child.label_of(question) == "start"
    assert child.queues() is None
    assert texts(reopened(child).context()) == ["first", "one"]


def test_a_compaction_keeps_its_boundary(opened: Opened) -> None:
    session = opened(
        [
            entry("a", None),
            entry("l", "a", "label", targetId="a", label="x"),
            entry("b", "l"),
            entry("c", "b", "compaction", summary="s", firstKeptEntryId="l", tokensBefore=1),
            entry("d", "c"),
        ]
    )
    child = session.clone()
    assert texts(child.context()) == texts(session.context()) == ["[s]", "b", "d"]
    assert stored(child)[3]["firstKeptEntryId"] == "b"


def test_a_fork_before_the_first_question_waits_for_one(
    session: Session, store: SessionStore
) -> None:
    question = session.leaf_id
    assert question is not None
    child, text = session.fork(question)
    assert (child.on_disk, text) == (False, "first")
    child.append_message(user("asked otherwise"))
    head, *entries = stored(child)
    assert head["parentSession"] == str(session.file)
    assert [e["type"] for e in entries] == ["model_change", "thinking_level_change", "message"]
    child.close()
    assert texts(store.open(child.id).context()) == ["asked otherwise"]


def test_a_session_without_a_file_can_be_cloned(store: SessionStore) -> None:
    session = store.create()
    session.append_model_change("demo", "demo")
    child = session.clone()
    assert (child.on_disk, child.parent_session) == (False, None)
    assert child.context().model == ("demo", "demo")


def test_the_first_message_after_a_fork_is_stored(session: Session, store: SessionStore) -> None:
    child = session.clone()
    child.append_message(answer("in the child"))
    child.close()
    assert texts(store.open(child.id).context()) == ["first", "in the child"]
    assert texts(session.context()) == ["first"]
