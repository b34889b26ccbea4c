"""What one program wrote, both take up: the request that follows is the same conversation.

Each story is told once with our server and once with the real pi.
"""

from __future__ import annotations

import base64

import pytest

from tests.llm.words import png
from tests.messages_api import Gate, HttpError, Redacted, Text, Thinking, ToolCall
from tests.pi.same_conversation import conversation
from tests.pi.shared_folder import (
    ADAPTIVE,
    LONGEST_ANSWER,
    MODEL,
    SETTINGS,
    SharedFolder,
    long,
    texts,
)

OTHER = {"ours": "pi", "pi": "ours"}


@pytest.mark.parametrize("model", [MODEL, ADAPTIVE])
async def test_turns_with_thinking_tools_and_pictures(
    model: str, who: str, shared: SharedFolder
) -> None:
    shared.keep("settings.json", {**SETTINGS, "defaultModel": model})
    picture = png(8, 8)
    (shared.folder / "picture.png").write_bytes(picture)
    (shared.folder / "a.txt").write_text("one\ntwo\n")
    shared.api.reply(
        Thinking("All at once."),
        Redacted("aGlkZGVu"),
        Text("Let me look."),
        ToolCall("read", {"path": "a.txt"}),
        ToolCall("bash", {"command": "echo out; exit 3"}),
        ToolCall("read", {"path": "picture.png"}),
    )
    edit = {"path": "a.txt", "edits": [{"oldText": "two", "newText": "three"}]}
    shared.api.reply(
        Thinking("Now that."), ToolCall("edit", edit), ToolCall("read", {"path": "no.txt"})
    )
    shared.api.reply(Thinking("Done."), Text("It is done."))
    async with shared.program(who) as program:
        await program.run("Look at a.txt, and change it", picture=picture)

    told = await shared.conversation_in_both()

    data = base64.b64encode(picture).decode()
    assert shared.api.requests[-1].body["model"] == model
    assert told[0]["content"][-1]["source"]["data"] == data
    assert [block["type"] for block in told[1]["content"]] == [
        *("thinking", "redacted_thinking", "text", "tool_use", "tool_use", "tool_use")
    ]
    results = [block for message in told for block in message["content"] if "is_error" in block]
    assert [block["is_error"] for block in results] == [False, True, False, False, True]
    assert results[2]["content"][-1]["source"]["data"] == data
    assert texts(told)[-2:] == ["It is done.", "And now?"]


async def test_a_compaction_and_the_other_compacts_once_more(
    who: str, shared: SharedFolder
) -> None:
    async with shared.program(who) as program:
        await shared.talk(program, (long("one"), "1"), (long("two"), "2"), (long("six"), "6"))
        shared.api.reply(Text("## Goal\nTo count."))
        await program.compact()

    told = texts(await shared.conversation_in_both())
    assert told[0].startswith("[past: ## Goal\nTo count.")
    assert long("one") not in told
    assert told[-3:] == [long("six"), "6", "And now?"]

    async with shared.program(OTHER[who]) as program:
        await shared.talk(program, (long("ten"), "10"))
        shared.api.reply(Text("## Goal\nTo count on."))
        await program.compact()
    assert "To count." in shared.api.requests[-1].last_text, "the summary is updated"

    told = texts(await shared.conversation_in_both())
    assert told[0].startswith("[past: ## Goal\nTo count on.")
    assert told[-3:] == [long("ten"), "10", "And now?"]


async def test_a_branch_with_a_label_a_name_and_a_summary_of_what_was_left(
    who: str, shared: SharedFolder
) -> None:
    async with shared.program(who) as program:
        await shared.talk(program, ("one", "first"), ("two", "second"))
        first = shared.entry_id("first")
        await program.set_label(first, "turned here")
        shared.api.reply(Text("It led nowhere."))
        await program.go_to(first, summarize=True)
        await shared.talk(program, ("three", "third"))
        await program.rename("Counting")

    told = texts(await shared.conversation_in_both())

    assert told[:2] == ["one", "first"]
    assert told[2].startswith("[branch: ")
    assert "It led nowhere." in told[2]
    assert told[3:] == ["three", "third", "And now?"]
    async with shared.program(OTHER[who]) as program:
        assert await program.name() == "Counting"
        assert await program.labels() == {first: "turned here"}


