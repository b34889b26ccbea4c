"""Steers, follow-ups and words for the next turn: who reaches the model when."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.messages_api import Gate, HttpError, MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient, stored, stored_messages, text_of


async def working(client: Client, api: MessagesApi, *then: Text | ToolCall) -> Gate:
    """Prompt, and stop in the middle of the answer."""
    gate = Gate()
    api.reply(Text("I am at it."), gate, *then)
    await client.request("pi/prompt", text="work")
    await gate.reached()
    return gate


async def queue(client: Client, **texts: list[str]) -> None:
    for name, given in texts.items():
        for text in given:
            await client.request(f"pi/{name}", text=text)


async def test_steers_go_one_per_call_and_follow_ups_wait_for_the_end(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = await working(client, api, ToolCall("ls", {}))
    await queue(client, followUp=["f1", "f2"], steer=["s1", "s2"])
    for _ in range(4):
        api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")

    assert [request.last_text for request in api.requests[1:]] == ["s1", "s2", "f1", "f2"]
    first = api.requests[1]
    assert [result["type"] for result in first.tool_results()] == ["tool_result"]
    assert client.event_types().count("agent_start") == 1


async def test_mode_all_empties_a_queue_at_once(scripted: StartClient, api: MessagesApi) -> None:
    client = await scripted(settings={"steeringMode": "all", "followUpMode": "all"})
    gate = await working(client, api)
    await queue(client, followUp=["f1", "f2"], steer=["s1", "s2"])
    api.reply(Text("ok"))
    api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")

    assert len(api.requests) == 3
    assert [block["text"] for block in api.requests[1].messages[-1]["content"]] == ["s1", "s2"]
    assert [block["text"] for block in api.requests[2].messages[-1]["content"]] == ["f1", "f2"]


async def test_a_changed_mode_counts_at_once(scripted: StartClient, api: MessagesApi) -> None:
    client = await scripted()
    gate = await working(client, api)
    await queue(client, steer=["s1", "s2"])
    modes = await client.request("pi/setQueueMode", steering="all")
    assert modes == {"steering": "all", "followUp": "one-at-a-time"}
    api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")

    assert len(api.requests) == 2


async def test_a_steer_never_skips_a_tool_call(scripted: StartClient, api: MessagesApi) -> None:
    client = await scripted()
    gate = await working(
        client,
        api,
        ToolCall("bash", {"command": "echo one > one"}),
        ToolCall("bash", {"command": "echo two > two"}),
    )
    await queue(client, steer=["stop that"])
    api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")

    assert {path.name for path in client.folder.iterdir()} >= {"one", "two"}
    results = [one["role"] for one in await stored_messages(client)]
    assert results == ["user", "assistant", "toolResult", "toolResult", "user", "assistant"]


async def test_next_turn_goes_before_the_prompt_and_only_a_prompt_takes_it(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = await working(client, api)
    await queue(client, nextTurn=["n1", "n2"], followUp=["f1"])
    api.reply(Text("ok"))
    gate.open()
    settled = await client.wait_for("settled")
    assert settled["nextTurnCount"] == 2
    assert api.requests[1].last_text == "f1"

    api.reply(Text("ok"))
    settled = await client.run("now")

    assert settled["nextTurnCount"] == 0
    users = [text_of(one) for one in await stored_messages(client) if one["role"] == "user"]
    assert users == ["work", "f1", "n1", "n2", "now"]


async def test_a_message_from_a_queue_carries_its_items_id(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = await working(client, api)
    queued = await client.request("pi/steer", text="left")
    api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")

    carrying = [line for line in await stored(client) if "queueId" in line]
    assert [(line["queueId"], line["message"]["role"]) for line in carrying] == [
        (queued["item"]["id"], "user")
    ]


async def test_a_queued_message_can_be_taken_back_until_it_is_delivered(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = await working(client, api)
    first = (await client.request("pi/steer", text="s1"))["item"]
    second = (await client.request("pi/steer", text="s2"))["item"]
    answer = await client.request("pi/unqueue", id=second["id"])
    assert answer["removed"] is True
    assert [item["text"] for item in answer["queues"]["steer"]] == ["s1"]
    api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")

    assert (await client.request("pi/unqueue", id=first["id"]))["removed"] is False
    assert len(api.requests) == 2


async def test_clearing_gives_back_steers_and_follow_ups_and_keeps_the_next_turn(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = await working(client, api)
    await queue(client, steer=["s"], followUp=["f"], nextTurn=["n"])

    cleared = await client.request("pi/clearQueue")

    assert [item["text"] for item in cleared["steer"] + cleared["followUp"]] == ["s", "f"]
    gate.open()
    assert (await client.wait_for("settled"))["nextTurnCount"] == 1
    assert len(api.requests) == 1


async def test_what_was_queued_stays_after_an_error_and_goes_out_with_the_next_run(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = Gate()
    api.reply(Text("working"), gate, ToolCall("ls", {}))
    await client.request("pi/prompt", text="work")
    await gate.reached()
    await queue(client, steer=["s1", "s2"], followUp=["f1"])
    api.reply(HttpError(400, "invalid_request_error", "no"))
    gate.open()
    settled = await client.wait_for("settled")
    assert "no" in settled["error"]
    queues = (await client.request("pi/state"))["queues"]
    assert [item["text"] for item in queues["steer"]] == ["s2"]

    for _ in range(3):
        api.reply(Text("ok"))
    await client.run("again")

    users = [text_of(one) for one in await stored_messages(client) if one["role"] == "user"]
    assert users == ["work", "s1", "again", "s2", "f1"]
    # The steer that was left came right after the prompt, in the same turn.
    assert api.requests[2].last_text.splitlines()[-2:] == ["again", "s2"]


async def test_queues_survive_the_end_of_the_server(
    scripted: StartClient, api: MessagesApi
) -> None:
    first = await scripted()
    gate = await working(first, api, ToolCall("ls", {}))
    await queue(first, steer=["s1", "s2"], followUp=["f"], nextTurn=["n"])
    held = Gate()
    api.reply(held)
    gate.open()
    await first.wait_for("save_point")
    await held.reached()
    first.kill()
    await first.exit_code()

    second = await scripted()
    state = await second.request("pi/state")

    assert [item["text"] for item in state["recovered"]["steer"]] == ["s2"]
    assert [item["text"] for item in state["recovered"]["followUp"]] == ["f"]
    assert [item["text"] for item in state["queues"]["nextTurn"]] == ["n"]
    assert state["queues"]["steer"] == []
    assert state["canContinue"] is True
    api.reply(Text("ok"))
    await second.run("on we go")
    assert "recovered" not in await second.request("pi/state")
    users = [text_of(one) for one in await stored_messages(second) if one["role"] == "user"]
    assert users == ["work", "s1", "n", "on we go"]


async def test_a_word_for_the_next_turn_alone_makes_the_file(
    scripted: StartClient, api: MessagesApi
) -> None:
    first = await scripted()
    await queue(first, nextTurn=["remember this"])
    types = [line["type"] for line in await stored(first)]
    assert types == ["session", "model_change", "thinking_level_change", "custom"]
    await first.hang_up()

    second = await scripted()
    api.reply(Text("ok"))
    await second.run("now")
    users = [text_of(one) for one in await stored_messages(second) if one["role"] == "user"]
    assert users == ["remember this", "now"]


@pytest.mark.parametrize("when_busy", ["steer", "followUp"])
async def test_a_prompt_says_what_to_do_when_the_agent_is_busy(
    when_busy: str, scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    gate = await working(client, api)
    answer = await client.request("pi/prompt", text="more", whenBusy=when_busy)
    assert answer["disposition"] == "queued"
    api.reply(Text("ok"))
    gate.open()
    await client.wait_for("settled")
    assert api.requests[-1].last_text == "more"

    api.reply(Text("ok"))
    idle = await client.request("pi/prompt", text="idle now", whenBusy=when_busy)
    assert idle["disposition"] == "started"
    await client.wait_for("settled")


async def test_what_is_queued_during_an_answer_survives_a_kill(
    scripted: StartClient, api: MessagesApi
) -> None:
    first = await scripted()
    await working(first, api)
    await queue(first, steer=["s"], followUp=["f"], nextTurn=["n"])
    first.kill()
    await first.exit_code()

    state = await (await scripted()).request("pi/state")

    assert [item["text"] for item in state["recovered"]["steer"]] == ["s"]
    assert [item["text"] for item in state["recovered"]["followUp"]] == ["f"]
    assert [item["text"] for item in state["queues"]["nextTurn"]] == ["n"]
