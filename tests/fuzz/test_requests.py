"""Requests with any params, ids and cancellations: each is answered, and nothing breaks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.editor import JsonObject
from tests.fuzz.cases import TIMEOUT, case, seeds
from tests.fuzz.conftest import StartWatched
from tests.fuzz.params import METHOD_NAMES, ParamsMaker
from tests.fuzz.watched import WatchedClient
from tests.fuzz.whole import check_all_is_well, new_session
from tests.messages_api import ApiRequest, Delay, HttpError, MessagesApi, Reply, Text, ToolCall

pytestmark = pytest.mark.timeout(TIMEOUT)

REQUESTS_PER_CASE = 30


def some_answer(source: random.Random) -> Any:
    """A model that talks, calls tools, is slow, and fails."""

    def script(request: ApiRequest) -> Reply | HttpError:
        if "tools" not in request.body:
            return Reply((Text("A summary."), Delay(source.choice([0, 20]))))
        return source.choice(
            [
                Reply((Text("Here I am."),)),
                Reply((Text("Slowly", pieces=6),), delay_ms=5),
                Reply((Text("I look."), ToolCall("ls", {}), ToolCall("read", {"path": "a.txt"}))),
                Reply((ToolCall("bash", {"command": "sleep 0.02; echo done"}),)),
                HttpError(529, "overloaded_error", "Overloaded"),
                HttpError(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
            ]
        )

    return script


async def what_exists(client: WatchedClient, folder: Path) -> dict[str, list[Any]]:
    """Values that mean something in this folder, by the member that takes them."""
    entries = [one["id"] for one in (await client.request("pi/entries"))["entries"]]
    sessions = [one["sessionId"] for one in (await client.request("pi/sessions"))["sessions"]]
    ids = [*entries[-8:], "no-such-entry"]
    return {
        **dict.fromkeys(["entryId", "at", "since", "before", "leafId"], ids),
        "sessionId": [*sessions[:4], "no-such-session"],
        "workspace": [*[folder.as_uri()] * 9, folder.as_uri() + "/", "file:///elsewhere", "x", ""],
        "path": [
            "out.html",
            str(folder / "out.md"),
            str(folder),
            "a\0b",
            "",
            "no/such/out.jsonl",
            "~nobody/x",
            "y" * 300,
        ],
        "uri": [
            (folder / "a.txt").as_uri(),
            "file:///no/such.txt",
            "http://x/",
            "",
            "a b",
            "pi:/x",
        ],
        "provider": ["anthropic", "demo", "nobody"],
        "modelId": ["claude-sonnet-4-5", "demo", "nothing"],
        "key": ["another-key", "", "né", "a\nb"],
        "timeoutMs": [0, 1, 50, -1],
        "limit": [0, 1, 5, -1],
        "mimeType": ["image/png", "text/plain", ""],
        "data": ["AAAA", "no base64 !", ""],
        "trusted": [True],
    }


async def send_requests(client: WatchedClient, maker: ParamsMaker) -> dict[int | str, int]:
    """Send many requests at once; how often each id was used."""
    source = maker.source
    asked: dict[int | str, int] = {}
    for number in range(REQUESTS_PER_CASE):
        message_id: int | str = f"fuzz-{number}"
        if source.random() < 0.1:
            message_id = f"fuzz-{source.randrange(number + 1)}"
        elif source.random() < 0.1:
            message_id = -number - 1
        method = source.choice(METHOD_NAMES)
        message = {"jsonrpc": "2.0", "id": message_id, "method": method}
        params = maker.params(method)
        if source.random() < 0.05:
            method = "workspace/executeCommand"
            command = "pi-lsp." + source.choice(METHOD_NAMES).removeprefix("pi/")
            params = {"command": command, "arguments": source.choice([[], [{}], [7], [params, 1]])}
            if command == "pi-lsp.bash":
                params["arguments"] = []
            message["method"] = method
        client.send({**message, "params": params} if params is not None else message)
        asked[message_id] = asked.get(message_id, 0) + 1
        if source.random() < 0.3:
            client.notify("$/cancelRequest", {"id": source.choice([*asked, None, [], 99])})
        if source.random() < 0.05:
            answer: JsonObject = {"jsonrpc": "2.0", "id": source.choice([*asked, "pi-1", "pi-2"])}
            client.send({**answer, source.choice(["result", "error"]): source.choice([None, 1])})
        if source.random() < 0.1:
            await client.request("pi/abort")
    return asked


async def test_any_params_ids_and_cancellations(
    start: StartWatched, api: MessagesApi, folder: Path
) -> None:
    client = await start(settings={"compaction": {"keepRecentTokens": 50}})
    for seed in seeds(14):
        with case(seed) as source:
            api.otherwise(some_answer(source))
            await new_session(client)
            await client.run("Begin. " * 50)
            maker = ParamsMaker(source, await what_exists(client, folder))

            asked = await send_requests(client, maker)
            await client.answered_all(asked)
            api.otherwise(lambda _request: Reply((Text("Here I am."),)))
            await check_all_is_well(client)
