"""Good files with anything done to them: never a hang, a crash, a lost good line or a changed
byte of what was there."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.errors import PiError
from pi_lsp.session import SessionStore
from tests.session.conversation import (
    answer,
    call,
    chain,
    entry,
    header,
    lines,
    result,
    user,
    write_session,
)
from tests.session.test_damaged_files import look_at_everything

GOOD = lines(
    [
        header(),
        *chain("a", "b"),
        entry("call", "b", message=call("c1", arguments={"path": "ä \U0001f600"})),
        entry("result", "call", message=result("c1")),
        entry("sum", "result", "compaction", summary="s", firstKeptEntryId="b", tokensBefore=9),
        entry("label", "sum", "label", targetId="b", label="x"),
        entry("leaf", "b", "custom", customType="pi-lsp.leaf", data={"targetId": "b"}),
        entry("branch", "b", "branch_summary", fromId="label", summary="left"),
        entry("edit", "branch", "context_edit", targetId="a", replacement=None),
        entry("reply", "edit", message=answer("done")),
    ]
)
MEMBERS = ["type", "id", "parentId", "message", "targetId", "firstKeptEntryId", "data", "label"]
VALUES: list[Any] = [None, True, 7, "", "a", "reply", "leaf", [], {}, {"targetId": "reply"}]

positions = st.integers(min_value=0, max_value=len(GOOD))
cut_bytes = st.tuples(st.just("cut"), positions, positions)
inserted = st.tuples(st.just("insert"), positions, st.binary(max_size=20))
moved_lines = st.tuples(st.just("move"), st.integers(0, 11), st.integers(0, 11))
repeated_lines = st.tuples(st.just("repeat"), st.integers(0, 11), st.integers(0, 11))
changed_members = st.tuples(
    st.just("set"), st.integers(0, 11), st.sampled_from(MEMBERS), st.sampled_from(VALUES)
)
mutations = st.lists(
    cut_bytes | inserted | moved_lines | repeated_lines | changed_members, min_size=1, max_size=4
)


def mutated(content: bytes, steps: list[tuple[Any, ...]]) -> bytes:
    for kind, *arguments in steps:
        content = MUTATIONS[kind](content, *arguments)
    return content


def cut(content: bytes, one: int, other: int) -> bytes:
    return content[: min(one, other)] + content[max(one, other) :]


def insert(content: bytes, place: int, data: bytes) -> bytes:
    return content[:place] + data + content[place:]


def move(content: bytes, source: int, target: int) -> bytes:
    rows = content.split(b"\n")
    rows.insert(target % len(rows), rows.pop(source % len(rows)))
    return b"\n".join(rows)


def repeat(content: bytes, source: int, target: int) -> bytes:
    rows = content.split(b"\n")
    rows.insert(target % len(rows), rows[source % len(rows)])
    return b"\n".join(rows)


def set_member(content: bytes, row: int, member: str, value: Any) -> bytes:
    rows = content.split(b"\n")
    row %= len(rows)
    try:
        data = json.loads(rows[row])
    except ValueError:
        return content
    if isinstance(data, dict):
        rows[row] = json.dumps({**data, member: value}).encode()
    return b"\n".join(rows)


MUTATIONS = {"cut": cut, "insert": insert, "move": move, "repeat": repeat, "set": set_member}


def readable_ids(content: bytes) -> set[str]:
    """The ids of all entries that a plain reader of JSON lines finds after the header."""
    found: set[str] = set()
    header_seen = False
    for row in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            data = json.loads(row.decode("utf-8", "replace"))
        except ValueError:
            continue
        if not isinstance(data, dict):
            continue
        if not header_seen:
            header_seen = True
        elif (
            isinstance(data.get("type"), str)
            and data["type"] != "session"
            and isinstance(data.get("id"), str)
            and data["id"]
        ):
            found.add(data["id"])
    return found


@settings(max_examples=400, deadline=None)
@given(mutations)
def test_a_mutated_file_is_refused_or_keeps_every_line(steps: list[tuple[Any, ...]]) -> None:
    content = mutated(GOOD, steps)
    with tempfile.TemporaryDirectory() as name:
        file = write_session(Path(name), content)
        store = SessionStore(Path(name))
        store.list()
        try:
            session = store.open(file.stem)
        except PiError:
            assert file.read_bytes() == content
            return
        if file.with_name(f"{file.name}.v1.bak").exists():
            assert file.with_name(f"{file.name}.v1.bak").read_bytes() == content
            content = file.read_bytes()
        assert {e.id for e in session.entries().entries} == readable_ids(content)
        look_at_everything(session)
        if session.read_only:
            assert file.read_bytes() == content
            return
        added = session.append_message(user("and on"))
        session.move_leaf(None)
        session.append_message(user("from the root"))
        leaf, context = session.leaf_id, session.context()
        session.close()
        assert file.read_bytes().startswith(content)
        again = store.open(file.stem)
        assert (again.leaf_id, again.context()) == (leaf, context)
        assert again.entry(added.id).data == session.entry(added.id).data
        child = again.clone()
        assert [one.message for one in child.context().messages] == [
            one.message for one in context.messages
        ]
        again.close()
        child.close()
