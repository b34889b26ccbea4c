"""The next request's context, as it is measured and compacted."""

from __future__ import annotations

from pi_lsp.agent.parts import RunParts
from pi_lsp.compaction.context_size import MeasuredContext
from pi_lsp.messages import JsonObject
from pi_lsp.session import Context, Session
from pi_lsp.session.shapes import members_of


def measured_context(parts: RunParts) -> MeasuredContext:
    """All that the next request will hold."""
    context = parts.session.context()
    return MeasuredContext(
        messages=context.messages,
        model=parts.choice.model,
        after_compaction=_after_compaction(parts.session, context),
        system=parts.system_prompt,
        tools=parts.tools.toolset.specs(),
    )


def details_of(session: Session, entry_id: str) -> JsonObject:
    """The `details` of an entry, `{}` when it has none."""
    return members_of(session.entry(entry_id).data.get("details"))


def _after_compaction(session: Session, context: Context) -> int:
    """The place in the context of the first message that is newer than its compaction."""
    messages = context.messages
    if not messages or messages[0].message["role"] != "compactionSummary":
        return 0
    newer: set[str] = set()
    for entry in reversed(session.path()):
        if entry.id == messages[0].entry_id:
            break
        newer.add(entry.id)
    places = (place for place, one in enumerate(messages) if one.entry_id in newer)
    return next(places, len(messages))
