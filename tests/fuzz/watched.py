"""A client that looks at every message of the server, and takes whatever comes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.client import Client
from tests.editor import JsonObject

INTERNAL_ERROR = -32603
ANSWER_SECONDS = 20.0
"""A request that is not answered by then never is."""


class WatchedClient(Client):
    """Keeps what was wrong in `faults`; nothing that a server may send ends it.

    Attributes:
        faults: sentences; empty as long as all is well.
        answered: how often each request that was sent by hand was answered, by its id.
        answers: the last answer to each of them.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.faults: list[str] = []
        self.answered: dict[int | str, int] = {}
        self.answers: dict[int | str, JsonObject] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    def check(self) -> None:
        """Fail when something was wrong since the last time."""
        if "Traceback" in self.stderr:
            self.faults.append(f"the log holds a traceback: …{self.stderr[-1500:]}")
        faults, self.faults, self.stderr = self.faults, [], ""
        assert not faults, "\n".join(faults)

    def forget(self) -> None:
        super().forget()
        self.received.clear()
        self.answered.clear()
        self.answers.clear()

    async def answered_all(self, asked: dict[int | str, int]) -> None:
        """Wait until requests that were sent by hand are answered, each as often as it was sent.

        What runs is stopped meanwhile, for some wait for its end.
        """
        for _ in range(20):
            await self.request("pi/abort")
            if self.answered == asked:
                return
        await self.answered_at_all(asked)

    async def answered_at_all(self, asked: dict[int | str, int]) -> None:
        """Wait until each of these requests is answered, as often as it was sent."""

        def missing() -> dict[int | str, int]:
            return {one: n for one, n in asked.items() if self.answered.get(one, 0) != n}

        async with self._changed:
            try:
                await asyncio.wait_for(
                    self._changed.wait_for(lambda: not missing()), ANSWER_SECONDS
                )
            except asyncio.TimeoutError:
                raise AssertionError(f"not answered as often as sent: {missing()}") from None

    def kill_if_alive(self) -> None:
        """Leave nothing behind, whatever happened."""
        if self._process.returncode is None:
            self._process.kill()

    def _take(self, message: JsonObject) -> None:
        self._look_at(message)
        message_id = message.get("id")
        if "method" in message or message_id is None:
            super()._take(message)
            return
        future = self._open.get(message_id)
        if future is None or future.done():
            self.answered[message_id] = self.answered.get(message_id, 0) + 1
            self.answers[message_id] = message
            self.received.append(message)
            return
        super()._take(message)

    def _look_at(self, message: JsonObject) -> None:
        if not _is_strict_json(message):
            self.faults.append(f"a number that no JSON has was sent: {message}")
        if "Traceback (most recent" in str(message):
            self.faults.append(f"a traceback was sent: {message}")
        error = message.get("error")
        if error and (error["code"] == INTERNAL_ERROR or not error["message"].strip()):
            self.faults.append(f"an unforeseen error was answered: {message}")
        if message.get("method") == "pi/event":
            self._look_at_event(message["params"])

    def _look_at_event(self, params: JsonObject) -> None:
        event = params["event"]
        place = (params["workspace"], params["sessionId"])
        before = self._numbers.get(place)
        self._numbers[place] = params["seq"]
        if (
            before is not None
            and params["seq"] != before + 1
            and event["type"] != "session_changed"
        ):
            self.faults.append(f"events are missing between {before} and {params}")
        if event["type"] == "error" and (
            event["code"] == "internal" or not event["message"].strip()
        ):
            self.faults.append(f"an unforeseen fault was told: {event}")
        if event["type"] == "settled" and not event.get("error", "x").strip():
            self.faults.append(f"a run failed without a sentence: {event}")
        if event["type"] == "tool_execution_end" and "unexpectedly" in str(event["result"]):
            self.faults.append(f"a tool failed in a way that was not foreseen: {event}")


def _is_strict_json(message: JsonObject) -> bool:
    """Whether other JSON parsers than Python's take it: they know no NaN."""
    try:
        json.dumps(message, allow_nan=False)
    except ValueError:
        return False
    return True
