"""Messages that wait: in order, by mode, and over a restart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.agent.events import Attachment
from pi_lsp.agent.input import UserInput
from pi_lsp.agent.queues import MessageQueues
from pi_lsp.errors import NotFoundError
from pi_lsp.messages import UserBlock


async def attach(attachment: Attachment) -> UserBlock:
    if "gone" in attachment.uri:
        raise NotFoundError("The file is gone.")
    return {"type": "text", "text": f"content of {attachment.uri}"}


def new_queues(**modes: Any) -> MessageQueues:
    return MessageQueues(lambda: None, **modes)


async def test_one_at_a_time_takes_the_oldest_and_all_takes_everything() -> None:
    queues = new_queues(follow_up_mode="all")
    for text in ("first", "second"):
        await queues.add("steer", UserInput(text), attach)
        await queues.add("followUp", UserInput(text), attach)

    assert [one.input.text for one in queues.take_steers()] == ["first"]
    assert [one.input.text for one in queues.take_steers()] == ["second"]
    assert queues.take_steers() == []
    assert [one.input.text for one in queues.take_follow_ups()] == ["first", "second"]


async def test_a_taken_back_message_is_never_delivered() -> None:
    queues = new_queues()
    item = await queues.add("steer", UserInput("never mind"), attach)

    assert queues.remove(item.id)
    assert not queues.remove(item.id)
    assert queues.take_steers() == []


async def test_every_change_is_told() -> None:
    told: list[int] = []
    queues = MessageQueues(lambda: told.append(len(queues.as_wire().steer)))

    await queues.add("steer", UserInput("a"), attach)
    await queues.add("steer", UserInput("b"), attach)
    queues.take_steers()
    queues.clear()
    queues.clear()

    assert told == [1, 2, 1, 0]


async def test_an_attachment_that_cannot_be_read_refuses_the_message() -> None:
    queues = new_queues()
    with pytest.raises(NotFoundError):
        await queues.add(
            "nextTurn", UserInput("look", [], [Attachment(uri="file:///gone")]), attach
        )
    assert queues.as_wire().next_turn == []


async def test_what_could_not_be_delivered_goes_back_to_the_head() -> None:
    queues = new_queues()
    await queues.add("steer", UserInput("second"), attach)
    taken = queues.take_steers()
    await queues.add("steer", UserInput("third"), attach)

    queues.put_back("steer", taken)

    assert [item.text for item in queues.as_wire().steer] == ["second", "third"]


async def test_next_turn_messages_wait_again_after_a_restart_and_steers_are_given_back() -> None:
    before = new_queues()
    await before.add("nextTurn", UserInput("a word for later"), attach)
    delivered = await before.add("nextTurn", UserInput("delivered"), attach)
    await before.add("steer", UserInput("left"), attach)
    await before.add("followUp", UserInput("too"), attach)

    after = new_queues()
    recovered = await after.restore(before.to_json(), {delivered.id}, attach)

    assert [item.text for item in after.as_wire().next_turn] == ["a word for later"]
    assert [item.text for item in recovered.steer] == ["left"]
    assert [item.text for item in recovered.follow_up] == ["too"]
    assert not after.has_work()


async def test_a_waiting_message_survives_the_file_that_was_attached_to_it() -> None:
    item = {"id": "1", "text": "see this", "attachments": [{"uri": "file:///gone"}]}
    queues = new_queues()

    await queues.restore({"nextTurn": [item]}, set(), attach)

    assert queues.as_wire().next_turn[0].to_wire() == item


@pytest.mark.parametrize("stored", [None, {}, {"steer": "x"}, {"nextTurn": [{"id": 3}]}])
async def test_damaged_queues_count_as_none(stored: Any) -> None:
    queues = new_queues()
    await queues.restore(stored, set(), attach)
    assert queues.as_wire().next_turn == []


@given(st.lists(st.tuples(st.sampled_from(["steer", "followUp"]), st.text(max_size=5))))
async def test_whatever_is_queued_comes_out_once_and_in_order(
    messages: list[tuple[Any, str]],
) -> None:
    queues = new_queues()
    for name, text in messages:
        await queues.add(name, UserInput(text), attach)

    steers: list[str] = []
    while taken := queues.take_steers():
        steers += [one.input.text for one in taken]
    follow_ups: list[str] = []
    while taken := queues.take_follow_ups():
        follow_ups += [one.input.text for one in taken]

    assert steers == [text for name, text in messages if name == "steer"]
    assert follow_ups == [text for name, text in messages if name == "followUp"]
