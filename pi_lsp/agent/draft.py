"""The answer that streams right now, and the events that show it growing."""

from __future__ import annotations

from pi_lsp.agent.events import Event, MessageStart, MessageUpdate
from pi_lsp.llm.answer import Answer
from pi_lsp.llm.provider import Delta
from pi_lsp.messages import JsonObject


class Draft:
    """Holds the open answer, so that a stop keeps what came, and a reload can show it."""

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self._announced = False

    def begin(self, answer: Answer) -> None:
        """A new attempt: what an earlier one streamed is void."""
        self.answer = answer
        self._announced = False

    def close(self) -> bool:
        """The answer is recorded. Returns whether its `message_start` was told already."""
        announced, self._announced, self.answer = self._announced, False, None
        return announced

    def events(self, delta: Delta) -> list[Event]:
        """What a piece of the answer tells; the first one opens the message."""
        events: list[Event] = []
        if not self._announced and self.answer is not None:
            self._announced = True
            events.append(MessageStart(message=partial_message(self.answer, empty=True)))
        events.append(_update(delta))
        return events

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
        return MessageUpdate(content_index=delta.index, kind=delta.kind, delta=delta.text)
    return MessageUpdate(
        content_index=delta.index,
        kind=delta.kind,
        delta=delta.text,
        tool_call_id=delta.tool_call_id,
        tool_name=delta.tool_name or "",
    )
