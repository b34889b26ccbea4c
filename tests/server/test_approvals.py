"""Asking the person; whoever does not answer has said no."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pi_lsp.agent.events import Event
from pi_lsp.server.approvals import Approvals
from pi_lsp.server.client_abilities import ClientAbilities
from pi_lsp.server.text_viewer import TextViewer
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
        viewer = TextViewer(editor.client, self.texts)
        self.approvals = Approvals(editor.client, self.texts, viewer, self.events.append)

    def presses(self, *buttons: str) -> None:
        """Be a person in an editor without a plugin, who presses these, one in each message."""
        left = iter(buttons)
        self.editor.is_plain()
        self.editor.answers["window/showMessageRequest"] = lambda _: {"title": next(left)}

    @property
    def offered(self) -> list[list[str]]:
        """The buttons of each message."""
        return [
            [one["title"] for one in params["actions"]]
            for method, params in self.editor.asked
            if method == "window/showMessageRequest"
        ]


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


LONG = Question("c3", "bash", {"command": "echo safe\n" * 3 + "make\nrm a\n" * 500 + "rm x"}, "Run")


async def test_of_what_is_long_beginning_and_end_are_shown_and_all_before_it_is_allowed(
    asking: Asking,
) -> None:
    asking.presses("Show All", "Allow")
    asking.editor.client.abilities = ClientAbilities.of(
        {
            "window": {"showDocument": {"support": True}},
            "workspace": {"textDocumentContent": {}},
        }
    )
    asking.editor.answers["window/showDocument"] = lambda _: {"success": True}
    assert (await asking.approvals.ask(LONG)).decision == "allow"
    first, document, _again = (params for _, params in asking.editor.asked)
    assert len(first["message"].splitlines()) < 40
    assert "echo safe" in first["message"]
    assert "not shown here" in first["message"]
    assert first["message"].endswith("\nrm x")
    assert asking.texts.text(document["uri"]) == LONG.args["command"]
    assert asking.offered[0] == ["Show All", "Deny"]
    assert "Allow" in asking.offered[1]


@pytest.mark.parametrize("shows_documents", [True, False])
@pytest.mark.parametrize(
    ("button", "decision"), [("Allow Unseen Parts", "allow"), ("Deny", "deny"), ("Allow", "deny")]
)
async def test_what_cannot_be_opened_is_allowed_only_by_who_says_unseen(
    asking: Asking, shows_documents: bool, button: str, decision: str
) -> None:
    asking.presses(*(["Show All"] if shows_documents else []), button)
    if not shows_documents:
        asking.editor.client.abilities = ClientAbilities()
    assert (await asking.approvals.ask(LONG)).decision == decision
    assert asking.offered[-1] == ["Allow Unseen Parts", "Deny"]


async def test_a_long_line_is_not_shown_as_if_it_were_all(asking: Asking) -> None:
    asking.presses("Deny")
    await asking.approvals.ask(
        Question("c4", "bash", {"command": f"echo {'a' * 9000}; rm x"}, "Run echo")
    )
    assert asking.editor.asked[0][1]["message"].endswith("; rm x")
    assert asking.offered == [["Show All", "Deny"]]


async def test_empty_lines_push_nothing_out_of_sight(asking: Asking) -> None:
    asking.presses("Deny")
    await asking.approvals.ask(
        Question("c5", "bash", {"command": "echo safe\n" + " \n\n" * 200 + "rm x"}, "Run")
    )
    message = asking.editor.asked[0][1]["message"]
    assert "397 more empty lines" in message
    assert message.endswith("\nrm x")
    assert "Allow" in asking.offered[0]


async def test_what_would_hide_or_turn_text_is_spelled_out(asking: Asking) -> None:
    command = "echo \u202eevil\u202c \x1b[2J\rover\u2028"
    asking.presses("Deny")
    await asking.approvals.ask(Question("c6", "bash", {"command": command}, f"Run {command}\nx"))
    message = asking.editor.asked[0][1]["message"]
    spelled = r"echo \u202eevil\u202c \x1b[2J\x0dover\u2028"
    assert message.split("\n") == [f"pi asks: Run {spelled}\\nx", spelled]


async def test_a_plugin_gets_a_title_without_tricks_and_the_arguments_as_they_are(
    asking: Asking,
) -> None:
    asking.editor.answers["pi/approve"] = lambda _: {"decision": "deny"}
    await asking.approvals.ask(Question("c7", "bash", {"command": "\x1b"}, "Run \x1b"))
    params = asking.editor.asked[0][1]
    assert (params["title"], params["args"]) == (r"Run \x1b", {"command": "\x1b"})


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
