"""What a session has used, counted and priced by both."""

from __future__ import annotations

import json

import pytest

from tests.editor import JsonObject
from tests.messages_api import HttpError, Text, Thinking, ToolCall
from tests.pi.shared_folder import MODEL, SharedFolder, long

COUNTS = ("userMessages", "assistantMessages", "toolCalls", "toolResults", "tokens", "cost")


def used(*, plain: int, read: int = 0, written: int = 0, output: int = 10) -> JsonObject:
    """Options of a reply that reports this usage, in tokens."""
    usage = {
        "input_tokens": plain,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": output,
    }
    return {"start_usage": usage, "usage": usage}


async def counted(shared: SharedFolder) -> JsonObject:
    """What both say of a session that ends with an answer, which has to be the same."""
    ours = await (await shared.ours()).request("pi/stats")
    async with shared.pi() as pi:
        theirs = await pi.ask("get_session_stats")
    assert {name: ours[name] for name in COUNTS} == {
        **{name: theirs[name] for name in COUNTS},
        "cost": pytest.approx(theirs["cost"]),
    }
    assert ours["context"]["tokens"] == theirs["contextUsage"]["tokens"]
    return ours


async def test_everything_that_costs(who: str, shared: SharedFolder) -> None:
    async with shared.program(who) as program:
        shared.api.reply(
            Thinking("Both."),
            ToolCall("bash", {"command": "true"}),
            ToolCall("read", {"path": "no.txt"}),
            **used(plain=1000, written=500),
        )
        shared.api.reply(Text("first"), **used(plain=100, read=1500))
        await program.run(long("one"))
        shared.api.reply(HttpError(529, "overloaded_error", "Overloaded"))
        await shared.talk(program, ("two", "second"))
        shared.api.reply(HttpError(400, "invalid_request_error", "This is not taken"))
        await program.run("three")
        await shared.talk(program, (long("six"), "6"), (long("ten"), "10"))
        shared.api.reply(Text("## Goal\nTo count."), **used(plain=2000))
        await program.compact()
        shared.api.reply(Text("It led nowhere."), **used(plain=3000))
        await program.go_to(shared.entry_id("6"), summarize=True)
        await program.bash("true")
        await shared.talk(program, ("on", "and on"))

    ours = await counted(shared)

    assert (ours["userMessages"], ours["toolCalls"], ours["toolResults"]) == (6, 2, 2)
    assert ours["tokens"]["input"] > 1000 + 100 + 2000 + 3000
    assert (ours["tokens"]["cacheRead"], ours["tokens"]["cacheWrite"]) == (1500, 500)


async def test_what_tools_and_cache_warming_used_counts_too(shared: SharedFolder) -> None:
    """Entries that pi writes when a tool asked a model, and to keep a provider's cache warm."""
    async with shared.pi() as pi:
        shared.api.reply(
            Thinking("It is safe."), ToolCall("bash", {"command": "true"}), **used(plain=100)
        )
        shared.api.reply(Text("first"), **used(plain=100))
        await pi.run("one")
    usage: JsonObject = {"input": 7, "output": 5, "cacheRead": 3, "cacheWrite": 2}
    usage["cost"] = {"input": 1, "output": 1, "cacheRead": 1, "cacheWrite": 1, "total": 4}
    lines = shared.lines()
    (result,) = (one for one in lines if one.get("message", {}).get("role") == "toolResult")
    result["message"]["usage"] = usage
    warmed = {"type": "usage", "id": "abcdef01", "parentId": lines[-1]["id"], "usage": usage}
    warmed |= {"timestamp": lines[-1]["timestamp"], "kind": "cache_warm"}
    warmed |= {"provider": "anthropic", "model": MODEL}
    shared.newest.write_text("".join(json.dumps(line) + "\n" for line in [*lines, warmed]))

    ours = await counted(shared)

    assert ours["tokens"]["input"] == 2 * 100 + 2 * 7
    assert ours["cost"] > 2 * 4


async def test_answers_cost_the_same_in_both(shared: SharedFolder) -> None:
    """The last model is dearer from some length on."""
    lengths = [
        used(plain=900, read=40_000, written=3_000),
        used(plain=150_000, read=10_000, written=5_000, output=2_000),
    ]

    async def answers_of(who: str) -> list[JsonObject]:
        async with shared.program(who) as program:
            for model in (MODEL, "claude-opus-4-5", "claude-haiku-5-5"):
                await program.choose(model, "low")
                for length in lengths:
                    shared.api.reply(Text("Yes."), **length)
                    await program.run("How much?")
        messages = [line["message"] for line in shared.lines() if line["type"] == "message"]
        return [message for message in messages if message["role"] == "assistant"]

    ours = await answers_of("ours")
    await shared.end_ours()
    shared.newest.unlink()
    theirs = await answers_of("pi")

    assert len(ours) == len(theirs) == 6
    for our_answer, their_answer in zip(ours, theirs, strict=True):
        assert our_answer["model"] == their_answer["model"]
        their_usage = {key: their_answer["usage"][key] for key in our_answer["usage"]}
        their_cost = {key: their_usage["cost"][key] for key in our_answer["usage"]["cost"]}
        assert our_answer["usage"] == {**their_usage, "cost": pytest.approx(their_cost)}
