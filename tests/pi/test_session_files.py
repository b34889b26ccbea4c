"""Session files, shared with the real pi: what one writes, the other reads, and both see the same
conversation."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.session import Session, SessionStore
from tests.pi.conftest import NOT_INSTALLED, AskPi
from tests.pi.rpc import NODE, Pi
from tests.session.conversation import (
    answer,
    call,
    lines,
    result,
    texts,
    user,
    write_session,
)
from tests.session.test_migration import REAL_FILE, version_1

MANAGER = "core/session-manager"
READ = """
    const session = pi.SessionManager.open(args[0]);
    return {
        messages: session.buildSessionContext().messages,
        leaf: session.getLeafId(),
        name: session.getSessionName() ?? null,
        ids: session.getEntries().map((entry) => entry.id),
        thinking: session.buildSessionContext().thinkingLevel,
    };
"""


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return SessionStore(folder)


@pytest.fixture
def told(store: SessionStore) -> Session:
    """A conversation with a call, a left branch, a label, a name and a compaction."""
    session = store.create()
    session.append_model_change("anthropic", "sonnet")
    session.append_thinking_level_change("high")
    session.append_message(user("first"))
    session.append_message(call("c1", "read", {"path": "a.py"}))
    kept = session.append_message(result("c1", "the file"))
    left = session.append_message(answer("a way that is left"))
    session.append_label(kept.id, "look here")
    session.move_leaf(kept.id)
    session.append_branch_summary(from_id=left.id, summary="it led nowhere")
    session.append_message(answer("another way"))
    session.append_name("All of it")
    session.append_compaction(summary="so far", first_kept_entry_id=kept.id, tokens_before=1234)
    session.append_queues({"steer": [], "followUp": [], "nextTurn": []})
    session.append_message(user("and now?"))
    return session


def ours(session: Session) -> list[dict[str, Any]]:
    """The context without the times that each program computes for itself."""
    return [_without_time(dict(one.message)) for one in session.context().messages]


def theirs(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """pi's context, without what old files kept of a stream by accident, too."""
    for message in messages:
        if isinstance(message.get("content"), list):
            message["content"] = [_without_scratch(block) for block in message["content"]]
    return [_without_time(message) for message in messages]


def _without_scratch(block: dict[str, Any]) -> dict[str, Any]:
    unsigned = block.get("thinkingSignature") == ""
    scratch = {"partialJson", "thinkingSignature"} if unsigned else {"partialJson"}
    return {key: value for key, value in block.items() if key not in scratch}


def _without_time(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "timestamp"}


def test_pi_sees_the_conversation_that_we_wrote(told: Session, ask_pi: AskPi) -> None:
    seen = ask_pi(MANAGER, READ, str(told.file))
    assert theirs(seen["messages"]) == ours(told)
    assert seen["leaf"] == told.leaf_id
    assert seen["name"] == "All of it"
    assert seen["thinking"] == "high"
    assert seen["ids"] == [entry.id for entry in told.entries().entries]


def test_a_switch_of_branch_holds_in_pi_once_the_conversation_goes_on(
    told: Session, ask_pi: AskPi
) -> None:
    first = told.path()[2]
    told.move_leaf(first.id)
    told.append_message(answer("from the start"))
    seen = ask_pi(MANAGER, READ, str(told.file))
    assert theirs(seen["messages"]) == ours(told)
    assert texts(told.context()) == ["first", "from the start"]


def test_pi_opens_a_fork(told: Session, ask_pi: AskPi) -> None:
    child = told.clone()
    seen = ask_pi(MANAGER, READ, str(child.file))
    assert theirs(seen["messages"]) == ours(child) == ours(told)


def test_we_see_the_conversation_that_pi_wrote(store: SessionStore, ask_pi: AskPi) -> None:
    script = """
        const [folder, sessions, messages] = args;
        const session = pi.SessionManager.create(folder, sessions);
        session.appendModelChange("anthropic", "sonnet");
        session.appendThinkingLevelChange("low");
        const ids = messages.map((message) => session.appendMessage(message));
        session.appendLabelChange(ids[0], "start");
        session.appendSessionInfo("Written by pi");
        session.branch(ids[1]);
        session.appendCustomMessageEntry("note", "a note", true);
        session.appendContextEdit(ids[1], {content: "less"});
        session.branchWithSummary(session.getLeafId(), "a summary");
        const kept = session.appendMessage(messages[0]);
        session.appendCompaction("compacted", ids[1], 99);
        session.appendUsage("cache_warm", "anthropic", "sonnet", messages[1].usage);
        return {
            id: session.getSessionId(),
            leaf: session.getLeafId(),
            messages: session.buildSessionContext().messages,
        };
    """
    messages = [user("first"), answer("one"), user("second"), answer("two")]
    wrote = ask_pi(MANAGER, script, str(store.folder), str(store.directory), messages)
    session = store.open(wrote["id"])
    assert ours(session) == theirs(wrote["messages"])
    assert texts(session.context()) == ["[compacted]", "less", "a note", "[a summary]", "first"]
    assert session.leaf_id == wrote["leaf"]
    assert session.name == "Written by pi"
    assert session.label_of(session.path()[2].id) == "start"
    assert session.context().thinking_level == "low"
    assert session.stats().cost == 1.5
    assert session.warnings == []


@pytest.mark.parametrize("source", ["small", "real"])
def test_both_migrate_an_old_file_to_the_same_conversation(
    store: SessionStore, ask_pi: AskPi, tmp_path: Path, source: str
) -> None:
    if source == "small":
        old = write_session(store.folder, lines(version_1()))
    elif REAL_FILE.exists():
        old = write_session(store.folder, REAL_FILE.read_bytes())
    else:
        pytest.skip("the real file lies beside the project")
    copy = tmp_path / "copy.jsonl"
    shutil.copyfile(old, copy)
    seen = ask_pi(MANAGER, READ, str(copy))
    session, _ = store.continue_newest()
    assert session.file == old
    assert ours(session) == theirs(seen["messages"])


async def test_pi_in_a_terminal_and_we_work_on_one_session(told: Session, tmp_path: Path) -> None:
    if not NODE.exists():
        pytest.skip(NOT_INSTALLED)
    async with Pi(told.folder, tmp_path) as pi:
        assert (await pi.ask("get_state"))["sessionId"] == told.id
        assert theirs((await pi.ask("get_messages"))["messages"]) == ours(told)
        await pi.ask("bash", command="echo from pi")
        await pi.ask("set_session_name", name="Named by pi")
    told.take_in()
    assert texts(told.context())[-1] == "echo from pi"
    assert told.name == "Named by pi"
    told.append_message(answer("and back here"))
    async with Pi(told.folder, tmp_path) as pi:
        assert theirs((await pi.ask("get_messages"))["messages"]) == ours(told)
