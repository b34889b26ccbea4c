"""Compacting a conversation: by hand, and by itself when it gets long."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client import RequestFailed
from tests.messages_api import MessagesApi, Text, ToolCall
from tests.protocol.conftest import StartClient
from tests.protocol.long_conversations import (
    PARAGRAPH,
    WINDOW,
    asks_for_summary,
    compactions_of,
    entries_of,
    events_of,
    start_small,
    talk,
    used,
)


async def test_by_hand_the_old_part_is_summarised_and_the_recent_part_kept(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(Text("## Goal\nAnswer the questions."), **used(4000, 50))
    result = await client.request("pi/compact", instructions="keep the numbers")

    request = api.requests[5]
    assert asks_for_summary(request)
    assert "Question 0" in request.last_text
    assert "Question 4" not in request.last_text
    assert "keep the numbers" in request.last_text
    assert request.tool_names == []
    assert "cache_control" not in str(request.body)

    assert result["summary"] == "## Goal\nAnswer the questions."
    assert result["estimatedTokensAfter"] < result["tokensBefore"]
    (entry,) = compactions_of(client)
    assert entry == entries_of(client)[-1]
    assert entry["id"] == result["entryId"]
    assert entry["firstKeptEntryId"] == result["firstKeptEntryId"]
    assert entry["tokensBefore"] == result["tokensBefore"]
    assert entry["usage"]["input"] == 4000
    assert entry["details"] == {"readFiles": [], "modifiedFiles": []}

    api.reply(Text("Yes."))
    await client.run("Are you still there?")
    sent = api.requests[6].texts()
    assert "Answer the questions." in sent[0]
    assert not any("Question 0" in text for text in sent)
    assert any("Question 4" in text for text in sent)


async def test_what_happens_is_told(scripted: StartClient, api: MessagesApi) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(Text("## Goal\nAnswer."))
    result = await client.request("pi/compact")
    assert (await client.wait_for("compaction_start"))["reason"] == "manual"
    appended = await client.wait_for("entry_appended")
    assert appended["entry"]["id"] == result["entryId"]
    ended = await client.wait_for("compaction_end")
    assert ended["result"] == result
    assert ended["aborted"] is False
    assert "error" not in ended
    assert (await client.request("pi/state"))["phase"] == "idle"


async def test_the_compaction_stands_in_the_tree_the_exports_and_the_totals(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    before = (await client.request("pi/stats"))["tokens"]
    api.reply(Text("## Goal\nA summary to find again."), **used(4000, 50))
    result = await client.request("pi/compact")
    nodes = (await client.request("pi/tree"))["nodes"]
    assert nodes[-1]["id"] == result["entryId"]
    assert nodes[-1]["type"] == "compaction"
    assert len([node for node in nodes if node["type"] == "message"]) == 10
    for kind in ("markdown", "html"):
        exported = await client.request("pi/export", format=kind)
        text = Path(exported["path"]).read_text("utf-8")
        assert "A summary to find again." in text
        assert "Question 0" in text
    after = (await client.request("pi/stats"))["tokens"]
    assert after["input"] == before["input"] + 4000
    assert after["output"] == before["output"] + 50


async def test_nothing_to_compact_is_an_error_and_writes_nothing(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 1, "")
    before = entries_of(client)
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/compact")
    assert refused.value.code == "nothing_to_compact"
    assert entries_of(client) == before
    assert len(api.requests) == 1
    assert events_of(client, "compaction_start") == []


async def test_a_compaction_right_after_a_compaction_has_nothing_to_do(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(Text("## Goal\nAnswer."))
    await client.request("pi/compact")
    with pytest.raises(RequestFailed) as refused:
        await client.request("pi/compact")
    assert refused.value.code == "nothing_to_compact"
    assert len(compactions_of(client)) == 1


async def test_the_second_compaction_takes_in_what_the_first_one_kept(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 5)
    api.reply(Text("## Goal\nThe first summary."))
    await client.request("pi/compact")
    await talk(client, api, 3, f"Again. {PARAGRAPH}")
    api.reply(Text("## Goal\nThe second summary."))
    await client.request("pi/compact")
    prompt = api.requests[-1].last_text
    assert "<previous-summary>\n## Goal\nThe first summary.\n</previous-summary>" in prompt
    assert "Question 4. The quick" in prompt
    assert "Question 0. The quick" not in prompt
    assert "Question 0. Again" in prompt
    api.reply(Text("Fine."))
    await client.run("And now?")
    first = api.requests[-1].texts()[0]
    assert "The second summary." in first
    assert "The first summary." not in first


async def test_files_that_were_read_and_changed_are_listed_over_all_compactions(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    (client.folder / "a.txt").write_text("a")
    api.reply(
        ToolCall("read", {"path": "a.txt"}), ToolCall("write", {"path": "b.txt", "content": "b"})
    )
    api.reply(Text("Done."))
    await client.run(f"Copy a to b. {PARAGRAPH}")
    await talk(client, api, 4)
    api.reply(Text("## Goal\nCopy."))
    first = await client.request("pi/compact")
    assert "<read-files>\na.txt\n</read-files>" in first["summary"]
    assert "<modified-files>\nb.txt\n</modified-files>" in first["summary"]
    await talk(client, api, 4)
    api.reply(Text("## Goal\nCopy, then talk."))
    second = await client.request("pi/compact")
    assert "<modified-files>\nb.txt\n</modified-files>" in second["summary"]
    details = compactions_of(client)[-1]["details"]
    assert details == {"readFiles": ["a.txt"], "modifiedFiles": ["b.txt"]}


async def test_a_turn_that_is_split_gets_two_summaries_one_after_the_other(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    (client.folder / "long.txt").write_text(PARAGRAPH)
    await talk(client, api, 2)
    for _ in range(4):
        api.reply(ToolCall("read", {"path": "long.txt"}))
    api.reply(Text("Read four times."))
    await client.run("Read long.txt four times.")
    api.reply(Text("The history."))
    api.reply(Text("The turn so far."))
    result = await client.request("pi/compact", instructions="keep the numbers")
    history, turn = api.requests[-2:]
    assert "Question 1" in history.last_text
    assert "four times" not in history.last_text
    assert "Read long.txt four times." in turn.last_text
    assert "keep the numbers" in history.last_text
    assert "keep the numbers" in turn.last_text
    assert result["summary"].index("The history.") < result["summary"].index("The turn so far.")
    api.reply(Text("Yes."))
    await client.run("Still there?")
    assert all("content" in one for one in api.requests[-1].tool_results())


async def test_before_a_prompt_a_context_over_the_threshold_is_compacted_first(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    await client.request("pi/setAutoCompaction", enabled=False)
    api.reply(Text("A long answer."), **used(WINDOW - 1000, 500))
    await client.run(f"Question 4. {PARAGRAPH}")
    await client.request("pi/setAutoCompaction", enabled=True)
    api.reply(Text("## Goal\nAnswer."))
    api.reply(Text("Yes."))
    await client.run("Go on.")
    assert [one["reason"] for one in events_of(client, "compaction_start")] == ["threshold"]
    assert [asks_for_summary(request) for request in api.requests[5:]] == [True, False]
    assert "Go on." in api.requests[-1].last_text
    kinds = [entry["type"] for entry in entries_of(client)[-3:]]
    assert kinds == ["message", "compaction", "message"]


async def test_between_turns_a_result_that_fills_the_window_is_compacted_away(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    (client.folder / "long.txt").write_text(PARAGRAPH)
    await talk(client, api, 4)
    api.reply(ToolCall("read", {"path": "long.txt"}), **used(WINDOW - 1000, 500))
    api.reply(Text("## Goal\nAnswer."))
    api.reply(Text("It is about a fox."))
    settled = await client.run("What is long.txt about?")
    assert "error" not in settled
    assert [asks_for_summary(request) for request in api.requests[5:]] == [True, False]
    assert len(api.requests[-1].tool_results()) == 1
    assert [entry["type"] for entry in entries_of(client)[-3:]] == [
        "message",
        "compaction",
        "message",
    ]


async def test_after_the_last_turn_the_threshold_is_looked_at_once_more(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(Text("A complete answer."), **used(WINDOW + 500, 500))
    api.reply(Text("## Goal\nAnswer."))
    settled = await client.run("Question 4.")
    assert "error" not in settled
    assert entries_of(client)[-1]["type"] == "compaction"
    types = client.event_types()
    assert types.index("agent_end") < types.index("compaction_start") < types.index("settled", -1)


async def test_usage_from_before_a_compaction_starts_no_second_one(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted)
    await talk(client, api, 4)
    api.reply(Text("A complete answer."), **used(WINDOW - 1000, 500))
    api.reply(Text("## Goal\nAnswer."))
    await client.run("Question 4.")
    assert len(compactions_of(client)) == 1
    await talk(client, api, 2, "")
    assert len(compactions_of(client)) == 1


async def test_over_the_threshold_with_nothing_to_compact_the_run_goes_on_unhindered(
    scripted: StartClient, api: MessagesApi
) -> None:
    tiny = {"provider": "anthropic", "id": "claude-small", "contextWindow": 1000, "maxTokens": 200}
    client = await start_small(scripted, models=[tiny])
    api.reply(Text("Yes."), **used(900))
    settled = await client.run("Is there room?")
    assert "error" not in settled
    assert events_of(client, "compaction_start") == []


async def test_switched_off_nothing_is_compacted_by_itself(
    scripted: StartClient, api: MessagesApi
) -> None:
    client = await start_small(scripted, compaction={"enabled": False})
    assert (await client.request("pi/state"))["autoCompaction"] is False
    await talk(client, api, 2)
    api.reply(Text("Long."), **used(WINDOW - 100, 50))
    await client.run("Question 2.")
    assert compactions_of(client) == []


async def test_the_demo_model_compacts_too(start: StartClient) -> None:
    small = {"provider": "demo", "id": "demo", "contextWindow": 20_000, "maxTokens": 4000}
    client = await start(settings={"models": [small], "compaction": {"keepRecentTokens": 500}})
    for number in range(4):
        await client.run(f"Question {number}. {PARAGRAPH}")
    result = await client.request("pi/compact")
    assert "## Goal" in result["summary"]
    assert "Question 0" in result["summary"]
    assert "## Next Steps" in result["summary"]
