"""How full the window is: in the state, in the statistics, and in the events."""

from __future__ import annotations

import pytest

from tests.messages_api import MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient
from tests.protocol.long_conversations import PARAGRAPH, WINDOW, start_small, talk, used


async def test_before_the_first_answer_the_figure_is_an_estimate_of_all(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    context = (await client.request("pi/state"))["context"]
    assert context["window"] == WINDOW
    assert 500 < context["tokens"] < WINDOW / 4
    assert context["percent"] == pytest.approx(100 * context["tokens"] / WINDOW, abs=0.01)


async def test_after_an_answer_it_is_what_the_service_reported(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    api.reply(Text("Yes."), **used(7000, 123))
    await client.run("Hello?")
    context = (await client.request("pi/state"))["context"]
    assert context == {"tokens": 7123, "window": WINDOW, "percent": 17.81}
    assert (await client.request("pi/stats"))["context"] == context


async def test_after_a_compaction_it_is_an_estimate_again_and_then_exact(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(Text("A long one."), **used(30_000, 100))
    await client.run(f"Question 5. {PARAGRAPH}")
    api.reply(Text("## Goal\nAnswer."))
    result = await client.request("pi/compact")
    assert result["tokensBefore"] == 30_100
    tokens = (await client.request("pi/state"))["context"]["tokens"]
    assert tokens == pytest.approx(result["estimatedTokensAfter"], rel=0.02)
    assert tokens < 10_000
    api.reply(Text("Yes."), **used(4321, 9))
    await client.run("Go on.")
    assert (await client.request("pi/state"))["context"]["tokens"] == 4330


async def test_an_answer_without_usage_is_estimated(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    none = {"input_tokens": 0, "output_tokens": 0}
    api.reply(Text("Yes."), start_usage=none, usage=none)
    await client.run(PARAGRAPH)
    assert (await client.request("pi/state"))["context"]["tokens"] > 1000


async def test_clients_hear_of_each_change(scripted: StartClient, api: MessagesApi) -> None:
    client = await start_small(scripted)
    (client.folder / "long.txt").write_text(PARAGRAPH)
    api.reply(ToolCall("read", {"path": "long.txt"}), **used(3000, 50))
    api.reply(Text("It is about a fox."), **used(4100, 20))
    await client.run("Read long.txt.")
    told = [
        one["event"]["tokens"] for one in client.events if one["event"]["type"] == "context_changed"
    ]
    assert any(3600 < tokens < 4400 for tokens in told)
    assert told[-1] == 4120
    assert (await client.request("pi/state"))["context"]["tokens"] == 4120


async def test_the_window_is_that_of_the_model_that_is_chosen(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await client.request("pi/setModel", provider="anthropic", modelId="claude-haiku-4-5")
    assert (await client.request("pi/state"))["context"]["window"] == 200_000


async def test_a_picture_counts_by_its_size(scripted: StartClient, api: MessagesApi) -> None:
    from tests.compaction.test_pictures import png

    client = await start_small(scripted)
    none = {"input_tokens": 0, "output_tokens": 0}
    api.reply(Text("Yes."), start_usage=none, usage=none)
    await client.run("Are you there?")
    before = (await client.request("pi/state"))["context"]["tokens"]
    api.reply(Text("A square."), start_usage=none, usage=none)
    await client.run("What is it?", images=[{"data": png(560, 560), "mimeType": "image/png"}])
    after = (await client.request("pi/state"))["context"]["tokens"]
    assert 400 < after - before < 450
