"""Going to another point of the conversation: switching branch, and forking a new session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, cast

from pi_lsp.agent.branch_summaries import BranchSummaries, LeftBranch
from pi_lsp.agent.events import LeafChanged
from pi_lsp.agent.interrupt import Interrupt
from pi_lsp.agent.parts import RunParts
from pi_lsp.agent.phases import Phases
from pi_lsp.messages import JsonObject
from pi_lsp.session import Entry, Session


@dataclass(frozen=True)
class Target:
    """Where a switch leads: the new leaf, and the text that goes back to the composer.

    `entry_id` is the entry that was asked for.
    """

    entry_id: str | None
    leaf_id: str | None
    editor_text: str | None = None


@dataclass(frozen=True)
class Navigated:
    """`leaf_id` as people see it."""

    leaf_id: str | None
    editor_text: str | None = None
    summary_entry_id: str | None = None


@dataclass(frozen=True)
class Forked:
    session: Session
    editor_text: str | None = None


class Branches:
    """Switches branches of one session.

    Args:
        moved: called after the leaf has moved; the path may name another model now.
    """

    def __init__(
        self, parts: RunParts, phases: Phases, moved: Callable[[], Awaitable[None]]
    ) -> None:
        self._parts = parts
        self._phases = phases
        self._moved = moved
        self._summaries = BranchSummaries(parts)

    def target(self, entry_id: str | None) -> Target:
        """Where going to an entry leads: a person's message goes back to the composer.

        Raises:
            NotFoundError: there is no such entry.
        """
        if entry_id is None:
            return Target(None, None)
        session = self._parts.session
        entry = session.entry(entry_id)
        text = _person_said(entry)
        if text is None:
            return Target(entry_id, entry_id)
        return Target(entry_id, session.parent_of(entry_id), text)

    def navigate(
        self,
        entry_id: str | None,
        *,
        summarize: bool = False,
        instructions: str | None = None,
        label: str | None = None,
    ) -> Awaitable[Navigated]:
        """Go to an entry; what is left behind stays in the file, and is summarised if asked for.

        A label is put on the summary, else on the entry that was gone to.

        A summary is begun now, and held to until the leaf has moved; its awaitable raises
        ProviderError when it failed and Aborted when it was stopped: the leaf is where it was.

        Raises:
            BusyError: something runs.
            NotFoundError: there is no such entry.
        """
        self._phases.require_idle()
        target = self.target(entry_id)
        if not summarize:
            return self._go(target, label)
        return self._phases.operate(
            "branch_summary",
            lambda interrupt: self._summarise_and_go(target, instructions, label, interrupt),
        )

    def move_at_once(self, entry_id: str) -> None:
        """Go to an entry in one step with a prompt that follows (editing an old message).

        Raises:
            NotFoundError: there is no such entry.
            StorageError: the switch could not be written.
        """
        self._move(self.target(entry_id))

    async def fork(self, entry_id: str, position: Literal["before", "at"]) -> Forked:
        """Copy the path up to an entry into a new session; this one stays as it is.

        Raises:
            BusyError: something runs.
            NotFoundError: there is no such entry.
            StorageError: the new session could not be written.
        """
        session = self._parts.session
        async with self._phases.switching():
            return Forked(*await asyncio.to_thread(session.fork, entry_id, position))

    async def clone(self) -> Forked:
        """Copy the active path into a new session.

        Raises:
            BusyError: something runs.
            StorageError: the new session could not be written.
        """
        session = self._parts.session
        async with self._phases.switching():
            return Forked(await asyncio.to_thread(session.clone))

    async def _go(self, target: Target, label: str | None) -> Navigated:
        self._phases.require_idle()
        return await self._arrive(target, None, label)

    async def _summarise_and_go(
        self,
        target: Target,
        instructions: str | None,
        label: str | None,
        interrupt: Interrupt,
    ) -> Navigated:
        left = await self._summaries.summarise(target.leaf_id, instructions, interrupt)
        return await self._arrive(target, left, label)

    async def _arrive(
        self, target: Target, left: LeftBranch | None, label: str | None
    ) -> Navigated:
        self._move(target)
        summary_id = None if left is None else self._summaries.record(left)
        if label and (labelled := summary_id or target.entry_id) is not None:
            self._parts.recorder.label(labelled, label)
        await self._parts.recorder.sync()
        await self._moved()
        return Navigated(self._parts.session.visible_leaf_id, target.editor_text, summary_id)

    def _move(self, target: Target) -> None:
        session = self._parts.session
        if target.leaf_id == session.leaf_id:
            return
        self._parts.recorder.leaf(target.leaf_id)
        self._parts.emit(LeafChanged(leaf_id=session.visible_leaf_id))


def _person_said(entry: Entry) -> str | None:
    """The text that goes back to the composer when going to this entry; None for other entries."""
    if entry.type == "custom_message":
        return _first_text(entry.data.get("content"))
    if entry.type == "message" and entry.role in ("user", "custom"):
        return _first_text(_members(entry.data.get("message")).get("content"))
    return None


def _first_text(content: object) -> str:
    """The typed text: it is the first block, attachments and pictures follow it."""
    if isinstance(content, str):
        return content
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    text = _members(blocks[0]).get("text") if blocks else None
    return text if isinstance(text, str) else ""


def _members(value: object) -> JsonObject:
    return cast(JsonObject, value) if isinstance(value, dict) else {}
