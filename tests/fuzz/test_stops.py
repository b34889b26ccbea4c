"""Work that is stopped at any moment, by a cancelled request or by an abort, ends at once and
leaves nothing half done."""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path

import pytest

from tests.client import RequestFailed
from tests.editor import JsonObject
from tests.fuzz.cases import TIMEOUT, case, seeds
from tests.fuzz.conftest import StartWatched
from tests.fuzz.watched import WatchedClient
from tests.fuzz.whole import check_all_is_well, check_file, new_session
from tests.messages_api import ApiRequest, Delay, HttpError, MessagesApi, Reply, Text, ToolCall

pytestmark = pytest.mark.timeout(TIMEOUT)

CANCELLED = -32800
LONGEST_STOP_S = 10.0
"""A stop takes far less; this is so that a machine with much to do is no fault."""

COMPACTION = {"keepRecentTokens": 50}

OPERATIONS: dict[str, JsonObject] = {
    "pi/compact": {},
    "pi/navigate": {"summarize": True},
    "pi/bash": {"command": "echo begun; sleep 0.03; echo done"},
    "pi/waitForIdle": {},
    "pi/prompt": {"text": "work"},
}


class Worker:
    """A model that fails first, then calls tools twice, then answers; summaries take a while."""

    def __init__(self) -> None:
        self._asked = 0

    def __call__(self, request: ApiRequest) -> Reply | HttpError:
        if "tools" not in request.body:
            return Reply((Text("A summary."), Delay(10), Text("More of it.")))
        self._asked += 1
        if self._asked % 4 == 1:
            return HttpError(529, "overloaded_error", "Overloaded")
        if self._asked % 4 == 0:
            return Reply((Text("Done.", pieces=5),), delay_ms=1)
        calls = (ToolCall("ls"), ToolCall("bash", {"command": "sleep 0.01; echo done"}))
        return Reply((Text("I look.", pieces=5), *calls), delay_ms=1)


async def prepared(client: WatchedClient) -> str:
    """A conversation with something to compact and a branch to leave; an entry to go to."""
    await new_session(client)
    await client.run("Begin. " * 50)
    await client.run("Go on. " * 50)
    nodes = (await client.request("pi/tree", filter="user"))["nodes"]
    return nodes[-1]["id"]


def begin(client: WatchedClient, method: str, entry_id: str) -> int:
    params = OPERATIONS[method]
    if method == "pi/navigate":
        params = {**params, "entryId": entry_id}
    return client.send_request(method, params)


def types_in(file: Path) -> list[str]:
    """The types of all entries; of our own ones, the type that we gave them."""
    entries = [json.loads(line) for line in file.read_bytes().splitlines()]
    return [entry.get("customType", entry["type"]) for entry in entries]


async def usual_duration(client: WatchedClient, method: str) -> float:
    """Seconds that an operation takes when nobody stops it."""
    entry_id = await prepared(client)
    began = time.monotonic()
    await client.answer_to(begin(client, method, entry_id))
    if method == "pi/prompt":
        await client.wait_for("settled")
    return time.monotonic() - began


async def stop(client: WatchedClient, source: random.Random, message_id: int, after: float) -> None:
    """Stop what runs, once or twice, in one way or the other."""
    await asyncio.sleep(source.choice([0, source.uniform(0, after)]))
    for _ in range(source.randint(1, 2)):
        if source.random() < 0.5:
            client.notify("$/cancelRequest", {"id": message_id})
        else:
            client.send_request("pi/abort")


async def test_any_moment(start: StartWatched, api: MessagesApi) -> None:
    client = await start(settings={"compaction": COMPACTION})
    api.otherwise(lambda _request: Reply((Text("Here I am."),)))
    await client.run("Warm up.")
    api.otherwise(Worker())
    durations = {method: await usual_duration(client, method) for method in OPERATIONS}
    for seed in seeds(10):
        with case(seed) as source:
            method = source.choice(sorted(OPERATIONS))
            entry_id = await prepared(client)
            file = Path((await client.request("pi/state"))["file"])
            before = len(types_in(file))

            message_id = begin(client, method, entry_id)
            await stop(client, source, message_id, durations[method])
            answer = await ended(client, message_id)

            check_file(file)
            written = types_in(file)[before:]
            if method == "pi/navigate":
                assert ("pi-lsp.leaf" in written) == ("branch_summary" in written), written
            if method in ("pi/compact", "pi/navigate"):
                summarised = bool({"compaction", "branch_summary"} & set(written))
                assert summarised == (answer is not None), written
            api.otherwise(lambda _request: Reply((Text("Here I am."),)))
            await check_all_is_well(client)
            api.otherwise(Worker())


async def ended(client: WatchedClient, message_id: int) -> JsonObject | None:
    """The answer to what was to be stopped; None when it was stopped in time.

    A prompt is answered when it is accepted, so its run is stopped here if it was not.
    """
    began = time.monotonic()
    (answer,) = await asyncio.gather(client.answer_to(message_id), return_exceptions=True)
    if isinstance(answer, RequestFailed):
        assert answer.number == CANCELLED, answer
        answer = None
    elif isinstance(answer, BaseException):
        raise answer
    await client.request("pi/abort")
    assert (await client.request("pi/state"))["phase"] == "idle"
    assert time.monotonic() - began < LONGEST_STOP_S
    return answer
