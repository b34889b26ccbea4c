"""The conversation for those who show it: messages, entries, the tree, statistics."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pi_lsp.agent.harness import Harness
from pi_lsp.errors import InvalidArgumentError, NotFoundError
from pi_lsp.messages import JsonObject
from pi_lsp.server.protocol.params import EntriesParams, TreeFilter
from pi_lsp.server.protocol.results import (
    ContextEntry,
    EntriesResult,
    MessagesResult,
    RawResult,
    TreeResult,
)
from pi_lsp.session import Session, TreeNode
from pi_lsp.session.export import ExportFormat, export, markdown_of


class Reading:
    """Reads from the folder's current session.

    Args:
        harness: knows which session that is.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    @property
    def _session(self) -> Session:
        """The session, with what other programs have written by now."""
        self._harness.look()
        return self._harness.session

    def messages(self, leaf_id: str | None) -> MessagesResult:
        """The model's context at an entry; at the leaf for None.

        Raises:
            NotFoundError: there is no such entry.
        """
        session = self._session
        context = session.context() if leaf_id is None else session.context(leaf_id)
        return MessagesResult(
            messages=[
                ContextEntry(entry_id=one.entry_id, message={**one.message})
                for one in context.messages
            ],
            leaf_id=leaf_id or session.visible_leaf_id,
        )

    def entries(self, params: EntriesParams) -> EntriesResult:
        """Entries as they stand in the file, in file order.

        Raises:
            InvalidArgumentError: the limit is negative, or both anchors were given.
            NotFoundError: there is no entry `since` or `before`.
        """
        if params.limit is not None and params.limit < 0:
            raise InvalidArgumentError("`limit` cannot be negative.")
        if params.since is not None and params.before is not None:
            raise InvalidArgumentError("Give `since` or `before`, not both.")
        page = self._session.entries(
            since=params.since,
            before=params.before,
            limit=params.limit,
            branch=params.branch or False,
        )
        return EntriesResult(
            entries=[one.data for one in page.entries],
            leaf_id=self._session.visible_leaf_id,
            more=page.more,
        )

    def tree(self, shown: TreeFilter) -> TreeResult:
        """The nodes that a filter shows."""
        session = self._session
        return TreeResult(
            nodes=[_node(one) for one in session.tree(shown)], leaf_id=session.visible_leaf_id
        )

    def stats(self) -> RawResult:
        """Counts over the whole file; tokens that were paid for, US dollars, and the context."""
        stats = self._session.stats()
        return RawResult(
            {
                "userMessages": stats.user_messages,
                "assistantMessages": stats.assistant_messages,
                "toolCalls": stats.tool_calls,
                "toolResults": stats.tool_results,
                "tokens": {
                    "input": stats.input,
                    "output": stats.output,
                    "cacheRead": stats.cache_read,
                    "cacheWrite": stats.cache_write,
                    "total": stats.tokens,
                },
                "cost": stats.cost,
                "context": self._harness.state().context.to_wire(),
            }
        )

    async def export(self, form: ExportFormat, path: str | None) -> Path:
        """Write the conversation to a file for people; returns where.

        Raises:
            InvalidArgumentError: the path is that of a session, or of a folder.
            StorageError: the disk refused.
        """
        target = None if path is None else Path(path)
        return await asyncio.to_thread(export, self._session, form, target)

    def document(self, kind: str, owner: str) -> str | None:
        """The text of a `pi:` document that stands in the session; None when it is not this
        session's. `compaction` and `branch_summary` name an entry, `transcript` the session."""
        session = self._session
        if kind == "transcript":
            return markdown_of(session) if owner == session.id else None
        try:
            entry = session.entry(owner)
        except NotFoundError:
            return None
        summary = entry.data.get("summary") if entry.type == kind else None
        return summary if isinstance(summary, str) else None


def _node(node: TreeNode) -> JsonObject:
    """A node as the wire has it; `role` and `label` only where there are any."""
    wire: JsonObject = {
        "id": node.id,
        "parentId": node.parent_id,
        "type": node.type,
        "text": node.text,
        "timestamp": node.timestamp,
        "onPath": node.on_path,
    }
    if node.role is not None:
        wire["role"] = node.role
    if node.label is not None:
        wire["label"] = node.label
    return wire
