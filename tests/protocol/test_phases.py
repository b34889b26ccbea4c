"""What may be asked in which phase: the table of docs/protocol.md, cell by cell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.client import Client, RequestFailed
from tests.messages_api import Gate, MessagesApi, Reply, Text
from tests.protocol.conftest import StartClient

IDLE_ONLY: list[tuple[str, dict[str, Any]]] = [
    ("pi/compact", {}),
    ("pi/navigate", {"entryId": None}),
    ("pi/bash", {"command": "true"}),
    ("pi/fork", {"entryId": "USER"}),
    ("pi/clone", {}),
    ("pi/newSession", {}),
    ("pi/switchSession", {"sessionId": "CURRENT"}),
    ("pi/prompt", {"text": "now"}),
    ("pi/continue", {}),
]

Phase = Callable[[Client, MessagesApi], Any]


@asynccontextmanager
async def in_turn(client: Client, api: MessagesApi) -> AsyncIterator[None]:
    gate = Gate()
    api.reply(Text("first"), gate, Text(" second"))
    await client.request("pi/prompt", text="work")
    await gate.reached()
    yield
    gate.open()
    await client.wait_for("settled")


@asynccontextmanager
async def in_compaction(client: Client, api: MessagesApi) -> AsyncIterator[None]:
    gate = Gate()
    api.reply(gate, Text("A summary."))
    compacting = client.send_request("pi/compact")
    await gate.reached()
    yield
    gate.open()
    await client.answer_to(compacting)


@asynccontextmanager
async def in_branch_summary(client: Client, api: MessagesApi) -> AsyncIterator[None]:
    gate = Gate()
    api.reply(gate, Text("A summary."))
    navigating = client.send_request("pi/navigate", entryId=None, summarize=True)
    await gate.reached()
    yield
    gate.open()
    await client.answer_to(navigating)


@asynccontextmanager
async def in_bash(client: Client, _api: MessagesApi) -> AsyncIterator[None]:
    fifo = client.folder / "fifo"
    running = client.send_request("pi/bash", command="mkfifo fifo; echo on; read line < fifo")
    await client.wait_for("bash_update")
    yield
    with fifo.open("w") as pipe:
        pipe.write("go on\n")
    await client.answer_to(running)


PHASES: dict[str, Phase] = {
    "turn": in_turn,
    "compaction": in_compaction,
    "branch_summary": in_branch_summary,
    "bash": in_bash,
}


async def with_history(scripted: StartClient, api: MessagesApi) -> Client:
    """An editor with a conversation of one turn, long enough to be compacted."""
    api.reply(Text("Once upon a time. " * 2000))
    client = await scripted(settings={"compaction": {"keepRecentTokens": 10}})
    await client.run("tell me a story")
    return client


async def user_entry(client: Client) -> str:
    tree = await client.request("pi/tree", filter="user")
    return tree["nodes"][0]["id"]


@pytest.mark.parametrize("phase", PHASES)
async def test_what_needs_an_idle_agent_is_refused_and_says_why(
    phase: str, scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    state = await client.request("pi/state")
    known = {"USER": await user_entry(client), "CURRENT": state["sessionId"]}
    async with PHASES[phase](client, api):
        assert (await client.request("pi/state"))["phase"] == phase
        for method, params in IDLE_ONLY:
            given = {key: known.get(str(value), value) for key, value in params.items()}
            with pytest.raises(RequestFailed) as refused:
                await client.request(method, given)
            assert (refused.value.number, refused.value.code) == (-32010, "busy"), method
            assert "stop it" in refused.value.message
    assert (await client.request("pi/waitForIdle"))["phase"] == "idle"


@pytest.mark.parametrize("phase", ["compaction", "branch_summary", "bash"])
async def test_what_is_queued_during_an_operation_runs_when_it_ends_steers_first(
    phase: str, scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    async with PHASES[phase](client, api):
        await client.request("pi/followUp", text="and then this")
        await client.request("pi/steer", text="first this")
        await client.request("pi/nextTurn", text="a word for later")
        api.reply(Text("one"))
        api.reply(Text("two"))
    await client.wait_for("settled")

    assert api.requests[-2].last_text.endswith("first this")
    assert api.requests[-1].last_text.endswith("and then this")
    queues = (await client.request("pi/state"))["queues"]
    assert [item["text"] for item in queues["nextTurn"]] == ["a word for later"]


@pytest.mark.parametrize("phase", PHASES)
async def test_a_prompt_that_says_so_is_queued_in_every_phase(
    phase: str, scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    async with PHASES[phase](client, api):
        answer = await client.request("pi/prompt", text="when you can", whenBusy="followUp")
        assert answer["disposition"] == "queued"
        assert [item["text"] for item in answer["queues"]["followUp"]] == ["when you can"]
        api.reply(Text("now"))
    if phase != "turn":
        await client.wait_for("settled")
    assert api.requests[-1].last_text.endswith("when you can")


@pytest.mark.parametrize("phase", PHASES)
async def test_labels_names_and_choices_are_taken_in_every_phase(
    phase: str, scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    target = await user_entry(client)
    async with PHASES[phase](client, api):
        await client.request("pi/label", entryId=target, label="start")
        await client.request("pi/renameSession", name="A story")
        chosen = await client.request(
            "pi/setModel", provider="anthropic", modelId="claude-opus-4-5"
        )
        assert chosen["model"]["id"] == "claude-opus-4-5"
        assert (await client.request("pi/setThinkingLevel", level="high")) == {"level": "high"}
    await client.request("pi/waitForIdle")

    # The next save point has written them.
    api.reply(Text("Yes."))
    await client.run("go on")
    tree = await client.request("pi/tree", filter="labeled")
    assert [node["label"] for node in tree["nodes"]] == ["start"]
    assert (await client.request("pi/state"))["name"] == "A story"
    assert api.requests[-1].body["model"] == "claude-opus-4-5"


@pytest.mark.parametrize("method", ["pi/steer", "pi/followUp"])
async def test_an_idle_agent_cannot_be_steered(
    method: str, scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    with pytest.raises(RequestFailed) as refused:
        await client.request(method, text="left")
    assert (refused.value.number, refused.value.code) == (-32011, "invalid_state")


async def test_abort_of_an_idle_agent_does_nothing(scripted: StartClient) -> None:
    client = await scripted()
    assert await client.request("pi/abort") == {"aborted": False, "steer": [], "followUp": []}


async def test_an_aborted_compaction_writes_nothing_and_gives_back_what_was_queued(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    gate = Gate()
    api.reply(gate, Text("A summary."))
    compacting = client.send_request("pi/compact")
    await gate.reached()
    await client.request("pi/steer", text="meanwhile")

    report = await client.request("pi/abort")

    assert report["aborted"] is True
    assert [item["text"] for item in report["steer"]] == ["meanwhile"]
    with pytest.raises(RequestFailed) as cancelled:
        await client.answer_to(compacting)
    assert cancelled.value.number == -32800
    assert (await client.wait_for("compaction_end"))["aborted"] is True
    entries = await client.request("pi/entries")
    assert all(entry["type"] != "compaction" for entry in entries["entries"])


async def test_an_aborted_command_is_recorded_with_what_it_printed(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    running = client.send_request("pi/bash", command="echo begun; sleep 60")
    await client.wait_for("bash_update")

    assert (await client.request("pi/abort"))["aborted"] is True

    with pytest.raises(RequestFailed) as cancelled:
        await client.answer_to(running)
    assert cancelled.value.number == -32800
    entries = (await client.request("pi/entries"))["entries"]
    message = next(entry["message"] for entry in entries if entry["type"] == "message")
    assert message["role"] == "bashExecution"
    assert message["cancelled"] is True
    assert message["output"].startswith("begun")
    api.reply(Text("I see."))
    await client.run("what did I do?")
    assert "sleep 60" in str(api.requests[-1].messages)


async def test_a_cancelled_request_loses_nothing_that_was_queued_meanwhile(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    gate = Gate()
    api.reply(gate, Text("A summary."))
    compacting = client.send_request("pi/compact")
    await gate.reached()
    await client.request("pi/steer", text="meanwhile")
    api.reply(Text("Yes?"))

    client.notify("$/cancelRequest", {"id": compacting})

    with pytest.raises(RequestFailed) as cancelled:
        await client.answer_to(compacting)
    assert cancelled.value.number == -32800
    await client.wait_for("settled")
    assert api.requests[-1].last_text == "meanwhile"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("pi/bash", {"command": "sleep 60"}),
        ("pi/compact", {}),
        ("pi/navigate", {"entryId": None, "summarize": True}),
    ],
)
async def test_a_stop_that_follows_at_once_finds_what_was_just_begun(
    method: str, params: dict[str, Any], scripted: StartClient, api: MessagesApi
) -> None:
    client = await with_history(scripted, api)
    api.otherwise(lambda _request: Reply((Gate(), Text("A summary."))))
    begun = client.send_request(method, params)
    stopped = client.send_request("pi/abort")

    assert (await client.answer_to(stopped))["aborted"] is True
    with pytest.raises(RequestFailed) as cancelled:
        await client.answer_to(begun)
    assert cancelled.value.number == -32800
    assert (await client.request("pi/state"))["phase"] == "idle"
