"""What a person does while a conversation is compacted: stop it, send more, ask for other work."""

from __future__ import annotations

import pytest

from tests.client import Client, Editor, RequestFailed
from tests.messages_api import Gate, HttpError, MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient
from tests.protocol.long_conversations import (
    WINDOW,
    asks_for_summary,
    compactions_of,
    entries_of,
    start_small,
    talk,
    used,
)


async def compacting(scripted: StartClient, api: MessagesApi) -> tuple[Client, Gate, int]:
    """A client whose compaction stands at a gate in the middle of its summary."""
    client = await start_small(scripted)
    await talk(client, api, 5)
    gate = Gate()
    api.reply(Text("## Goal"), gate, Text("Answer."))
    asked = client.send_request("pi/compact")
    await gate.reached()
    return client, gate, asked


async def cancelled(client: Client, asked: int) -> RequestFailed:
    with pytest.raises(RequestFailed) as stopped:
        await client.answer_to(asked)
    return stopped.value


async def test_abort_stops_the_summary_and_writes_nothing(
    scripted: StartClient, api: MessagesApi
) -> None:
    client, _gate, asked = await compacting(scripted, api)
    before = entries_of(client)
    aborted = await client.request("pi/abort")
    assert aborted["aborted"] is True
    assert (await cancelled(client, asked)).number == -32800
    await api.requests[-1].is_abandoned()
    assert entries_of(client) == before
    assert (await client.wait_for("compaction_end"))["aborted"] is True
    api.reply(Text("Yes."))
    assert "error" not in await client.run("Still there?")


async def test_cancelling_the_request_stops_it_too(scripted: StartClient, api: MessagesApi) -> None:
    client, _gate, asked = await compacting(scripted, api)
    client.notify("$/cancelRequest", {"id": asked})
    assert (await cancelled(client, asked)).number == -32800
    await api.requests[-1].is_abandoned()
    assert compactions_of(client) == []
    assert (await client.request("pi/waitForIdle"))["phase"] == "idle"


async def test_abort_ends_the_wait_for_a_retry_of_the_summary(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted, retry={"baseDelayMs": 60_000})
    await talk(client, api, 5)
    api.reply(HttpError(529, "overloaded_error", "Overloaded"))
    asked = client.send_request("pi/compact")
    await client.wait_for("retry_start")
    assert (await client.request("pi/abort"))["aborted"] is True
    assert (await cancelled(client, asked)).number == -32800
    assert len(api.requests) == 6


async def test_the_state_shows_the_compaction(scripted: StartClient, api: MessagesApi) -> None:
    client, gate, asked = await compacting(scripted, api)
    state = await client.request("pi/state")
    assert state["phase"] == "compaction"
    assert state["compaction"] == {"reason": "manual"}
    gate.open()
    await client.answer_to(asked)
    state = await client.request("pi/state")
    assert state["phase"] == "idle"
    assert "compaction" not in state


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("pi/prompt", {"text": "hello"}),
        ("pi/compact", {}),
        ("pi/navigate", {"entryId": None}),
        ("pi/bash", {"command": "true"}),
        ("pi/clone", {}),
        ("pi/newSession", {}),
    ],
)
async def test_other_work_is_refused_meanwhile(
    scripted: StartClient, api: MessagesApi, method: str, params: dict[str, object]
) -> None:
    client, gate, asked = await compacting(scripted, api)
    with pytest.raises(RequestFailed) as refused:
        await client.request(method, params)
    assert refused.value.code == "busy"
    gate.open()
    await client.answer_to(asked)
    assert len(compactions_of(client)) == 1


