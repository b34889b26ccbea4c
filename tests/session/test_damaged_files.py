"""A corpus of damaged files: no line that can be read is lost, no byte of what was there changes,
and the session goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.errors import SessionInvalidError
from pi_lsp.messages import JsonObject
from pi_lsp.session import Session, SessionStore
from tests.session.conversation import (
    SESSION_ID,
    chain,
    entry,
    header,
    lines,
    texts,
    user,
    write_session,
)

HEAD = lines([header()])
A, B, C = (lines([one]) for one in chain("a", "b", "c"))
DEEP = b'{"type":"message","id":"b","parentId":"a","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"


def member(name: str, value: object) -> bytes:
    return lines([entry("b", "a") | {name: value}])


def leaf_entry(entry_id: str, parent_id: str, target_id: str) -> JsonObject:
    data = {"targetId": target_id}
    return entry(entry_id, parent_id, "custom", customType="pi-lsp.leaf", data=data)


def saying(text: bytes) -> bytes:
    return A.replace(b'"text": "a"', b'"text": "' + text + b'"')


CORPUS: dict[str, tuple[bytes, list[str]]] = {
    "whole": (HEAD + A + B + C, ["a", "b", "c"]),
    "a torn end": (HEAD + A + B + C[:40], ["a", "b"]),
    "a torn end within a character": (
        HEAD + A + B + '{"type":"message","x":"ü'.encode()[:-1],
        ["a", "b"],
    ),
    "no line end": (HEAD + A + B + C[:-1], ["a", "b", "c"]),
    "a torn line that another was glued to": (HEAD + A + B[:30] + B + C, ["c"]),
    "lines that are no JSON": (HEAD + A + b"garbage\n{\n}\n]\n" + B + C, ["a", "b", "c"]),
    "values that are no objects": (HEAD + A + b'[]\n"x"\nnull\n5\ntrue\n' + B, ["a", "b"]),
    "zeros in the middle": (HEAD + A + b"\0" * 5000 + b"\n" + B, ["a", "b"]),
    "zeros at the end": (HEAD + A + B + b"\0" * 5000, ["a", "b"]),
    "blank lines": (HEAD + b"\n\n  \n" + A + b"\r\n\t\n" + B + b"\n", ["a", "b"]),
    "Windows line ends": ((HEAD + A + B).replace(b"\n", b"\r\n"), ["a", "b"]),
    "a byte order mark": (b"\xef\xbb\xbf" + HEAD + A + B, ["a", "b"]),
    "damage before the header": (b"garbage\n" + HEAD + A, ["a"]),
    "a second header": (HEAD + A + HEAD + B, ["a", "b"]),
    "bytes that are no UTF-8": (
        HEAD + A.replace(b'"text": "a"', b'"text": "\xff"') + B,
        ["�", "b"],
    ),
    "a lone surrogate": (HEAD + A.replace(b'"text": "a"', b'"text": "\\ud83d"') + B, ["�", "b"]),
    "Unicode line separators": (
        HEAD + saying("1\u2028\u20292\x85".encode()) + B,
        ["1\u2028\u20292\x85", "b"],
    ),
    "no entries": (HEAD, []),
    "an entry without id": (HEAD + A + lines([{"type": "message", "message": user("x")}]), ["a"]),
    "an empty object": (HEAD + A + b"{}\n" + B, ["a", "b"]),
    "nested too deeply": (HEAD + A + DEEP + C, ["a", "c"]),
    "NaN": (HEAD + A + b'{"type":"message","id":"n","parentId":"a","x":NaN}\n' + B, ["a", "b"]),
    "numbers beyond all doubles": (
        HEAD + A + lines([entry("b", "a")]).replace(b'"timestamp": 1}', b'"timestamp": 1e999}'),
        ["a", "b"],
    ),
    "an unknown parent": (HEAD + A + lines([entry("b", "gone"), entry("c", "b")]), ["b", "c"]),
    "its own parent": (HEAD + A + lines([entry("b", "b"), entry("c", "b")]), ["b", "c"]),
    "a leaf entry that is its own parent": (
        HEAD + A + lines([leaf_entry("l", "l", "a")]) + B,
        ["a", "b"],
    ),
    "leaf entries that are each other's parents": (
        HEAD + A + lines([leaf_entry("l", "m", "a"), leaf_entry("m", "l", "a")]) + B,
        ["a", "b"],
    ),
    "a leaf entry whose parent is nowhere": (
        HEAD + A + lines([leaf_entry("l", "nowhere", "a")]) + B,
        ["a", "b"],
    ),
    "a circle": (
        HEAD + lines([entry("a", "c"), entry("b", "a"), entry("c", "b")]),
        ["a", "b", "c"],
    ),
    "parents that come later": (
        HEAD + lines([entry("c", "b"), entry("b", "a"), entry("a", None), entry("d", "c")]),
        ["a", "b", "c", "d"],
    ),
    "an id twice": (
        HEAD + A + B + lines([entry("b", "a", message=user("later")), entry("c", "b")]),
        ["a", "later", "c"],
    ),
    "an id twice that makes a circle": (
        HEAD + A + B + C + lines([entry("b", "c", message=user("later"))]),
        ["c", "later"],
    ),
    "unknown entries": (
        HEAD + A + lines([entry("b", "a", "hologram"), entry("c", "b")]),
        ["a", "c"],
    ),
    "a parent of the wrong type": (HEAD + A + member("parentId", 7), ["b"]),
    "a timestamp of the wrong type": (HEAD + A + member("timestamp", {}), ["a", "b"]),
    "a queue id of the wrong type": (HEAD + A + member("queueId", []), ["a", "b"]),
    "a custom type of the wrong type": (HEAD + A + member("customType", 0), ["a", "b"]),
    "a null message": (HEAD + A + member("message", None), ["a"]),
    "a message that is a string": (HEAD + A + member("message", "hello"), ["a"]),
    "a message that is a list": (HEAD + A + member("message", [user("x")]), ["a"]),
    "a role of the wrong type": (HEAD + A + member("message", {"role": {}}), ["a"]),
    "null content": (HEAD + A + member("message", {"role": "user", "content": None}), ["a", ""]),
    "a type of the wrong type": (HEAD + A + member("type", 9) + C, ["c"]),
    "an id of the wrong type": (HEAD + A + member("id", 9) + C, ["c"]),
    "an empty id": (HEAD + A + member("id", "") + C, ["c"]),
    "labels, names and queues of the wrong type": (
        HEAD
        + A
        + lines(
            [
                entry("l", "a", "label", targetId=3, label=[]),
                entry("n", "l", "session_info", name={}),
                entry("q", "n", "custom", customType="pi-lsp.queues", data="x"),
                entry("m", "q", "model_change", provider=None),
                entry("k", "m", "compaction", summary=None, firstKeptEntryId={}, tokensBefore="x"),
                entry("s", "k", "branch_summary", summary=5, fromId=None),
                entry("e", "s", "context_edit", targetId=[], replacement=5),
                entry("v", "e", "custom_message", content=5, display="x"),
                entry("u", "v", "usage", usage="much"),
            ]
        ),
        ["[]", ""],
    ),
}


@pytest.mark.parametrize("name", CORPUS)
def test_a_damaged_file_opens_and_goes_on(store: SessionStore, folder: Path, name: str) -> None:
    content, expected = CORPUS[name]
    file = write_session(folder, content)
    session = store.open(SESSION_ID)
    assert texts(session.context()) == expected
    assert file.read_bytes() == content
    look_at_everything(session)
    added = session.append_message(user("and on"))
    assert added.data["parentId"] in {None, *[e.id for e in session.entries().entries]}
    session.close()
    after = file.read_bytes()
    assert after.startswith(content)
    assert json.loads(after.splitlines()[-1])["id"] == added.id
    again = store.open(SESSION_ID)
    assert texts(again.context()) == [*expected, "and on"]
    assert again.leaf_id == session.leaf_id
    again.close()
    assert file.read_bytes() == after


def look_at_everything(session: Session) -> None:
    for filter in ("default", "noTools", "user", "labeled", "branches", "all"):
        nodes = {node.id: node.parent_id for node in session.tree(filter)}
        for node in nodes:
            seen: set[str] = set()
            step: str | None = node
            while step is not None:
                assert step not in seen
                seen.add(step)
                step = nodes[step]
    for one in session.entries().entries:
        session.path(one.id)
        session.context(one.id)
        assert isinstance(one.data, dict)
    session.stats()
    assert session.message_count >= 0
    session.queues()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("whole", None),
        ("a torn end", "line 4 cannot be read"),
        ("lines that are no JSON", "lines 3, 4, 5, 6 cannot be read"),
        ("a second header", "line 3 cannot be read"),
        ("nested too deeply", "line 3 is nested too deeply"),
        ("an unknown parent", "entry b hangs from an entry that is not in the file"),
        ("a circle", "entry a hangs from its own descendant"),
        ("its own parent", "entry b hangs from its own descendant"),
        ("an id twice", "entry b stands in the file more than once"),
        ("parents that come later", None),
        ("blank lines", None),
    ],
)
def test_what_is_damaged_is_told_in_a_sentence(
    store: SessionStore, folder: Path, name: str, words: str | None
) -> None:
    write_session(folder, CORPUS[name][0])
    warnings = store.open(SESSION_ID).warnings
    assert len(warnings) == (words is not None)
    assert words is None or words in warnings[0]


def test_thousands_of_damaged_lines_make_one_short_warning(opened: Callable[..., Session]) -> None:
    [warning] = opened(HEAD + b"x\n" * 5000 + A).warnings
    assert len(warning) < 300
    assert "and 4990 more" in warning


@pytest.mark.parametrize(
    "content",
    [
        b'{"level":"info","message":"a log"}\n{"level":"info"}\n',
        b"# A document\n\nwith text\n",
        b"\0" * 100,
        b"[1, 2, 3]",
        lines([entry("a", None)]),
        b"\n\n\n",
    ],
)
def test_what_is_no_session_is_refused_and_left_untouched(
    store: SessionStore, folder: Path, content: bytes
) -> None:
    file = write_session(folder, content)
    with pytest.raises(SessionInvalidError, match=SESSION_ID):
        store.open(file.stem)
    assert file.read_bytes() == content
    session, _ = store.continue_newest()
    assert not session.on_disk
    assert store.list() == []


@pytest.mark.parametrize("version", ["3", None, True, 0, -1, 3.5, [], 10**30])
def test_odd_versions_are_never_rewritten_when_in_doubt(
    store: SessionStore, folder: Path, version: object
) -> None:
    content = lines([header(version=version), *chain("a", "b")])
    file = write_session(folder, content)
    session = store.open(SESSION_ID)
    if version is None:
        assert not session.read_only
        assert file.with_name(f"{file.name}.v1.bak").read_bytes() == content
    else:
        assert session.read_only
        assert file.read_bytes() == content
        assert texts(session.context()) == ["a", "b"]


@pytest.mark.parametrize("members", [{"id": 5}, {"timestamp": 5}, {"cwd": 5}, {"parentSession": 5}])
def test_a_header_with_members_of_the_wrong_type_is_read(
    store: SessionStore, folder: Path, members: dict[str, object]
) -> None:
    write_session(folder, lines([header(**members), *chain("a")]))
    session = store.open(SESSION_ID)
    session.append_message(user("b"))
    assert texts(session.context()) == ["a", "b"]
    assert session.parent_session is None


def test_a_line_of_100_mb_is_read(store: SessionStore, folder: Path) -> None:
    image = {"type": "image", "data": "A" * 100_000_000, "mimeType": "image/png"}
    large = entry("b", "a", message={"role": "user", "content": [image]})
    file = write_session(folder, [entry("a", None), large, entry("c", "b")])
    size = file.stat().st_size
    session = store.open(SESSION_ID)
    assert texts(session.context()) == ["a", "image", "c"]
    session.append_message(user("d"))
    assert file.stat().st_size < size + 1000
    assert store.list()[0].message_count == 4
