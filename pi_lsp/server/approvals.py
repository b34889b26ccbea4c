"""Asking the person whether a call may run, over LSP.

An editor with our plugin gets `pi/approve`, any other a message with buttons. What a message box
has no room for must be opened first, or allowed unseen by a button that says so. Whoever does not
answer (gone, an error, a closed message) has said no.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import PurePath

from pi_lsp.agent.events import ApprovalAnswered, ApprovalAsked, Event
from pi_lsp.messages import JsonObject
from pi_lsp.server.client import Client, ClientError
from pi_lsp.server.question_text import Excerpt, excerpt, visible, visible_line
from pi_lsp.server.text_viewer import TextViewer
from pi_lsp.server.virtual_documents import VirtualDocuments
from pi_lsp.tools.editor import Decision, Question, Reply

logger = logging.getLogger(__name__)

_BUTTONS: dict[str, Decision] = {
    "Allow": "allow",
    "Allow for This Session": "allowSession",
    "Always Allow": "allowAlways",
    "Deny": "deny",
}

_SHOW_ALL = "Show All"
_UNSEEN = "Allow Unseen Parts"
_DENY = "Deny"


class Approvals:
    """The open questions of one folder.

    Args:
        client: who is asked.
        texts: keeps the before and after of an edit for the editor's own diff view.
        viewer: opens what a message box has no room for.
        emit: takes the events that tell of a question and its answer.
    """

    def __init__(
        self,
        client: Client,
        texts: VirtualDocuments,
        viewer: TextViewer,
        emit: Callable[[Event], None],
    ) -> None:
        self._client = client
        self._texts = texts
        self._viewer = viewer
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
            button = await self._choose(asked)
        except ClientError as error:
            logger.info("a question was not answered: %s", error)
            return Reply("deny", "the editor could not ask the person")
        if button is None:
            return Reply("deny", "the person closed the question")
        return Reply(_BUTTONS.get(button, "deny"))

    async def _choose(self, asked: ApprovalAsked) -> str | None:
        """The button that was pressed. Without a sight of all, none of them allows more than this
        one call, and it says that parts are unseen."""
        details = _details(asked)
        shown = excerpt(details)
        message = _message(asked, shown)
        if not shown.is_cut:
            return await self._client.choose(message, list(_BUTTONS))
        if self._client.abilities.show_document:
            button = await self._client.choose(message, [_SHOW_ALL, _DENY])
            if button != _SHOW_ALL:
                return button
            if await self._viewer.show("question", ".txt", visible(details)):
                return await self._client.choose(message, list(_BUTTONS))
        button = await self._client.choose(message, [_UNSEEN, _DENY])
        return "Allow" if button == _UNSEEN else _DENY

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
            title=visible_line(question.title),
            outside_workspace=question.outside_workspace,
            **{name: value for name, value in optional.items() if value is not None},
        )

    def _keep(self, kind: str, call_id: str, name: str, text: str | None) -> str | None:
        return None if text is None else self._texts.keep(kind, call_id, name, text)


def _params(asked: ApprovalAsked) -> JsonObject:
    params = asked.to_wire()
    del params["type"]
    return params


def _details(asked: ApprovalAsked) -> str:
    """What will happen, all of it."""
    return asked.diff or str(asked.args.get("command", ""))


def _message(asked: ApprovalAsked, shown: Excerpt) -> str:
    """The question for a message box: what it is about, and what will happen."""
    lines = [f"pi asks: {asked.title}"]
    if asked.outside_workspace:
        lines.append("This is outside the workspace folder.")
    return "\n".join([*lines, shown.text] if shown.text else lines)
