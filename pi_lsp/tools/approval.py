"""May a call run? Decided from what it would touch, the mode, the rules and earlier answers.

    what it touches              ask    edits   auto    readonly
    reading inside the folder    allow  allow   allow   allow
    reading outside              ask    ask     allow   ask
    writing inside               ask    allow   allow   deny
    writing under .git and kin   ask    ask     allow   deny
    writing outside              ask    ask     allow   deny
    running a command            ask    ask     allow   deny
    writing a session file       deny   deny    deny    deny

Rules refine this: one that denies or asks counts in every mode, one that allows in all but
`readonly`. Asking the person is the editor's business, keeping an answer the settings'.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pi_lsp.errors import StorageError
from pi_lsp.messages import ToolCallBlock
from pi_lsp.settings import ApprovalMode, ApprovalRule
from pi_lsp.tools.approval_rules import RuleBook, exact_pattern, protected_part
from pi_lsp.tools.command_output import is_command_output
from pi_lsp.tools.editor import Decision, Question
from pi_lsp.tools.paths import is_inside, shown
from pi_lsp.tools.redirections import is_inside_any_case, may_write_inside
from pi_lsp.tools.tool import Access, AnyTool, ToolContext

log = logging.getLogger(__name__)

SESSIONS = Path(".pi", "sessions")
"""Where a folder's sessions lie unless the settings say otherwise."""


@dataclass(frozen=True)
class Verdict:
    """What becomes of a call.

    Attributes:
        reason: why not, for the model; set when the decision is `deny`.
        question: what the person is to be asked; set when the decision is `ask`.
    """

    decision: Literal["allow", "ask", "deny"]
    reason: str | None = None
    question: Question | None = None


class Approval:
    """Judges the calls in one workspace folder.

    Args:
        folder: absolute, links resolved.
        keep: puts a rule into the person's own settings.
        session_folders: where session files lie, absolute; no call may change them.

    Attributes:
        mode, rules: in force now; may be set at any time.
    """

    def __init__(
        self,
        mode: ApprovalMode,
        rules: Iterable[ApprovalRule],
        folder: Path,
        *,
        keep: Callable[[ApprovalRule], None],
        session_folders: Iterable[Path] = (),
    ) -> None:
        self.mode = mode
        self.rules = list(rules)
        self._folder = folder
        self._keep = keep
        self._session_folders = [folder / SESSIONS, *session_folders]
        self._allowed_this_session: set[tuple[str, str]] = set()

    async def verdict(
        self, tool: AnyTool, parameters: Any, call: ToolCallBlock, context: ToolContext
    ) -> Verdict:
        """Whether a call may run, with the question when the person must say.

        Raises:
            ToolFault: the call cannot be done anyway, so nobody is asked.
        """
        access = tool.access(parameters, self._folder)
        decision, reason = self._decide(tool.name, access)
        if decision != "ask":
            return Verdict(decision, reason)
        preview = await tool.preview(parameters, context)
        path = None if access.real is None else shown(access.real, self._folder)
        question = Question(
            tool_call_id=call["id"],
            tool_name=tool.name,
            args=call["arguments"],
            title=preview.title,
            diff=preview.diff,
            before=preview.before,
            after=preview.after,
            path=path,
            outside_workspace=self._is_outside(access),
            subject=_subject(access, self._folder),
        )
        return Verdict("ask", question=question)

    def may_search(self, path: Path) -> bool:
        """Whether a search may look into a file, by its real path: not where a rule on `read` or
        `grep` forbids or asks."""
        if all(rule.decision == "allow" for rule in self.rules):
            return True
        books = (RuleBook.of(self.rules, tool, self._folder) for tool in ("read", "grep"))
        access = Access("read", path, path)
        return all(book.decision(access) in ("allow", None) for book in books)

    def remember(self, question: Question, decision: Decision) -> None:
        """Keep an answer that holds for longer than one call: the exact command or path."""
        if decision not in ("allowSession", "allowAlways"):
            return
        self._allowed_this_session.add((question.tool_name, question.subject))
        if decision == "allowSession":
            return
        rule = self._rule_for(question)
        self.rules = [*self.rules, rule]
        try:
            self._keep(rule)
        except StorageError as fault:
            # The answer holds for this session; the call that was allowed must still run.
            log.warning("%s", fault.message)

    def _rule_for(self, question: Question) -> ApprovalRule:
        """The rule that means this call in this folder, and no call in any other."""
        tool, subject = question.tool_name, question.subject
        if question.path is None:
            return ApprovalRule(
                tool=tool,
                pattern=exact_pattern(subject),
                decision="allow",
                folder=str(self._folder),
            )
        pattern = exact_pattern((self._folder / subject).as_posix())
        return ApprovalRule(tool=tool, pattern=pattern, decision="allow")

    def _decide(
        self, tool_name: str, access: Access
    ) -> tuple[Literal["allow", "ask", "deny"], str | None]:
        if refused := self._always_refused(access):
            return "deny", refused
        by_rules = RuleBook.of(self.rules, tool_name, self._folder).decision(access)
        if by_rules == "deny":
            return "deny", "A rule in the settings forbids this call."
        if self.mode == "readonly" and access.kind != "read":
            return "deny", "The approval mode is `readonly`: nothing may be changed or run."
        if (tool_name, _subject(access, self._folder)) in self._allowed_this_session:
            return "allow", None
        return by_rules or self._by_mode(access), None

    def _by_mode(self, access: Access) -> Literal["allow", "ask"]:
        if self.mode == "auto":
            return "allow"
        if access.real is None or self._is_outside(access):
            return "ask"
        if access.kind == "read":
            return "allow"
        if self.mode == "edits" and protected_part(access.real, self._folder) is None:
            return "allow"
        return "ask"

    def _always_refused(self, access: Access) -> str | None:
        """Why a call is refused in every mode: it would change a session file."""
        if access.kind == "write" and access.real is not None and self._is_session(access.real):
            return "Session files cannot be changed."
        if access.command is not None and may_write_inside(
            access.command, self._folder, self._session_folders
        ):
            return "Session files cannot be changed, by a redirection neither."
        return None

    def _is_session(self, path: Path) -> bool:
        return any(
            is_inside_any_case(path, Path(os.path.realpath(folder)))
            for folder in self._session_folders
        )

    def _is_outside(self, access: Access) -> bool:
        if access.real is None:
            return False
        return not is_inside(access.real, self._folder) and not (
            access.kind == "read" and is_command_output(access.real)
        )


def _subject(access: Access, folder: Path) -> str:
    """What a rule on a call speaks of: its command, or its path."""
    if access.command is not None:
        return access.command
    return "" if access.real is None else shown(access.real, folder)
