"""A branch that was switched here is the branch that pi opens, and the other way round."""

from __future__ import annotations

from tests.pi.rpc import Pi
from tests.pi.same_conversation import conversation
from tests.pi.shared_folder import SharedFolder, texts


async def said(pi: Pi) -> list[str]:
    """The texts of the conversation that pi has open."""
    messages = (await pi.ask("get_messages"))["messages"]
    return [one["content"][0]["text"] for one in messages if one["role"] != "system"]


async def test_pi_opens_the_branch_that_was_switched_to(shared: SharedFolder) -> None:
    """Also when our server was killed right after it."""
    client = await shared.ours()
    await shared.talk(client, ("one", "first"), ("two", "second"))
    first = shared.entry_id("first")
    await client.request("pi/navigate", entryId=first, label="back here")
    await client.request("pi/renameSession", name="Switched")
    await shared.end_ours(kill=True)

    async with shared.pi() as pi:
        assert await said(pi) == ["one", "first"]
        assert (await pi.ask("get_state"))["sessionName"] == "Switched"
        assert await pi.labels() == {first: "back here"}
        await shared.talk(pi, ("three", "third"))
    assert texts(conversation(shared.api.requests[-1])) == ["one", "first", "three"]

    client = await shared.ours()
    nodes = (await client.request("pi/tree"))["nodes"]
    assert [(one["text"], one["onPath"]) for one in nodes] == [
        *(("one", True), ("first", True), ("two", False), ("second", False)),
        *(("three", True), ("third", True)),
    ]
    parents = {one["text"]: one["parentId"] for one in nodes}
    assert parents["three"] == parents["two"] == first
    assert texts(await shared.conversation_in_both()) == [
        *("one", "first", "three", "third", "And now?")
    ]


async def test_the_last_switch_counts(shared: SharedFolder) -> None:
    """To the end of another branch, and to before the first message, too."""
    client = await shared.ours()
    await shared.talk(client, ("one", "first"), ("two", "second"))
    second = shared.entry_id("second")
    await client.request("pi/navigate", entryId=shared.entry_id("first"))
    await shared.talk(client, ("three", "third"))
    await client.request("pi/navigate", entryId=second)
    assert texts(await shared.conversation_in_both()) == [
        *("one", "first", "two", "second", "And now?")
    ]

    await client.request("pi/navigate", entryId=None)
    assert texts(await shared.conversation_in_both()) == ["And now?"]


async def test_pi_forgets_its_own_switch_when_nothing_was_said_after_it(
    shared: SharedFolder,
) -> None:
    """It writes none (session-file.md), so both open where it was last said something."""
    async with shared.pi() as pi:
        await shared.talk(pi, ("one", "first"), ("two", "second"))
        await pi.command("navigate", id=shared.entry_id("first"))
        assert await said(pi) == ["one", "first"]

    assert texts(await shared.conversation_in_both())[-3:] == ["two", "second", "And now?"]


async def test_both_have_the_session_open(shared: SharedFolder) -> None:
    """What pi appends meanwhile is taken in before we go on, and in the open window too."""
    client = await shared.ours()
    await shared.talk(client, ("one", "first"))
    async with shared.pi() as pi:
        await shared.talk(pi, ("two", "second"))
        await shared.talk(client, ("three", "third"))
        assert texts(conversation(shared.api.requests[-1])) == [
            *("one", "first", "two", "second", "three")
        ]
        await shared.talk(pi, ("four", "fourth"))
        assert texts(conversation(shared.api.requests[-1])) == [
            *("one", "first", "two", "second", "four")
        ], "pi does not read what is appended"
    nodes = (await client.request("pi/tree"))["nodes"]
    assert [one["text"] for one in nodes if one["onPath"]] == [
        *("one", "first", "two", "second", "three", "third")
    ], "what does not continue from our leaf is another branch"
    assert len(nodes) == 8
