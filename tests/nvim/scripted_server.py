"""A tiny language server that plays a written script: for what a real run would not give at will
(floods of events, gaps, odd shapes).

    python -m tests.nvim.scripted_server SCRIPT.json

The script is `{"answers": {method: result}, "on": {method: [event, …]}}`. Requests are answered
from `answers` (a list is one answer after the other, the last one for ever). After the answer to a
method its events are sent as `pi/event`s, numbered from the state's `seq` on; an event
`{"repeat": n, "event": {…}}` is sent n times, `{"skip": n}` leaves numbers out. Every message that
came is written to `SCRIPT.json.log`, one JSON text a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, BinaryIO

JsonObject = dict[str, Any]


class ScriptedServer:
    def __init__(self, script: Path, reader: BinaryIO, writer: BinaryIO) -> None:
        content = json.loads(script.read_text(encoding="utf-8"))
        self._answers: JsonObject = content["answers"]
        self._on: dict[str, list[JsonObject]] = content.get("on", {})
        self._log = script.with_suffix(".json.log")
        self._reader, self._writer = reader, writer
        self._seq = self._answers.get("pi/state", {}).get("seq", 0)
        self._session = self._answers.get("pi/state", {}).get("sessionId", "session")

    def serve(self) -> None:
        while (message := self._receive()) is not None:
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(message) + "\n")
            method = message.get("method")
            if method == "exit":
                return
            if "id" in message and method is not None:
                self._answer(message["id"], method)
            for event in self._on.get(method or "", []):
                self._play(event)

    def _answer(self, number: int | str, method: str) -> None:
        if method == "initialize":
            result: Any = {"capabilities": {"positionEncoding": "utf-8", "textDocumentSync": 2}}
        else:
            result = self._answers.get(method, {})
            if isinstance(result, list):
                result = result.pop(0) if len(result) > 1 else result[0]
        self._send({"id": number, "result": result})

    def _play(self, event: JsonObject) -> None:
        if "skip" in event:
            self._seq += event["skip"]
            return
        for _ in range(event.get("repeat", 1)):
            self._seq += 1
            params = {
                "workspace": "",
                "sessionId": self._session,
                "seq": self._seq,
                "event": event.get("event", event),
            }
            self._send({"method": "pi/event", "params": params})

    def _receive(self) -> JsonObject | None:
        length = 0
        while line := self._reader.readline():
            if line == b"\r\n":
                return json.loads(self._reader.read(length))
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return None

    def _send(self, message: JsonObject) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._writer.flush()


if __name__ == "__main__":
    ScriptedServer(Path(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer).serve()
