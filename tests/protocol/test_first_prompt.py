"""A first prompt, from the request to the file."""

from __future__ import annotations

import re
from pathlib import Path

from tests.messages_api import MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient, stored


async def test_the_file_of_a_prompt_that_makes_the_model_write_a_file(
    folder: Path, scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(Text("I will."), ToolCall("write", {"path": "hello.txt", "content": "hello\n"}))
    api.reply(Text("Done."))
    client = await scripted()

    settled = await client.run("write hello into hello.txt")

    assert settled == {"type": "settled", "aborted": False, "nextTurnCount": 0}
    assert (folder / "hello.txt").read_text() == "hello\n"
    header, *entries = await stored(client)
    assert header["type"] == "session"
    assert header["version"] == 3
    assert header["cwd"] == str(folder.resolve())
    assert [entry["type"] for entry in entries] == [
        "model_change",
        "thinking_level_change",
        "message",
        "message",
        "message",
        "message",
    ]
    parents = [None, *(entry["id"] for entry in entries)]
    assert [entry["parentId"] for entry in entries] == parents[:-1]
    assert all(list(entry)[:4] == ["type", "id", "parentId", "timestamp"] for entry in entries)
    assert all(re.fullmatch(r"[0-9a-f]{8}", entry["id"]) for entry in entries)
    user, call, result, answer = (entry["message"] for entry in entries[2:])
    assert user["role"] == "user"
    assert user["content"] == [{"type": "text", "text": "write hello into hello.txt"}]
    assert call["stopReason"] == "toolUse"
    assert result["role"] == "toolResult"
    assert result["toolCallId"] == call["content"][1]["id"]
    assert result["isError"] is False
    assert answer["stopReason"] == "stop"


async def test_nothing_lies_in_the_folder_before_the_first_prompt(
    folder: Path, scripted: StartClient
) -> None:
    client = await scripted()
    await client.request("pi/setModel", provider="anthropic", modelId="claude-haiku-4-5")
    await client.request("pi/setThinkingLevel", level="low")
    await client.request("pi/state")

    assert list(folder.iterdir()) == []


async def test_the_prompt_is_on_disk_before_the_service_is_asked(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await scripted()
    lines_when_asked: list[str] = []
    state = await client.request("pi/state")

    def answer(_request: object):
        lines_when_asked.extend(Path(state["file"]).read_text().splitlines())
        from tests.messages_api import Reply

        return Reply((Text("Yes."),))

    api.reply_by(answer)
    await client.run("are you there?")

    assert "are you there?" in lines_when_asked[-1]


async def test_the_events_of_a_run_come_in_the_order_of_the_protocol(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(Text("Let me look."), ToolCall("ls", {}), ToolCall("find", {"pattern": "*"}))
    api.reply(Text("Nothing here."))
    client = await scripted()

    await client.run("what is here?")

    told = [
        one
        for one in client.event_types()
        if one not in ("message_update", "tool_execution_update", "context_changed")
        and one != "entry_appended"
    ]
    message = ["message_start", "message_end"]
    assert told[:6] == ["agent_start", "turn_start", *message, *message]
    executions, rest = told[6:10], told[10:]
    assert sorted(executions) == ["tool_execution_end"] * 2 + ["tool_execution_start"] * 2
    assert rest == [
        *(*message, *message, "turn_end", "save_point"),
        *("turn_start", *message, "turn_end", "save_point"),
        *("agent_end", "settled"),
    ]
    assert [one["seq"] for one in client.events] == list(range(1, len(client.events) + 1))


async def test_the_answer_to_the_prompt_comes_before_its_first_event(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(Text("Yes."))
    client = await scripted()
    before = len(client.received)

    await client.run("are you there?")

    first, second = client.received[before : before + 2]
    assert first["result"]["disposition"] == "started"
    assert second["params"]["event"] == {"type": "agent_start"}


async def test_the_deltas_are_the_answer(scripted: StartClient, api: MessagesApi) -> None:
    text = "A long answer with “quotes” and 🙂. " * 40
    api.reply(Text(text, pieces=100))
    client = await scripted()

    await client.run("talk")

    events = [one["event"] for one in client.events]
    deltas = [one["delta"] for one in events if one["type"] == "message_update"]
    assert "".join(deltas) == text


async def test_a_second_window_of_the_conversation_continues_it(
    scripted: StartClient, api: MessagesApi
) -> None:
    api.reply(Text("Hello!"))
    first = await scripted()
    await first.run("hello")
    lines = await stored(first)
    await first.quit()

    second = await scripted()
    assert (await second.request("pi/state"))["messageCount"] == 2
    assert await stored(second) == lines, "opening a session writes nothing"
    api.reply(Text("Yes."))
    await second.run("still there?")

    assert [message["role"] for message in api.requests[-1].messages] == [
        "user",
        "assistant",
        "user",
    ]
    types = [line["type"] for line in await stored(second)]
    assert types[-2:] == ["message", "message"]
    assert len(types) == len(lines) + 2
