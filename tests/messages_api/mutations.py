"""Good streams made bad, and good ones in strange clothes: what a service may send in place of
what the API says. Everything is drawn from one random source, so a seed gives a case again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from tests.messages_api.parts import Delay, Reply, Wire
from tests.messages_api.requests import ApiRequest
from tests.messages_api.rubbish import ENDINGS, NESTED, NO_STREAMS, SPOILING_BYTES, cut_off
from tests.messages_api.stream import Step, steps

Json = dict[str, Any]

STRANGE_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    2.5,
    10**30,
    10**400,
    float("nan"),
    float("inf"),
    "",
    "x",
    "word " * 20_000,
    "a\ud800b",
    "\0",
    [],
    {},
    [1, "a", None],
    {"type": "text"},
    {"": {"a": []}},
]


@dataclass
class SseEvent:
    """One event; `data` that is a string is sent as it stands."""

    name: str | None
    data: Any

    @property
    def text(self) -> str:
        return self.data if isinstance(self.data, str) else json.dumps(self.data)


@dataclass
class Style:
    """How events are written down; all of it is allowed, and none of it means anything."""

    line_end: str = "\n"
    space: str = " "
    names: bool = True
    beginning: str = ""
    broken_data: bool = False
    more_lines: list[str] = field(default_factory=list[str])

    def bytes_of(self, event: SseEvent) -> bytes:
        lines = list(self.more_lines)
        # Without its name an event is known by the type in its data, if that says one.
        told = isinstance(event.data, dict) and event.data.get("type") == event.name
        if event.name is not None and (self.names or not told):
            lines.append(f"event:{self.space}{event.name}")
        pieces = [event.text]
        if self.broken_data and not isinstance(event.data, str):
            pieces = json.dumps(event.data, indent=0).split("\n")
        lines += [f"data:{self.space}{piece}" for piece in pieces]
        return "".join(line + self.line_end for line in [*lines, ""]).encode(errors="surrogatepass")


@dataclass(frozen=True)
class MutatedReply:
    """An answer for one request.

    Attributes:
        done: what was done to the good stream, to tell.
        ends: whether it ends by itself; else whoever reads it must go away.
    """

    wire: Wire
    done: list[str]
    ends: bool


Mutation = Callable[[random.Random, list[SseEvent]], None]


def dressed(reply: Reply, request: ApiRequest, source: random.Random) -> MutatedReply:
    """The reply with things in it that every client has to pass over: it means the same."""
    events = _events(reply, request)
    done = _do(source, events, HARMLESS)
    style, styled = _style(source)
    steps_of_wire, cut = _in_pieces(source, _written(events, style))
    if source.random() < 0.2:
        steps_of_wire = _slowly(steps_of_wire)
    return MutatedReply(Wire(steps_of_wire), [*done, *styled, cut], ends=True)


def spoiled(reply: Reply, request: ApiRequest, source: random.Random) -> MutatedReply:
    """The reply, but something is wrong with it."""
    if source.random() < 0.15:
        name = source.choice(sorted(NO_STREAMS))
        return MutatedReply(NO_STREAMS[name], [name], ends=name != "never a byte")
    events = _events(reply, request)
    done = _do(source, events, HARMFUL)
    if source.random() < 0.5:
        done += _do(source, events, HARMLESS)
    style, styled = _style(source) if source.random() < 0.5 else (Style(), [])
    content = _written(events, style)
    if source.random() < 0.4:
        change = source.choice(SPOILING_BYTES)
        content = change(source, content)
        done.append(change.__name__)
    steps_of_wire, cut = _in_pieces(source, content)
    done += [*styled, cut]
    if source.random() < 0.3:
        ending = source.choice(ENDINGS)
        kept = steps_of_wire[: source.randrange(len(steps_of_wire) + 1)]
        wire = Wire(chain(kept, ending(source)))
        return MutatedReply(wire, [*done, ending.__name__], ends=ending is cut_off)
    return MutatedReply(Wire(steps_of_wire), done, ends=True)


def _events(reply: Reply, request: ApiRequest) -> list[SseEvent]:
    """The events of a reply that is made of blocks alone."""
    found: list[SseEvent] = []
    for step in steps(reply, request):
        assert isinstance(step, bytes)
        data = json.loads(step.decode().partition("data: ")[2])
        found.append(SseEvent(data["type"], data))
    return found


def _do(source: random.Random, events: list[SseEvent], choice: list[Mutation]) -> list[str]:
    chosen = [source.choice(choice) for _ in range(source.randint(1, 3))]
    for mutation in chosen:
        mutation(source, events)
    return [mutation.__name__ for mutation in chosen]


# --- what means nothing -----------------------------------------------------------------------


def unknown_events(source: random.Random, events: list[SseEvent]) -> None:
    data = source.choice(["", "no JSON", "[1]", {"type": "surprise", "index": 0}, NESTED])
    name = source.choice(["surprise", "ping", "message", "content_block"])
    _insert(source, events, SseEvent(name, data))


def pings(source: random.Random, events: list[SseEvent]) -> None:
    for _ in range(source.randint(1, 5)):
        _insert(source, events, SseEvent("ping", {"type": "ping"}))


def unknown_members(source: random.Random, events: list[SseEvent]) -> None:
    event = source.choice(events)
    if isinstance(event.data, dict):
        event.data = {"new": source.choice(STRANGE_VALUES[:3]), **event.data, "later": [{}]}


def unknown_block(source: random.Random, events: list[SseEvent]) -> None:
    """A block of a kind that comes with a later version of the API, after all others."""
    index = 90 + source.randrange(9)
    block = {"type": "hologram", "data": {}}
    delta = {"type": "hologram_delta", "hologram": "…"}
    new: list[Json] = [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]
    place = next(
        (number for number, event in enumerate(events) if event.name == "message_delta"),
        len(events),
    )
    events[place:place] = [SseEvent(data["type"], data) for data in new]


def something_after_the_end(source: random.Random, events: list[SseEvent]) -> None:
    data = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}}
    events.append(SseEvent("content_block_delta", source.choice([data, "{", "{}"])))


HARMLESS: list[Mutation] = [
    unknown_events,
    pings,
    unknown_members,
    unknown_block,
    something_after_the_end,
]


def _style(source: random.Random) -> tuple[Style, list[str]]:
    style = Style(
        line_end=source.choice(["\n", "\n", "\r\n", "\r"]),
        space=source.choice([" ", " ", ""]),
        names=source.random() < 0.8,
        beginning=source.choice(["", "", ": hello\n\n", "\n\n\n", "\ufeff\n"]),
        broken_data=source.random() < 0.2,
        more_lines=source.choice([[], [": a comment"], ["id: 7", "retry: 10", "other: x", "bare"]]),
    )
    return style, [f"written as {style}"]


def _written(events: list[SseEvent], style: Style) -> bytes:
    body = b"".join(style.bytes_of(event) for event in events)
    return style.beginning.replace("\n", style.line_end).encode() + body


def _in_pieces(source: random.Random, content: bytes) -> tuple[list[Step], str]:
    """The bytes in pieces that know nothing of lines and characters."""
    longest = source.choice([1, 7, 100, 5_000, len(content) + 1])
    longest = max(longest, len(content) // 2_000)
    pieces: list[Step] = []
    place = 0
    while place < len(content):
        end = place + source.randint(1, longest)
        pieces.append(content[place:end])
        place = end
    return pieces, f"in pieces of at most {longest}"


def _slowly(pieces: list[Step]) -> list[Step]:
    """With some breaks, 100 ms together."""
    every = max(1, len(pieces) // 20)
    slow: list[Step] = []
    for number, piece in enumerate(pieces):
        slow.append(piece)
        if number % every == 0:
            slow.append(Delay(5))
    return slow


# --- what is wrong ----------------------------------------------------------------------------


def dropped(source: random.Random, events: list[SseEvent]) -> None:
    if events:
        del events[source.randrange(len(events))]


def doubled(source: random.Random, events: list[SseEvent]) -> None:
    if events:
        _insert(source, events, source.choice(events))


def swapped(source: random.Random, events: list[SseEvent]) -> None:
    if events:
        one, other = source.randrange(len(events)), source.randrange(len(events))
        events[one], events[other] = events[other], events[one]


def shuffled(source: random.Random, events: list[SseEvent]) -> None:
    source.shuffle(events)


def stopped_early(source: random.Random, events: list[SseEvent]) -> None:
    del events[source.randrange(len(events) + 1) :]


def member_missing(source: random.Random, events: list[SseEvent]) -> None:
    if (place := _some_member(source, events)) is not None:
        holder, key = place
        del holder[key]


def member_of_wrong_type(source: random.Random, events: list[SseEvent]) -> None:
    if (place := _some_member(source, events)) is not None:
        holder, key = place
        holder[key] = source.choice(STRANGE_VALUES)


def data_of_wrong_type(source: random.Random, events: list[SseEvent]) -> None:
    if events:
        event = source.choice(events)
        event.data = source.choice([NESTED, *STRANGE_VALUES])


def wrong_name(source: random.Random, events: list[SseEvent]) -> None:
    if events:
        names = ["message_start", "content_block_stop", "error", "message_stop", "x", ""]
        event = source.choice(events)
        event.name = source.choice(names)


def error_event(source: random.Random, events: list[SseEvent]) -> None:
    error = source.choice(
        [
            {"type": "overloaded_error", "message": "Overloaded"},
            {"type": "api_error", "message": source.choice(STRANGE_VALUES)},
            {"type": source.choice(STRANGE_VALUES), "message": "odd"},
            *STRANGE_VALUES,
        ]
    )
    _insert(source, events, SseEvent("error", {"type": "error", "error": error}))


HARMFUL: list[Mutation] = [
    dropped,
    doubled,
    swapped,
    shuffled,
    stopped_early,
    member_missing,
    member_of_wrong_type,
    member_of_wrong_type,
    data_of_wrong_type,
    wrong_name,
    error_event,
]


def _insert(source: random.Random, events: list[SseEvent], event: SseEvent) -> None:
    # Behind `message_stop` nothing is read any more.
    events.insert(source.randrange(max(1, len(events))), event)


def _some_member(
    source: random.Random, events: list[SseEvent]
) -> tuple[dict[str, Any] | list[Any], Any] | None:
    """A place in the data of an event: what holds it, and its key there."""
    places: list[tuple[dict[str, Any] | list[Any], Any]] = []
    objects = [event for event in events if isinstance(event.data, dict)]
    if not objects:
        return None
    event = source.choice(objects)
    event.data = json.loads(json.dumps(event.data))  # its own copy, for it may be doubled
    waiting: list[Any] = [event.data]
    while waiting:
        value = waiting.pop()
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in inner:
            places.append((value, key))
            if isinstance(member, dict | list):
                waiting.append(member)
    return source.choice(places) if places else None
