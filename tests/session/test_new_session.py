"""A session begins: when its file comes, and what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.errors import NotFoundError
from pi_lsp.session import Session, SessionStore
from tests.session.conversation import answer, call, result, stored, user


def test_setting_up_alone_leaves_nothing_behind(store: SessionStore, folder: Path) -> None:
    session = store.create()
    session.append_model_change("anthropic", "sonnet")
    session.append_thinking_level_change("high")
    session.append_name("never asked")
    session.sync()
    session.close()
    assert list(folder.iterdir()) == []
    assert store.list() == []


def test_the_first_question_writes_all_that_waited(store: SessionStore, folder: Path) -> None:
    session = store.create()
    session.append_model_change("anthropic", "sonnet")
    session.append_thinking_level_change("high")
    assert not session.on_disk
    session.append_message(user("hello"))
    assert session.on_disk
    head, model, level, question = stored(session)
    assert list(head) == ["type", "version", "id", "timestamp", "cwd"]
    assert (head["version"], head["id"], head["cwd"]) == (3, session.id, str(folder.resolve()))
    assert [model["type"], level["type"], question["type"]] == [
        "model_change",
        "thinking_level_change",
        "message",
    ]
    stamp = head["timestamp"].replace(":", "-").replace(".", "-")
    assert session.file.name == f"{stamp}_{session.id}.jsonl"


def test_each_entry_hangs_from_the_one_before(session: Session) -> None:
    session.append_message(call("c1", "write"))
    session.append_message(result("c1"))
    session.append_message(answer("done"))
    _, *entries = stored(session)
    assert [entry["parentId"] for entry in entries] == [
        None,
        *[entry["id"] for entry in entries[:-1]],
    ]
    assert all(list(e)[:4] == ["type", "id", "parentId", "timestamp"] for e in entries)
    assert all(len(entry["id"]) == 8 for entry in entries)
    assert [one["message"]["role"] for one in entries[2:]] == [
        "user",
        "assistant",
        "toolResult",
        "assistant",
    ]


def test_a_message_for_the_next_turn_makes_the_file(store: SessionStore) -> None:
    session = store.create()
    session.append_queues({"steer": [], "followUp": [], "nextTurn": []})
    assert not session.on_disk
    session.append_queues({"steer": [], "followUp": [], "nextTurn": [{"id": "q1", "text": "x"}]})
    assert session.on_disk
    assert stored(session)[-1]["customType"] == "pi-lsp.queues"


def test_an_entry_is_read_as_it_was_written(session: Session) -> None:
    entry = session.append_message(answer("grüße \u2028 \U0001f600"))
    assert session.entry(entry.id).data == stored(session)[-1]
    assert "\u2028" not in session.file.read_text(encoding="utf-8")
    with pytest.raises(NotFoundError):
        session.entry("nowhere")


def test_lone_surrogates_are_replaced_when_written(session: Session) -> None:
    entry = session.append_message(user("half \ud83d of a face"))
    assert entry.data["message"]["content"][0]["text"] == "half � of a face"
    session.file.read_bytes().decode("utf-8")


def test_numbers_that_json_does_not_have_become_null(session: Session) -> None:
    entry = session.append_custom("note", {"a": float("nan"), "b": "\ud800", "c": float("inf")})
    assert entry.data["data"] == {"a": None, "b": "�", "c": None}


def test_pages_of_entries(session: Session) -> None:
    ids = [session.append_message(user(str(n))).id for n in range(5)]
    last = session.entries(limit=2)
    assert ([e.id for e in last.entries], last.more) == (ids[3:], True)
    before = session.entries(before=ids[3], limit=2)
    assert ([e.id for e in before.entries], before.more) == (ids[1:3], True)
    since = session.entries(since=ids[0], limit=2)
    assert ([e.id for e in since.entries], since.more) == (ids[1:3], True)
    rest = session.entries(since=ids[2])
    assert ([e.id for e in rest.entries], rest.more) == (ids[3:], False)
    session.move_leaf(ids[1])
    assert [e.id for e in session.entries(branch=True, since=ids[0]).entries] == [ids[1]]
    with pytest.raises(NotFoundError):
        session.entries(branch=True, since=ids[4])


def test_statistics_count_every_branch(session: Session, store: SessionStore) -> None:
    first = session.leaf_id
    session.append_message(call("c1"))
    session.append_message(result("c1"))
    before = session.stats().cost
    session.move_leaf(first)
    session.append_message(answer("other way"))
    session.append_compaction(
        summary="s", first_kept_entry_id=None, tokens_before=9, usage=answer("")["usage"]
    )
    stats = session.stats()
    assert before == 0.5
    assert (stats.user_messages, stats.assistant_messages) == (1, 2)
    assert (stats.tool_calls, stats.tool_results) == (1, 1)
    assert (stats.cost, stats.tokens, stats.input) == (1.5, 60, 30)
    assert store.open(session.id, for_reading=True).stats() == stats
    assert session.message_count == 2


def test_statistics_count_what_a_tool_used(session: Session) -> None:
    """pi has tools that ask a model, and writes what that used beside their result."""
    before = session.stats()
    asked: Any = {**result("c1"), "usage": answer("")["usage"]}
    session.append_message(asked)
    after = session.stats()
    assert (after.cost, after.tokens) == (before.cost + 0.5, before.tokens + 20)
