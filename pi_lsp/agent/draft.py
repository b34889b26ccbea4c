"""The answer that streams right now, and the events that show it growing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_lsp.agent.events import Event, MessageStart, MessageUpdate
from pi_lsp.llm.answer import Answer
from pi_lsp.llm.provider import Delta
from pi_lsp.messages import JsonObject


class Draft:
    """Holds the open answer, so that a stop keeps what came, and a reload can show it.

    Pieces that come together are told together: a quick model's are read many at a time.

    Args:
        emit: tells of an event.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.answer: Answer | None = None
        self._emit = emit
        self._announced = False
        self._untold: Delta | None = None
        self._more: list[str] = []

    def begin(self, answer: Answer) -> None:
        """A new attempt: what an earlier one streamed is void."""
        self.flush()
        self.answer = answer
        self._announced = False

    def close(self) -> bool:
        """The answer is recorded. Returns whether its `message_start` was told already."""
        self.flush()
        announced, self._announced, self.answer = self._announced, False, None
        return announced

    def add(self, delta: Delta) -> None:
        """Tell of a piece of the answer soon; the first one opens the message at once."""
        untold = self._untold
        if (
            untold is not None
            and delta.tool_call_id is None
            and (delta.content_index, delta.kind) == (untold.content_index, untold.kind)
        ):
            self._more.append(delta.text)
            return
        self.flush()
        if not self._announced and self.answer is not None:
            self._announced = True
            self._emit(MessageStart(message=partial_message(self.answer, empty=True)))
        self._untold = delta
        asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Tell of what came, now."""
        delta, self._untold = self._untold, None
        if delta is None:
            return
        if self._more:
            delta = delta._replace(text=delta.text + "".join(self._more))
            self._more = []
        self._emit(_update(delta))

    def as_wire(self) -> JsonObject | None:
        """What a client draws after a reload; None while nothing has come yet."""
        if self.answer is None or not self._announced:
            return None
        return {"message": partial_message(self.answer)}


def partial_message(answer: Answer, *, empty: bool = False) -> JsonObject:
    """An unfinished answer: as a message, but it has no stop reason yet."""
    message: JsonObject = {**answer.message("stop")}
    del message["stopReason"]
    if empty:
        message["content"] = []
    return message


def _update(delta: Delta) -> MessageUpdate:
    if delta.tool_call_id is None:
        return MessageUpdate(content_index=delta.content_index, kind=delta.kind, delta=delta.text)
    return MessageUpdate(
        content_index=delta.content_index,
        kind=delta.kind,
        delta=delta.text,
        tool_call_id=delta.tool_call_id,
        tool_name=delta.tool_name or "",
    )
