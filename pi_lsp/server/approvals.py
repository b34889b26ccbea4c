"""Asking the person whether a call may run, over LSP.

An editor with our plugin gets `pi/approve`, any other a message with buttons. Whoever does not
answer (gone, an error, a closed message) has said no.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import PurePath

from pi_lsp.agent.events import ApprovalAnswered, ApprovalAsked, Event
from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client, ClientError
from pi_lsp.server.virtual_documents import VirtualDocuments
from pi_lsp.tools.editor import Decision, Question, Reply

logger = logging.getLogger(__name__)

_BUTTONS: dict[str, Decision] = {
    "Allow": "allow",
    "Allow for This Session": "allowSession",
    "Always Allow": "allowAlways",
    "Deny": "deny",
}

_MAX_LINES = 30
"""What a message box shows of a diff or a command."""


class Approvals:
    """The open questions of one folder.

    Args:
        client: who is asked.
        texts: keeps the before and after of an edit for the editor's own diff view.
        emit: takes the events that tell of a question and its answer.
    """

    def __init__(
        self, client: Client, texts: VirtualDocuments, emit: Callable[[Event], None]
    ) -> None:
        self._client = client
        self._texts = texts
        self._emit = emit
        self._pending: dict[str, ApprovalAsked] = {}

    def pending(self) -> list[JsonObject]:
        """The questions without an answer, as the params of `pi/approve`."""
        return [_params(asked) for asked in self._pending.values()]

    async def ask(self, question: Question) -> Reply:
        """Ask, and wait for as long as the person takes. Cancelling withdraws the question."""
        asked = self._asked(question)
        self._pending[question.tool_call_id] = asked
        self._emit(asked)
        reply = Reply("deny", "the call was stopped before the person answered")
        try:
            reply = await self._answer(asked)
        finally:
            self._pending.pop(question.tool_call_id, None)
            self._emit(
                ApprovalAnswered(tool_call_id=question.tool_call_id, decision=reply.decision)
            )
        return reply

    async def _answer(self, asked: ApprovalAsked) -> Reply:
        try:
            if self._client.abilities.pi.approval:
                answer = await self._client.approve(_params(asked))
                return Reply(answer.decision, answer.reason)
            button = await self._client.choose(_message(asked), list(_BUTTONS))
        except ClientError as error:
            logger.info("a question was not answered: %s", error)
            return Reply("deny", "the editor could not ask the person")
        if button is None:
            return Reply("deny", "the person closed the question")
        return Reply(_BUTTONS.get(button, "deny"))

    def _asked(self, question: Question) -> ApprovalAsked:
        name = PurePath(question.path).name if question.path else "text"
        optional: JsonObject = {
            "diff": question.diff,
            "before_uri": self._keep("before", question.tool_call_id, name, question.before),
            "after_uri": self._keep("after", question.tool_call_id, name, question.after),
            "path": question.path,
        }
        return ApprovalAsked(
            tool_call_id=question.tool_call_id,
            tool_name=question.tool_name,
            args=question.args,
            title=question.title,
            outside_workspace=question.outside_workspace,
            **{name: value for name, value in optional.items() if value is not None},
        )

    def _keep(self, kind: str, call_id: str, name: str, text: str | None) -> str | None:
        return None if text is None else self._texts.keep(kind, call_id, name, text)


def _params(asked: ApprovalAsked) -> JsonObject:
    params = asked.to_wire()
    del params["type"]
    return params


def _message(asked: ApprovalAsked) -> str:
    """The question for a message box: what it is about, and what will happen, not too long."""
    lines = [f"pi asks: {asked.title}"]
    if asked.outside_workspace:
        lines.append("This is outside the workspace folder.")
    details = asked.diff or str(asked.args.get("command", ""))
    shown = details.splitlines()
    lines += shown[:_MAX_LINES]
    if len(shown) > _MAX_LINES:
        lines.append(f"… and {len(shown) - _MAX_LINES} more lines")
    return "\n".join(lines)
