"""A service that sends whatever it likes: the answer is right, or said to be wrong, and the
session stays whole."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.client import JsonObject
from tests.fuzz.cases import TIMEOUT, case, seeds
from tests.fuzz.conftest import StartWatched
from tests.fuzz.watched import WatchedClient
from tests.fuzz.whole import check_all_is_well, new_session
from tests.messages_api import ApiRequest, MessagesApi, Reply, Text, Thinking, ToolCall, Wire
from tests.messages_api.mutations import MutatedReply, dressed, spoiled

pytestmark = pytest.mark.timeout(TIMEOUT)

PATIENCE = 20.0
"""Seconds after which a run that should end by itself hangs."""


def good_reply(source: random.Random) -> Reply:
    """Some answer that is as it should be."""
    pieces = source.randint(1, 6)
    parts: list[Text | Thinking | ToolCall] = []
    if source.random() < 0.3:
        parts.append(Thinking("Let me think: 1 < 2 → é, 漢字, 🙂.", pieces=pieces))
    if source.random() < 0.8:
        text = source.choice(["Here I am.", 'né 漢字 🙂 \\ " \n\r\n data: x\n\n', "word " * 500])
        parts.append(Text(text, pieces=pieces, in_start=source.choice([0, 0, 3])))
    for _ in range(source.choice([0, 0, 1, 3]) if parts else 1):
        name, arguments = source.choice(
            [
                ("ls", {}),
                ("read", {"path": "a.txt"}),
                ("grep", {"pattern": "t[wx]o", "ignoreCase": True}),
                ("write", {"path": "made.txt", "content": "né\n" * 50}),
            ]
        )
        whole = source.random() < 0.2
        parts.append(ToolCall(name, dict(arguments), pieces=pieces, whole_in_start=whole))
    return Reply(tuple(parts))


def good_answer(_request: ApiRequest) -> Reply:
    return Reply((Text("Here I am."),))


def content_of(message: JsonObject) -> list[JsonObject]:
    """What an answer says; the ids of its calls are the service's."""
    return [{**block, "id": ""} for block in message["content"]]


async def answer_to(client: WatchedClient, text: str) -> JsonObject:
    """The first message that a model gives to a prompt."""
    settled = await client.run(text)
    assert "error" not in settled, settled
    messages = (await client.request("pi/messages"))["messages"]
    return next(one["message"] for one in messages if one["message"]["role"] == "assistant")


async def test_what_means_nothing_changes_nothing(start: StartWatched, api: MessagesApi) -> None:
    client = await start()
    api.otherwise(good_answer)
    for seed in seeds(60):
        with case(seed) as source:
            reply, sent = good_reply(source), list[MutatedReply]()

            def script(request: ApiRequest) -> Wire:
                sent.append(dressed(reply, request, source))  # noqa: B023
                return sent[-1].wire  # noqa: B023

            await new_session(client)
            api.reply_by(lambda _request: reply)  # noqa: B023
            plain = await answer_to(client, "talk")
            await new_session(client)
            api.reply_by(script)
            strange = await answer_to(client, "talk")

            assert content_of(strange) == content_of(plain), sent[0].done
            assert strange["stopReason"] == plain["stopReason"], sent[0].done
            told = [one["event"] for one in client.events]
            retries = [event["error"] for event in told if event["type"] == "retry_start"]
            assert retries == [], sent[0].done
            client.check()


async def test_what_is_wrong_is_survived(start: StartWatched, api: MessagesApi) -> None:
    client = await start()
    for seed in seeds(60):
        with case(seed) as source:
            await try_spoiled(client, api, source)


async def try_spoiled(client: WatchedClient, api: MessagesApi, source: random.Random) -> None:
    """A run whose first answer, or each answer, is spoiled; then one that is not."""
    wrong, sent = source.choice([1, 1, 2, 100]), list[MutatedReply]()
    endless = asyncio.Event()
    loop = asyncio.get_running_loop()

    def script(request: ApiRequest) -> Wire | Reply:
        if len(sent) >= wrong:
            return good_answer(request)
        sent.append(spoiled(good_reply(source), request, source))
        if not sent[-1].ends:
            loop.call_soon_threadsafe(endless.set)
        return sent[-1].wire

    await new_session(client)
    api.otherwise(script)
    try:
        await client.request("pi/prompt", text="talk")
        settled = asyncio.ensure_future(client.wait_for("settled", timeout=PATIENCE))
        stuck = asyncio.ensure_future(endless.wait())
        await asyncio.wait([settled, stuck], return_when=asyncio.FIRST_COMPLETED)
        if not settled.done():
            await asyncio.sleep(source.choice([0, 0.01, 0.1]))
            await client.request("pi/abort")
        stuck.cancel()
        await settled
        api.otherwise(good_answer)
        await check_all_is_well(client)
    except Exception as error:
        raise AssertionError(f"{error!r} after {[one.done for one in sent]}") from error
