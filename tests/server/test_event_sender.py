"""Events on their way to the editor: numbered, joined, never reordered, never lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pi_lsp.agent.events import (
    AgentStart,
    BashUpdate,
    MessageUpdate,
    QueueItem,
    Queues,
    QueueUpdate,
    SessionChanged,
    ToolExecutionUpdate,
)
from pi_lsp.messages import JsonObject
from pi_lsp.server.event_sender import MAX_BACKLOG_BYTES, EventSender
from tests.server.conftest import FakeEditor


class FakeOutlet:
    """A way to an editor that reads when the test says so."""

    def __init__(self) -> None:
        self.backlog_bytes = 0
        self.congested = False
        self.callbacks: list[Callable[[], None]] = []

    def when_drained(self, callback: Callable[[], None], /) -> None:
        self.callbacks.append(callback)

    def drain(self) -> None:
        self.backlog_bytes, self.congested = 0, False
        callbacks, self.callbacks = self.callbacks, []
        for callback in callbacks:
            callback()


class Sending:
    """A sender with a fake editor behind it."""

    def __init__(self, editor: FakeEditor) -> None:
        self.outlet = FakeOutlet()
        self.session_id = "s1"
        self.editor = editor
        self.sender = EventSender(
            editor.client,
            self.outlet,
            workspace="file:///w",
            session_id=lambda: self.session_id,
            resume=lambda: self.sender.emit(SessionChanged(state={"seq": self.sender.seq})),
        )

    @property
    def params(self) -> list[JsonObject]:
        return [params for method, params in self.editor.told if method == "pi/event"]

    @property
    def events(self) -> list[JsonObject]:
        return [params["event"] for params in self.params]


@pytest.fixture
async def sending(editor: FakeEditor) -> Sending:
    return Sending(editor)


def text(delta: str, index: int = 0) -> MessageUpdate:
    return MessageUpdate(content_index=index, kind="text", delta=delta)


async def test_events_are_numbered_from_one_in_each_session(sending: Sending) -> None:
    sending.sender.emit(AgentStart())
    sending.sender.emit(AgentStart())
    sending.session_id = "s2"
    sending.sender.emit(AgentStart())
    sending.session_id = "s1"
    sending.sender.emit(AgentStart())
    assert [(one["sessionId"], one["seq"]) for one in sending.params] == [
        ("s1", 1),
        ("s1", 2),
        ("s2", 1),
        ("s1", 3),
    ]
    assert sending.params[0] == {
        "workspace": "file:///w",
        "sessionId": "s1",
        "seq": 1,
        "event": {"type": "agent_start"},
    }


async def test_deltas_of_a_block_go_out_as_one_before_the_next_event(sending: Sending) -> None:
    for delta in "hello":
        sending.sender.emit(text(delta))
    sending.sender.emit(text("world", index=1))
    assert sending.events == []
    sending.sender.emit(AgentStart())
    assert sending.events == [
        {"type": "message_update", "contentIndex": 0, "kind": "text", "delta": "hello"},
        {"type": "message_update", "contentIndex": 1, "kind": "text", "delta": "world"},
        {"type": "agent_start"},
    ]


async def test_the_first_piece_of_a_tool_call_says_which_call_it_is(sending: Sending) -> None:
    sending.sender.emit(
        MessageUpdate(
            content_index=0, kind="toolCall", delta="", tool_call_id="c1", tool_name="read"
        )
    )
    sending.sender.emit(MessageUpdate(content_index=0, kind="toolCall", delta='{"path"'))
    sending.sender.flush()
    assert sending.events[0]["toolCallId"] == "c1"
    assert sending.events[0]["delta"] == '{"path"'


async def test_output_of_parallel_tools_is_joined_by_tool(sending: Sending) -> None:
    for call in ("a", "b", "a", "b"):
        sending.sender.emit(ToolExecutionUpdate(tool_call_id=call, delta=call))
    sending.sender.emit(BashUpdate(delta="x"))
    sending.sender.emit(BashUpdate(delta="y"))
    sending.sender.flush()
    assert [one["delta"] for one in sending.events] == ["aa", "bb", "xy"]


async def test_of_the_queues_only_how_they_stand_last_goes_out(sending: Sending) -> None:
    for count in range(1000):
        items = [QueueItem(id=str(one), text="later") for one in range(count % 3)]
        sending.sender.emit(QueueUpdate(queues=Queues(steer=[], follow_up=items, next_turn=[])))
        sending.sender.emit(text("x"))
    last = QueueUpdate(queues=Queues(steer=[], follow_up=[], next_turn=[]))
    sending.sender.emit(last)
    sending.sender.emit(AgentStart())
    assert [one["type"] for one in sending.events] == [
        "message_update",
        "queue_update",
        "agent_start",
    ]
    assert sending.events[1] == last.to_wire()


async def test_an_editor_that_reads_slowly_gets_fewer_and_longer_deltas(sending: Sending) -> None:
    sending.outlet.congested = True
    sending.sender.emit(text("a"))
    sending.sender._due()
    sending.sender.emit(text("b"))
    assert sending.events == []
    sending.outlet.drain()
    assert [one["delta"] for one in sending.events] == ["ab"]


async def test_an_editor_that_does_not_read_is_told_the_state_when_it_reads_again(
    sending: Sending,
) -> None:
    sending.outlet.backlog_bytes = MAX_BACKLOG_BYTES + 1
    for _ in range(1000):
        sending.sender.emit(AgentStart())
    assert sending.events == []
    sending.outlet.drain()
    assert sending.params[-1]["seq"] == 1001
    assert sending.events == [{"type": "session_changed", "state": {"seq": 1000}}]


async def test_output_without_end_is_left_out_for_an_editor_that_does_not_read(
    sending: Sending,
) -> None:
    sending.outlet.congested = True
    sending.sender.emit(BashUpdate(delta="x"))
    sending.sender._due()
    for _ in range(70):
        sending.sender.emit(BashUpdate(delta="x" * 1024 * 1024))
    assert sending.sender._waiting == {}
    sending.outlet.drain()
    assert [one["type"] for one in sending.events] == ["session_changed"]
