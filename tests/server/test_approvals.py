"""Asking the person; whoever does not answer has said no."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_lsp.agent.events import Event
from pi_lsp.server.approvals import Approvals
from pi_lsp.server.virtual_documents import VirtualDocuments
from pi_lsp.tools.editor import Question, Reply
from tests.server.conftest import FakeEditor

EDIT = Question(
    tool_call_id="c1",
    tool_name="edit",
    args={"path": "src/a.py"},
    title="Edit src/a.py",
    diff="-old\n+new\n",
    before="old\n",
    after="new\n",
    path="src/a.py",
)
COMMAND = Question("c2", "bash", {"command": "make\nrm x"}, "Run a command", outside_workspace=True)


class Asking:
    def __init__(self, editor: FakeEditor) -> None:
        self.editor = editor
        self.texts = VirtualDocuments(lambda *_: None)
        self.events: list[Event] = []
        self.approvals = Approvals(editor.client, self.texts, self.events.append)


@pytest.fixture
def asking(editor: FakeEditor) -> Asking:
    return Asking(editor)


async def test_a_plugin_is_asked_with_all_that_it_needs_to_show(asking: Asking) -> None:
    seen: list[Any] = []

    def approve(params: Any) -> Any:
        seen.extend(asking.approvals.pending())
        return {"decision": "allowSession"}

    asking.editor.answers["pi/approve"] = approve
    assert await asking.approvals.ask(EDIT) == Reply("allowSession")
    ((method, params),) = asking.editor.asked
    assert method == "pi/approve"
    assert params["title"] == "Edit src/a.py"
    assert params["outsideWorkspace"] is False
    assert asking.texts.text(params["beforeUri"]) == "old\n"
    assert asking.texts.text(params["afterUri"]) == "new\n"
    assert params["afterUri"].endswith("/a.py")
    assert seen == [params]
    assert asking.approvals.pending() == []
    told = [event.to_wire() for event in asking.events]
    assert told[0] == {"type": "approval_asked", **params}
    assert told[1] == {
        "type": "approval_answered",
        "toolCallId": "c1",
        "decision": "allowSession",
    }


async def test_a_no_comes_with_its_reason(asking: Asking) -> None:
    asking.editor.answers["pi/approve"] = lambda _: {"decision": "deny", "reason": "not there"}
    assert await asking.approvals.ask(EDIT) == Reply("deny", "not there")


@pytest.mark.parametrize("answer", [None, {}, {"decision": "maybe"}, [], "allow", {"decision": 1}])
async def test_nonsense_is_a_no(asking: Asking, answer: Any) -> None:
    asking.editor.answers["pi/approve"] = lambda _: answer
    assert (await asking.approvals.ask(EDIT)).decision == "deny"


async def test_an_editor_that_fails_is_a_no(asking: Asking) -> None:
    assert (await asking.approvals.ask(EDIT)).decision == "deny"


@pytest.mark.parametrize(
    ("button", "decision"),
    [
        ("Allow", "allow"),
        ("Allow for This Session", "allowSession"),
        ("Always Allow", "allowAlways"),
        ("Deny", "deny"),
        ("Something else", "deny"),
    ],
)
async def test_without_a_plugin_a_message_with_buttons_asks(
    asking: Asking, button: str, decision: str
) -> None:
    asking.editor.is_plain()
    asking.editor.answers["window/showMessageRequest"] = lambda _: {"title": button}
    assert (await asking.approvals.ask(COMMAND)).decision == decision
    message = asking.editor.asked[0][1]["message"]
    assert "Run a command" in message
    assert "rm x" in message
    assert "outside" in message


async def test_a_closed_message_is_a_no(asking: Asking) -> None:
    asking.editor.is_plain()
    asking.editor.answers["window/showMessageRequest"] = lambda _: None
    assert (await asking.approvals.ask(COMMAND)).decision == "deny"


async def test_a_long_diff_is_cut_in_a_message(asking: Asking) -> None:
    asking.editor.is_plain()
    asking.editor.answers["window/showMessageRequest"] = lambda _: None
    long = Question("c3", "write", {}, "Write b", diff="+line\n" * 500)
    await asking.approvals.ask(long)
    message = asking.editor.asked[0][1]["message"]
    assert len(message.splitlines()) < 40
    assert "more lines" in message


async def test_a_stopped_call_withdraws_its_question(asking: Asking) -> None:
    asked = asyncio.Event()

    async def approve(_params: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    asking.editor.answers["pi/approve"] = approve
    task = asyncio.ensure_future(asking.approvals.ask(EDIT))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asking.approvals.pending() == []
    assert asking.events[-1].to_wire()["decision"] == "deny"
