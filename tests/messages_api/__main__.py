"""Runs the server for tests in another process: `python -m tests.messages_api --script FILE`.

The first line of standard output is the port; the server ends with standard input.

The script is a JSON object or a list of replies. A reply has any of `thinking`, `text`,
`toolCalls` ([{name, arguments}]), `stopReason`, `usage`, `pieces` (deltas per block), `delayMs`
(between events), `hang` (true: never ends), `cut` (true: the connection breaks off), `error`
({status, type, message, headers}); replies follow each other. A reply with `when` (a regular
expression on the last user message) is no part of that order and is given each time it fits.
As an object: `{"replies": [...], "otherwise": {...}}`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.messages_api.parts import Cut, Gate, HttpError, Part, Reply, Text, Thinking, ToolCall
from tests.messages_api.requests import ApiRequest
from tests.messages_api.server import Answer, MessagesApi

Json = dict[str, Any]


class FileScript:
    """The replies of a script file."""

    def __init__(self, content: Json | list[Json]) -> None:
        described: Json = {"replies": content} if isinstance(content, list) else content
        self._rules = [one for one in described["replies"] if "when" in one]
        self._order = iter([one for one in described["replies"] if "when" not in one])
        self._otherwise: Json = described.get("otherwise", {"text": "The script has ended."})

    def __call__(self, request: ApiRequest) -> Answer:
        for rule in self._rules:
            if re.search(rule["when"], request.last_text):
                return _answer(rule)
        return _answer(next(self._order, self._otherwise))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--record", type=Path, help="write each request to this file, a line each")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", help="the only key that is taken")
    arguments = parser.parse_args()
    script = FileScript(json.loads(arguments.script.read_text(encoding="utf-8")))

    def answer(request: ApiRequest) -> Answer:
        if arguments.record:
            with arguments.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(request.body) + "\n")
        return script(request)

    api = MessagesApi(strict=False, port=arguments.port, key=arguments.key)
    api.otherwise(answer)
    api.start()
    print(api.port, flush=True)
    sys.stdin.read()
    api.stop()
    for problem in api.problems:
        print(problem, file=sys.stderr)


def _answer(reply: Json) -> Answer:
    if "error" in reply:
        error = reply["error"]
        return HttpError(
            error.get("status", 500),
            error.get("type", "api_error"),
            error.get("message", "Internal server error"),
            error.get("headers", {}),
        )
    pieces = reply.get("pieces", 4)
    parts: list[Part] = []
    if "thinking" in reply:
        parts.append(Thinking(reply["thinking"], pieces=pieces))
    if "text" in reply:
        parts.append(Text(reply["text"], pieces=pieces))
    parts += [
        ToolCall(call["name"], call.get("arguments", {}), call.get("id"))
        for call in reply.get("toolCalls", [])
    ]
    if reply.get("hang"):
        parts.append(Gate())
    if reply.get("cut"):
        parts.append(Cut())
    return Reply(
        tuple(parts),
        stop_reason=reply.get("stopReason"),
        usage=reply.get("usage"),
        delay_ms=reply.get("delayMs", 0),
    )


if __name__ == "__main__":
    main()
