"""One session, handed to and fro between both programs."""

from __future__ import annotations

from tests.messages_api import Text, Thinking, ToolCall
from tests.pi.same_conversation import conversation
from tests.pi.shared_folder import SharedFolder, texts


async def test_each_takes_up_what_the_other_left(shared: SharedFolder) -> None:
    """Every request holds all that was said before, whoever sent it."""
    client = await shared.ours()
    await shared.talk(client, ("one", "first"))
    await shared.end_ours()
    async with shared.pi() as pi:
        shared.api.reply(
            Thinking("A file."), ToolCall("write", {"path": "a.txt", "content": "by pi\n"})
        )
        await shared.talk(pi, ("two", "second"))
        session_id = (await pi.ask("get_state"))["sessionId"]

    client = await shared.ours()
    shared.api.reply(Thinking("Which one?"), ToolCall("read", {"path": "a.txt"}))
    await shared.talk(client, ("three", "third"))
    shared.api.reply(Thinking("As asked."), ToolCall("bash", {"command": "rm a.txt"}))
    shared.api.reply(Text("fourth"))
    await client.run("four")
    assert (await client.request("pi/state"))["sessionId"] == session_id

    told = await shared.conversation_in_both()

    assert texts(told) == [
        *("one", "first", "two", "second", "three", "third", "four", "fourth", "And now?")
    ]
    calls = [block for message in told for block in message["content"] if "input" in block]
    assert [call["name"] for call in calls] == ["write", "read", "bash"]
    results = [block for message in told for block in message["content"] if "is_error" in block]
    assert results[1]["content"] == [{"type": "text", "text": "by pi"}]
    assert all(
        earlier == later
        for request in shared.api.requests[:-2]
        for earlier, later in zip(conversation(request), told, strict=False)
    ), "no request changes what was sent before"
    assert {line["type"] for line in shared.lines()} <= {
        *("session", "model_change", "thinking_level_change", "message")
    }