async def test_messages_that_come_meanwhile_run_afterwards_steers_first(
    scripted: StartClient, api: MessagesApi
) -> None:
    client, gate, asked = await compacting(scripted, api)
    for _ in range(3):
        api.reply(Text("Yes."))
    await client.request("pi/followUp", text="after that")
    await client.request("pi/steer", text="first of all")
    queued = await client.request("pi/prompt", text="and then", whenBusy="steer")
    assert queued["disposition"] == "queued"
    gate.open()
    await client.answer_to(asked)
    await client.wait_for("settled")
    asked_for = [request.last_text for request in api.requests[6:]]
    assert [text.splitlines()[-1] for text in asked_for] == [
        "first of all",
        "and then",
        "after that",
    ]
    kinds = [entry["type"] for entry in entries_of(client) if entry["type"] != "custom"]
    assert kinds[-7:] == ["compaction", *["message"] * 6]
    queues = (await client.request("pi/state"))["queues"]
    assert queues == {"steer": [], "followUp": [], "nextTurn": []}


async def test_a_word_for_the_next_turn_waits_for_the_next_prompt(
    scripted: StartClient, api: MessagesApi
) -> None:
    client, gate, asked = await compacting(scripted, api)
    await client.request("pi/nextTurn", text="a word for later")
    gate.open()
    await client.answer_to(asked)
    state = await client.request("pi/state")
    assert state["phase"] == "idle"
    assert [item["text"] for item in state["queues"]["nextTurn"]] == ["a word for later"]
    api.reply(Text("Yes."))
    await client.run("Now.")
    assert "a word for later" in str(api.requests[-1].messages[-1])


async def test_abort_gives_back_what_was_queued_meanwhile(
    scripted: StartClient, api: MessagesApi
) -> None:
    client, _gate, asked = await compacting(scripted, api)
    await client.request("pi/steer", text="one")
    await client.request("pi/followUp", text="two")
    aborted = await client.request("pi/abort")
    assert [item["text"] for item in aborted["steer"]] == ["one"]
    assert [item["text"] for item in aborted["followUp"]] == ["two"]
    await cancelled(client, asked)
    assert len(api.requests) == 6


async def test_what_is_queued_during_a_compaction_in_a_run_is_delivered(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    gate = Gate()
    api.reply(Text("A complete answer."), **used(WINDOW - 1000, 500))
    api.reply(Text("## Goal"), gate, Text("Answer."))
    api.reply(Text("Yes."))
    await client.request("pi/prompt", text="Question 4.")
    await gate.reached()
    assert asks_for_summary(api.requests[-1])
    await client.request("pi/followUp", text="one more thing")
    gate.open()
    await client.wait_for("settled")
    assert api.requests[-1].last_text.endswith("one more thing")
    assert (await client.request("pi/state"))["queues"]["followUp"] == []


async def test_abort_during_a_compaction_in_a_run_stops_the_run(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    (client.folder / "a.txt").write_text("a")
    await talk(client, api, 4)
    gate = Gate()
    api.reply(ToolCall("read", {"path": "a.txt"}), **used(WINDOW - 1000, 500))
    api.reply(Text("## Goal"), gate)
    await client.request("pi/prompt", text="Question 4.")
    await gate.reached()
    assert (await client.request("pi/abort"))["aborted"] is True
    settled = await client.wait_for("settled")
    assert settled["aborted"] is True
    assert compactions_of(client) == []
    assert entries_of(client)[-1]["message"]["role"] == "toolResult"
    api.reply(Text("## Goal\nAnswer."))
    api.reply(Text("It says a."))
    await client.request("pi/continue")
    assert "error" not in await client.wait_for("settled")
    assert len(api.requests[-1].tool_results()) == 1


async def test_the_editor_shows_the_compaction_and_can_stop_it(
    scripted: StartClient, api: MessagesApi
) -> None:
    shows_progress = Editor(more_capabilities={"window": {"workDoneProgress": True}})
    client = await start_small(scripted, editor=shows_progress)
    await talk(client, api, 5)
    gate = Gate()
    api.reply(Text("## Goal"), gate)
    asked = client.send_request("pi/compact")
    await gate.reached()
    token = client.requests[-1][1]["token"]
    client.notify("window/workDoneProgress/cancel", {"token": token})
    assert (await cancelled(client, asked)).number == -32800
    shown = [
        params["value"]
        for method, params in client.notifications
        if method == "$/progress" and params["token"] == token
    ]
    assert "compacting" in str(shown[0])
    assert compactions_of(client) == []
