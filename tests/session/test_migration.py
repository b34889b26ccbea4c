"""Files of versions 1 and 2."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.errors import StorageError
from pi_lsp.session import Session, SessionStore, disk_file, migration
from tests.session.conversation import (
    CREATED,
    FILE_NAME,
    SESSION_ID,
    answer,
    header,
    lines,
    stored,
    texts,
    user,
    write_session,
)

REAL_FILE = Path(__file__).parents[3] / "shared" / "data" / "session-v1.jsonl"


def old_entry(kind: str = "message", **members: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": CREATED, **members}


def version_1() -> list[dict[str, Any]]:
    """As pi once wrote: line 3 is the first that the compaction keeps."""
    hook = {"role": "hookMessage", "customType": "h", "content": "hooked", "display": True}
    return [
        {key: value for key, value in header(provider="anthropic").items() if key != "version"},
        old_entry(message=user("one")),
        old_entry(message=answer("two")),
        old_entry(message=user("three")),
        old_entry("compaction", summary="sum", firstKeptEntryIndex=3, tokensBefore=70),
        old_entry(message=hook),
    ]


def test_version_1_gets_ids_parents_and_its_boundary(folder: Path, store: SessionStore) -> None:
    file = write_session(folder, lines(version_1()))
    original = file.read_bytes()
    session = store.open(SESSION_ID)
    head, *entries = stored(session)
    assert (head["version"], head["provider"]) == (3, "anthropic")
    assert [e["parentId"] for e in entries] == [None, *[e["id"] for e in entries[:-1]]]
    assert entries[3]["firstKeptEntryId"] == entries[2]["id"]
    assert "firstKeptEntryIndex" not in entries[3]
    assert texts(session.context()) == ["[sum]", "three", "hooked"]
    assert session.context().messages[2].message["role"] == "custom"
    assert file.with_name(f"{FILE_NAME}.v1.bak").read_bytes() == original


def test_a_second_opening_changes_nothing(folder: Path, store: SessionStore) -> None:
    file = write_session(folder, lines(version_1()))
    store.open(SESSION_ID).close()
    once = file.read_bytes()
    store.open(SESSION_ID).close()
    assert file.read_bytes() == once
    assert len(list(file.parent.glob("*.bak"))) == 1


def test_lines_that_cannot_be_read_are_kept_and_not_counted(
    folder: Path, store: SessionStore
) -> None:
    first, *rest = lines(version_1()).splitlines(keepends=True)
    write_session(folder, b"".join([first, b"{torn\n", *rest]))
    session = store.open(SESSION_ID)
    assert texts(session.context()) == ["[sum]", "three", "hooked"]
    assert session.file.read_bytes().splitlines()[1] == b"{torn"
    assert "line 2" in session.warnings[0]


@pytest.mark.parametrize(("index", "expected"), [(0, 3), (99, 0), ("x", 3)])
def test_odd_boundaries_of_version_1(
    folder: Path, store: SessionStore, index: Any, expected: int
) -> None:
    old = version_1()
    old[4]["firstKeptEntryIndex"] = index
    write_session(folder, lines(old))
    assert len(store.open(SESSION_ID).context().messages) == 1 + expected + 1


def test_version_2_changes_only_the_role(folder: Path, store: SessionStore) -> None:
    hook = {"role": "hookMessage", "customType": "h", "content": "hooked", "display": True}
    kept = b'{"type":"message", "id":"a","parentId":null,"message":{"role":"user","content":"q"}}'
    changed = {"type": "message", "id": "b", "parentId": "a", "timestamp": CREATED, "message": hook}
    file = write_session(
        folder, lines([header(version=2)]) + kept + b"\r\n" + lines([changed])[:-1]
    )
    original = file.read_bytes()
    session = store.open(SESSION_ID)
    assert texts(session.context()) == ["q", "hooked"]
    assert session.file.read_bytes().splitlines()[1] == kept
    assert stored(session)[2]["message"]["role"] == "custom"
    assert file.with_name(f"{FILE_NAME}.v2.bak").read_bytes() == original


def test_an_old_file_can_be_read_without_being_changed(folder: Path, store: SessionStore) -> None:
    file = write_session(folder, lines(version_1()))
    original = file.read_bytes()
    session = store.open(SESSION_ID, for_reading=True)
    assert texts(session.context()) == ["[sum]", "three", "hooked"]
    assert [path.name for path in file.parent.iterdir()] == [FILE_NAME]
    assert file.read_bytes() == original


def test_a_disk_that_refuses_leaves_the_old_file(
    folder: Path, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_session(folder, lines(version_1()))
    original = file.read_bytes()

    def refuse(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(disk_file, "_write_all", refuse)
        with pytest.raises(StorageError, match="No space left"):
            store.open(SESSION_ID)
    assert file.read_bytes() == original
    assert list(file.parent.glob(".*.tmp")) == []
    session = store.open(SESSION_ID)
    assert texts(session.context()) == ["[sum]", "three", "hooked"]
    assert [path.name for path in file.parent.glob("*.bak")] == [f"{FILE_NAME}.v1.bak"]


def test_another_files_original_is_never_overwritten(folder: Path, store: SessionStore) -> None:
    file = write_session(folder, lines(version_1()))
    earlier = file.with_name(f"{FILE_NAME}.v1.bak")
    earlier.write_bytes(b"something else")
    store.open(SESSION_ID)
    assert earlier.read_bytes() == b"something else"
    assert file.with_name(f"{FILE_NAME}.v1.2.bak").exists()


def test_without_hard_links_the_original_is_copied(
    folder: Path, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_session(folder, lines(version_1()))
    original = file.read_bytes()

    def refuse(source: Path, target: Path) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(migration.os, "link", refuse)
    store.open(SESSION_ID)
    assert file.with_name(f"{FILE_NAME}.v1.bak").read_bytes() == original


@pytest.mark.skipif(not REAL_FILE.exists(), reason="the real file lies beside the project")
def test_a_real_conversation_of_version_1(folder: Path, store: SessionStore) -> None:
    file = write_session(folder, b"")
    shutil.copyfile(REAL_FILE, file)
    os.chmod(file, 0o600)
    session = store.open("ffae836b-9420-4060-ac13-7745215f90ff")
    context = session.context()
    assert len(context.messages) == 446
    second = [e for e in session.entries().entries if e.type == "compaction"][1]
    assert context.messages[0].entry_id == second.id
    assert context.messages[0].message["role"] == "compactionSummary"
    assert session.warnings == []
    _check_all_was_kept(session)


def _check_all_was_kept(session: Session) -> None:
    import json

    old = [json.loads(line) for line in REAL_FILE.read_text().splitlines()]
    new = stored(session)
    assert len(old) == len(new) == 1003
    for before, after in zip(old[1:], new[1:], strict=True):
        kept = {key: value for key, value in before.items() if key != "firstKeptEntryIndex"}
        assert kept.items() <= after.items()