async def test_a_fork_and_a_clone_of_it(who: str, shared: SharedFolder) -> None:
    async with shared.program(who) as program:
        await shared.talk(program, (long("one"), "1"), (long("two"), "2"), (long("six"), "6"))
        shared.api.reply(Text("## Goal\nTo count."))
        await program.compact()
        await shared.talk(program, ("three", "third"), ("four", "fourth"))
        third = shared.entry_id("third")
        await program.set_label(third, "here")
        original = shared.newest
        shared.time_passes()
        await program.fork(shared.entry_id("four"))
        await shared.talk(program, ("five", "fifth"))
        assert shared.lines()[0]["parentSession"] == str(original)
        fork = shared.newest
        shared.time_passes()
        await program.clone()
        await shared.talk(program, ("seven", "seventh"))
        assert shared.lines()[0]["parentSession"] == str(fork)
        session_id = await program.session_id()

    told = texts(await shared.conversation_in_both())

    assert told[0].startswith("[past: ## Goal\nTo count.")
    assert told[-7:] == ["three", "third", "five", "fifth", "seven", "seventh", "And now?"]
    async with shared.program(OTHER[who]) as program:
        assert await program.session_id() == session_id
        assert await program.labels() == {third: "here"}


async def test_answers_that_were_cut_off_or_failed_and_commands_of_the_person(
    who: str, shared: SharedFolder
) -> None:
    async with shared.program(who) as program:
        shared.api.reply(Text("first"), stop_reason="max_tokens", usage=LONGEST_ANSWER)
        await program.run("one")
        shared.api.reply(HttpError(400, "invalid_request_error", "This is not taken"))
        await program.run("two")
        await program.bash("echo seen; exit 3")
        await program.bash("echo hidden", hidden=True)
        await program.bash("true")

    told = await shared.conversation_in_both()

    assert texts(told) == ["one", "first", "two", "And now?"]
    assert told[-1]["content"][1:3] == [
        {"type": "command", "command": "echo seen; exit 3", "output": "seen", "code": "3"},
        {"type": "command", "command": "true", "output": None, "code": None},
    ]


async def test_of_an_answer_that_was_stopped_only_we_send_the_text(
    who: str, shared: SharedFolder
) -> None:
    """pi leaves it out; agent.md keeps what is complete of it, as the person has read it.

    Neither sends a call that was in it, nor a result for that.
    """
    gate = Gate()
    call = ToolCall("bash", {"command": "touch ran"})
    async with shared.program(who) as program:
        shared.api.reply(Thinking("Say what?"), Text("Half of it."), call, gate)
        await program.begin("Say it")
        await gate.reached()
        await program.stop()

    theirs, ours = await shared.next_requests()

    assert texts(conversation(ours)) == ["Say it", "Half of it.", "And now?"]
    assert texts(conversation(theirs)) == ["Say it", "And now?"]
    for request in await shared.next_requests():
        assert request.tool_results() == []
    assert not (shared.folder / "ran").exists()


async def test_the_model_and_the_thinking_level(who: str, shared: SharedFolder) -> None:
    async with shared.program(who) as program:
        shared.api.reply(Thinking("By the first."), Text("first"))
        await program.run("one")
        await program.choose("claude-haiku-4-5", "off")

    told = await shared.conversation_in_both()

    assert shared.api.requests[0].body["model"] == MODEL
    assert shared.api.requests[-1].body["model"] == "claude-haiku-4-5"
    assert [block["type"] for block in told[1]["content"]] == ["text"], "another model's thinking"
