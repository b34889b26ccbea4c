"""The sessions of one folder: which one is the agent's, and what can be done with the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from pi_lsp.agent.harness import Harness
from pi_lsp.errors import BusyError, InvalidStateError, PiError
from pi_lsp.messages import JsonObject
from pi_lsp.session import Session, SessionInfo, SessionStore


class Sessions:
    """
    Args:
        store: the folder's session files.
        harness: who works on the current one.
        changed: called when another session has become the current one.
    """

    def __init__(self, store: SessionStore, harness: Harness, changed: Callable[[], None]) -> None:
        self._store = store
        self._harness = harness
        self._changed = changed

    async def list(self) -> list[JsonObject]:
        """All sessions as the wire has them, last used first."""
        found = await asyncio.to_thread(self._store.list)
        current = self._harness.session.id
        return [_as_wire(one, current) for one in found]

    async def new(self, name: str | None) -> None:
        """Begin a new session.

        Raises:
            BusyError: something runs.
        """
        self._require_idle()
        session = await asyncio.to_thread(self._store.create)
        await self._adopt(session)
        if name:
            await self._harness.rename(name)
        self._changed()

    async def switch(self, session_id: str) -> None:
        """Go on with another session; with the current one nothing happens.

        Raises:
            BusyError: something runs.
            NotFoundError: there is no such session.
            SessionLockedError: another program writes it.
            SessionInvalidError: it cannot be read.
        """
        self._require_idle()
        if session_id == self._harness.session.id:
            return
        session = await asyncio.to_thread(self._store.open, session_id)
        await self._adopt(session)
        self._changed()

    async def delete(self, session_id: str) -> None:
        """Put a session into the trash.

        Raises:
            InvalidStateError: it is the current one.
            NotFoundError: there is no such session.
            SessionLockedError: another program writes it.
        """
        if session_id == self._harness.session.id:
            raise InvalidStateError("This is the current session: switch to another one first.")
        await asyncio.to_thread(self._store.delete, session_id)

    async def fork(self, entry_id: str, position: Literal["before", "at"]) -> str | None:
        """Go on from an entry in a new session; returns the text that goes to the composer."""
        forked = await self._harness.fork(entry_id, position)
        self._changed()
        return forked.editor_text

    async def clone(self) -> str | None:
        """Go on from the leaf in a new session."""
        forked = await self._harness.clone()
        self._changed()
        return forked.editor_text

    async def _adopt(self, session: Session) -> None:
        try:
            await self._harness.adopt(session)
        except PiError:
            # Something began while the file was opened, or it cannot be used: nobody works on it.
            await asyncio.to_thread(session.close)
            raise

    def _require_idle(self) -> None:
        if self._harness.phase != "idle":
            raise BusyError("The agent is working: wait until it is idle, or stop it first.")


def _as_wire(info: SessionInfo, current: str) -> JsonObject:
    """A session of the list; `name` and `parentSession` only where there are any.

    The current one is locked by us, which keeps nobody here from anything.
    """
    is_current = info.session_id == current
    wire: JsonObject = {
        "sessionId": info.session_id,
        "file": str(info.file),
        "created": info.created,
        "modified": info.modified,
        "messageCount": info.message_count,
        "firstMessage": info.first_message,
        "current": is_current,
        "locked": info.locked and not is_current,
        "readOnly": info.read_only,
    }
    if info.name is not None:
        wire["name"] = info.name
    if info.parent_session is not None:
        wire["parentSession"] = info.parent_session
    return wire
