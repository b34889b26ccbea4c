"""The scripted server itself: it must notice what the real API would refuse."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.llm.anthropic.request import build
from tests.llm.words import (
    OLDER,
    READ,
    assistant,
    call,
    image,
    model,
    png,
    request,
    result,
    thought,
    user,
)
from tests.messages_api import HttpError, MessagesApi, Text, problems_of

Json = dict[str, Any]


def valid() -> Json:
    """A request with all that a request may hold."""
    return build(
        request(
            user("go", image()),
            assistant(thought("hm"), "a", call("1"), call("2"), of=OLDER),
            result("1", "one"),
            result("2", "no", error=True),
            of=model(OLDER),
            tools=[READ],
            thinking_level="low",
        )
    )


def content(body: Json, message: int) -> list[Json]:
    return body["messages"][message]["content"]


def change(body: Json, path: list[Any], value: Any) -> None:
    for step in path[:-1]:
        body = body[step]
    body[path[-1]] = value


BREACHES: dict[str, Callable[[Json], object]] = {
    "no messages": lambda b: b["messages"].clear(),
    "begins with the assistant": lambda b: b["messages"].pop(0),
    "two of one role": lambda b: b["messages"].insert(0, b["messages"][0]),
    "ends with the assistant": lambda b: b["messages"].append(
        {"role": "assistant", "content": [{"type": "text", "text": "so"}]}
    ),
    "no content": lambda b: content(b, 0).clear(),
    "blank text": lambda b: change(content(b, 0)[0], ["text"], " \n"),
    "lone surrogate": lambda b: change(content(b, 0)[0], ["text"], "\ud83d"),
    "call without result": lambda b: content(b, 2).pop(0),
    "result without call": lambda b: change(content(b, 2)[0], ["tool_use_id"], "9"),
    "result answered twice": lambda b: content(b, 2).append(content(b, 2)[0]),
    "text before results": lambda b: content(b, 2).insert(0, {"type": "text", "text": "x"}),
    "id that does not fit": lambda b: change(content(b, 1)[2], ["id"], "a|b"),
    "one id twice": lambda b: change(content(b, 1)[3], ["id"], "1"),
    "arguments that are no object": lambda b: change(content(b, 1)[2], ["input"], "x"),
    "unsigned thinking": lambda b: change(content(b, 1)[0], ["signature"], ""),
    "does not begin with thinking": lambda b: content(b, 1).pop(0),
    "thinking at the end": lambda b: content(b, 1).append(content(b, 1)[0]),
    "image in an error result": lambda b: content(b, 2)[1]["content"].append(content(b, 0)[1]),
    "wrong media type": lambda b: change(content(b, 0)[1], ["source", "media_type"], "image/gif"),
    "damaged image": lambda b: change(content(b, 0)[1], ["source", "data"], "???"),
    "huge image": lambda b: change(content(b, 0)[1], ["source", "data"], "A" * 6_000_000),
    "wide image": lambda b: change(content(b, 0)[1], ["source"], picture(9000)),
    "wide image among many": lambda b: content(b, 0).extend(
        {"type": "image", "source": picture(2500)} for _ in range(21)
    ),
    "five cache marks": lambda b: [
        change(block, ["cache_control"], {"type": "ephemeral"})
        for block in (*b["tools"], *content(b, 0), content(b, 1)[1], content(b, 2)[0])
    ],
    "no room beside the budget": lambda b: change(b, ["max_tokens"], 4096),
    "budget too small": lambda b: change(b, ["thinking", "budget_tokens"], 1000),
    "temperature with thinking": lambda b: change(b, ["temperature"], 0),
    "unknown effort": lambda b: change(b, ["output_config"], {"effort": "minimal"}),
    "calls without tools": lambda b: b.pop("tools"),
    "one tool twice": lambda b: b["tools"].append(b["tools"][0]),
}


def picture(width: int) -> Json:
    return {
        "type": "base64",
        "media_type": "image/png",
        "data": image(png(width, 1))["data"],
    }


def test_a_valid_request_has_no_problems() -> None:
    assert problems_of(valid()) == []


@pytest.mark.parametrize("breach", BREACHES)
def test_each_breach_of_the_rules_is_noticed(breach: str) -> None:
    body = copy.deepcopy(valid())
    BREACHES[breach](body)
    assert problems_of(body)


def post(url: str, body: Json, key: str = "key") -> tuple[int, str]:
    sent = urllib.request.Request(
        f"{url}/v1/messages",
        json.dumps(body).encode(),
        {"x-api-key": key, "anthropic-version": "2023-06-01"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(sent) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_request_that_breaks_a_rule_fails_the_test_that_made_it() -> None:
    def broken_request() -> None:
        with MessagesApi() as api:
            api.reply(Text("never"))
            status, answer = post(api.url, {**valid(), "messages": []})
            assert (status, json.loads(answer)["error"]["type"]) == (400, "invalid_request_error")

    with pytest.raises(AssertionError, match="at least one message"):
        broken_request()


def test_a_request_that_the_script_does_not_know_fails_the_test() -> None:
    def one_too_many() -> None:
        with MessagesApi() as api:
            post(api.url, valid())

    with pytest.raises(AssertionError, match="no reply"):
        one_too_many()


def test_replies_follow_each_other_and_then_what_answers_otherwise() -> None:
    with MessagesApi() as api:
        api.reply(Text("first"))
        api.otherwise(lambda asked: HttpError(529, "overloaded_error", asked.body["model"]))
        assert '"text": "fi"' in post(api.url, valid())[1]
        assert post(api.url, valid())[0] == 529
        assert len(api.requests) == 2


def test_only_the_right_key_is_taken() -> None:
    with MessagesApi(key="right") as api:
        api.reply(Text("yes"))
        assert post(api.url, valid(), "wrong")[0] == 401
        assert post(api.url, valid(), "right")[0] == 200


def test_another_process_plays_a_script_file(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    record = tmp_path / "record.jsonl"
    script.write_text(
        json.dumps(
            [
                {"when": "boom", "error": {"status": 529, "type": "overloaded_error"}},
                {"text": "one", "toolCalls": [{"name": "read", "arguments": {"path": "a"}}]},
            ]
        )
    )
    command = [sys.executable, "-m", "tests.messages_api", "--script", script, "--record", record]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        url = f"http://127.0.0.1:{int(process.stdout.readline())}"
        boom = {"role": "user", "content": "boom"}
        assert post(url, {**valid(), "messages": [boom], "tools": []})[0] == 529
        assert "tool_use" in post(url, valid())[1]
        assert "end_turn" in post(url, valid())[1]
        process.stdin.close()
        assert process.wait(20) == 0
    assert len(record.read_text().splitlines()) == 3
