"""Work-done progress: what runs is shown in the editor's own way, and can be stopped from there."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable

from pi_lsp.agent.events import (
    AgentStart,
    BranchSummaryEnd,
    BranchSummaryStart,
    CompactionEnd,
    CompactionStart,
    Event,
    RetryStart,
    Settled,
    ToolExecutionStart,
)
from pi_lsp.server.client import Client, ClientError

logger = logging.getLogger(__name__)

_tokens = itertools.count(1)


class Progress:
    """The progress of one folder; nothing for an editor that does not show any.

    Args:
        client: who shows it.
        stop: called when the person cancels it.
    """

    def __init__(self, client: Client, stop: Callable[[], None]) -> None:
        self._client = client
        self._stop = stop
        self._running = False
        self._shown: _Shown | None = None

    def take(self, event: Event) -> None:
        """Follow what an event tells."""
        match event:
            case AgentStart():
                self._running = True
                self._show("working")
            case CompactionStart():
                self._show("compacting")
            case BranchSummaryStart():
                self._show("summarising the branch")
            case ToolExecutionStart():
                self._show(event.tool_name)
            case RetryStart():
                self._show(f"waiting to try again ({event.attempt} of {event.max_attempts})")
            case Settled():
                self._running = False
                self._end()
            case CompactionEnd() | BranchSummaryEnd() if not self._running:
                self._end()
            case _:
                pass

    def cancel(self, token: str | int) -> None:
        """The person cancelled a progress, maybe this one."""
        if self._shown is not None and self._shown.token == token:
            self._stop()

    def _show(self, message: str) -> None:
        if not self._client.abilities.work_done_progress:
            return
        if self._shown is None:
            self._shown = _Shown(self._client)
        self._shown.report(message)

    def _end(self) -> None:
        if self._shown is not None:
            self._shown.end()
            self._shown = None


class _Shown:
    """One progress, from its making to its end; the editor must agree before it begins."""

    def __init__(self, client: Client) -> None:
        self.token = f"pi-progress-{next(_tokens)}"
        self._client = client
        self._message = ""
        self._begun = False
        self._ended = False
        self._task = asyncio.ensure_future(self._begin())

    def report(self, message: str) -> None:
        self._message = message
        if self._begun:
            self._tell("report", cancellable=True, message=message)

    def end(self) -> None:
        self._ended = True
        if self._begun:
            self._tell("end")

    async def _begin(self) -> None:
        try:
            await self._client.create_progress(self.token)
        except ClientError as error:
            logger.info("the editor shows no progress: %s", error)
            return
        if not self._ended:
            self._begun = True
            self._tell("begin", title="pi", cancellable=True, message=self._message)

    def _tell(self, kind: str, **members: str | bool) -> None:
        self._client.progress(self.token, {"kind": kind, **members})
