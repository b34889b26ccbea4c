"""What only the real pi writes, and how we take it up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.messages_api import HttpError, Text, Thinking, ToolCall
from tests.pi.same_conversation import missing_result
from tests.pi.shared_folder import SharedFolder, long, texts


async def test_what_extensions_write(shared: SharedFolder) -> None:
    """A note is part of the conversation, a state of theirs is not."""
    async with shared.pi() as pi:
        await shared.talk(pi, ("one", "first"))
        await pi.command("note", type="a-note", text="Mind the gap.")
        await pi.command("remember", type="a-state", data={"count": 1})

    told = texts(await shared.conversation_in_both())

    assert told == ["one", "first", "Mind the gap.", "And now?"]


async def test_what_overflowed_and_what_was_tried_again(shared: SharedFolder) -> None:
    """pi takes a failed attempt out of the context with an entry of its own kind."""
    async with shared.pi() as pi:
        await shared.talk(pi, (long("one"), "1"), (long("two"), "2"))
        shared.api.reply(HttpError(529, "overloaded_error", "Overloaded"))
        await shared.talk(pi, (long("six"), "6"))
        shared.api.reply(
            HttpError(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
        )
        shared.api.reply(Text("## Goal\nTo count."))
        await shared.talk(pi, (long("ten"), "10"))

    told = texts(await shared.conversation_in_both())

    assert told[0].startswith("[past: ## Goal\nTo count.")
    assert told[-3:] == [long("ten"), "10", "And now?"]
    assert "context_edit" in {line["type"] for line in shared.lines()}


async def test_an_open_call_of_a_pi_that_was_killed(shared: SharedFolder) -> None:
    call = ToolCall("bash", {"command": "echo begun; read line < held"}, id="call_1")
    shared.api.reply(Thinking("It is safe."), call)
    with held_fifo(shared.folder / "held"):
        async with shared.pi() as pi:
            await pi.ask("prompt", message="Run it")
            await pi.wait_for("tool_execution_update")

    told = await shared.conversation_in_both()

    assert [block["type"] for block in told[1]["content"]] == ["thinking", "tool_use"]
    assert told[2]["content"] == [missing_result("call_1"), {"type": "text", "text": "And now?"}]


@contextmanager
def held_fifo(path: Path) -> Iterator[None]:
    """A named pipe from which nothing can be read; whoever tries ends with the `with` block."""
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    try:
        yield
    finally:
        path.unlink()
        os.close(writer)
