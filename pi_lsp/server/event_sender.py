"""Sends a folder's events to the editor: numbered, in order, and no faster than it reads.

Deltas of one block that come between two flushes go out as one, and of the queues only how they
stand last, for each update holds all of them. Everything else goes out at once, after what came
before it. An editor that does not read gets nothing more when too much
waits for it; the numbers go on, and when it reads again it is told the whole state, so memory
stays bounded and nothing is shown wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from pi_lsp.agent.events import (
    BashUpdate,
    Event,
    MessageUpdate,
    QueueUpdate,
    ToolExecutionUpdate,
)
from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client
from pi_lsp.server.protocol.client_requests import EventParams

FLUSHES_PER_SECOND = 60
MAX_BACKLOG_BYTES = 32 * 1024 * 1024
"""An editor that leaves more than this unread is told no more until it has read it."""

_Delta = MessageUpdate | ToolExecutionUpdate | BashUpdate
_Block = tuple[str, str | int, str]
"""What deltas are joined by: the kind of event, whose it is, and the kind of block."""


class Outlet(Protocol):
    """What the sender asks of the way to the editor (see `pi_lsp.server.transport`)."""

    @property
    def backlog_bytes(self) -> int: ...

    @property
    def congested(self) -> bool: ...

    def when_drained(self, callback: Callable[[], None], /) -> None: ...


class _Joined:
    """The deltas of one block that wait; `size` in characters."""

    def __init__(self, first: _Delta) -> None:
        self._first = first
        self._pieces = [first.delta]
        self.size = len(first.delta)

    def add(self, delta: str) -> None:
        self._pieces.append(delta)
        self.size += len(delta)

    def to_wire(self) -> JsonObject:
        return {**self._first.to_wire(), "delta": "".join(self._pieces)}


class EventSender:
    """Takes the events of one folder.

    Args:
        client: who is told.
        outlet: the way there.
        workspace: the folder's URI, as the editor spells it.
        session_id: gives the id of the session that is the folder's now.
        resume: called after events were left out, when the editor reads again; tells the state.
    """

    def __init__(
        self,
        client: Client,
        outlet: Outlet,
        *,
        workspace: str,
        session_id: Callable[[], str],
        resume: Callable[[], None],
    ) -> None:
        self._client = client
        self._outlet = outlet
        self._workspace = workspace
        self._session_id = session_id
        self._resume = resume
        self._loop = asyncio.get_running_loop()
        self._numbers: dict[str, int] = {}
        self._waiting: dict[_Block, _Joined | QueueUpdate] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._flushed_at = 0.0
        self._awaits_drain = False
        self._left_out = False

    @property
    def seq(self) -> int:
        """The number of the last event of the current session; 0 when there was none."""
        return self._numbers.get(self._session_id(), 0)

    def emit(self, event: Event) -> None:
        """Tell of an event; never waits."""
        if isinstance(event, _Delta):
            self._join(event)
            return
        if isinstance(event, QueueUpdate):
            self._replace(event)
            return
        self.flush()
        self._send(event.to_wire())

    def flush(self) -> None:
        """Send what waits, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        self._flushed_at = self._loop.time()
        for one in waiting.values():
            self._send(one.to_wire())

    def _join(self, event: _Delta) -> None:
        if self._left_out:
            return  # the state that will be told holds it
        block = _block_of(event)
        joined = self._waiting.get(block)
        if not isinstance(joined, _Joined):
            self._waiting[block] = _Joined(event)
            self._schedule()
            return
        joined.add(event.delta)
        if joined.size > MAX_BACKLOG_BYTES:
            # A command that never stops writing, and an editor that does not read.
            self._waiting.clear()
            self._left_out = True
            self._await_drain()

    def _replace(self, event: QueueUpdate) -> None:
        block = (event.type, "", "")
        self._waiting.pop(block, None)
        self._waiting[block] = event
        self._schedule()

    def _schedule(self) -> None:
        if self._timer is not None or self._awaits_drain:
            return
        due = self._flushed_at + 1 / FLUSHES_PER_SECOND
        self._timer = self._loop.call_at(max(due, self._loop.time()), self._due)

    def _due(self) -> None:
        self._timer = None
        if self._outlet.congested:
            self._await_drain()
        else:
            self.flush()

    def _await_drain(self) -> None:
        if not self._awaits_drain:
            self._awaits_drain = True
            self._outlet.when_drained(self._drained)

    def _drained(self) -> None:
        self._awaits_drain = False
        self.flush()
        if self._left_out:
            self._left_out = False
            self._resume()

    def _send(self, event: JsonObject) -> None:
        session_id = self._session_id()
        seq = self._numbers[session_id] = self._numbers.get(session_id, 0) + 1
        if self._left_out or self._outlet.backlog_bytes > MAX_BACKLOG_BYTES:
            self._left_out = True
            self._await_drain()
            return
        self._client.event(
            EventParams(workspace=self._workspace, session_id=session_id, seq=seq, event=event)
        )


def _block_of(event: _Delta) -> _Block:
    if isinstance(event, MessageUpdate):
        return (event.type, event.content_index, event.kind)
    if isinstance(event, ToolExecutionUpdate):
        return (event.type, event.tool_call_id, "")
    return (event.type, "", "")
