"""What the agent may ask of an editor; the server gives one over LSP, others have none.

Nothing here decides: whether a call needs approval is `pi_lsp.tools.approval`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pi_lsp.messages import JsonObject

Decision = Literal["allow", "allowSession", "allowAlways", "deny"]


@dataclass(frozen=True)
class OpenDocument:
    """A document as the editor shows it. `dirty`: it differs from what was last saved."""

    path: Path
    text: str
    version: int
    dirty: bool


@dataclass(frozen=True)
class EditOutcome:
    """What became of an edit of an open document.

    Attributes:
        applied: the editor's own report shows the new text.
        text: the text that the editor shows now.
        saved: it was written to disk too.
        failure: why it was not applied, in the editor's words; None when it was.
    """

    applied: bool
    text: str
    saved: bool = False
    failure: str | None = None


@dataclass(frozen=True)
class Question:
    """May this call run?

    Attributes:
        args: the arguments as the model sent them.
        title: one line for people that says what would happen.
        diff: unified, of `before` and `after`; for a call that changes a file.
        path: the file or folder, as people are shown it; None for a command.
        subject: what a rule would speak of: the command, or the path.
    """

    tool_call_id: str
    tool_name: str
    args: JsonObject
    title: str
    diff: str | None = None
    before: str | None = None
    after: str | None = None
    path: str | None = None
    outside_workspace: bool = False
    subject: str = ""


@dataclass(frozen=True)
class Reply:
    """The person's answer; `reason` is told to the model when it is no."""

    decision: Decision
    reason: str | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One finding; lines and columns count from 1."""

    line: int
    column: int
    severity: Literal["error", "warning", "information", "hint"]
    message: str
    source: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class FileDiagnostics:
    """Findings of one file; `version` is the document version they are of, where known."""

    path: Path
    items: list[Diagnostic] = field(default_factory=list[Diagnostic])
    version: int | None = None


class Editor(Protocol):
    """The editor around the agent. Paths are absolute, links resolved."""

    def document(self, path: Path) -> OpenDocument | None:
        """The open document of this file, or None."""
        ...

    def documents(self) -> list[OpenDocument]:
        """All open documents that are files."""
        ...

    async def replace(self, document: OpenDocument, text: str) -> EditOutcome:
        """Change an open document to `text`, as one undo step, by the smallest edits.

        A document that was clean is saved; one with the person's own changes is not.
        """
        ...

    async def ask(self, question: Question) -> Reply:
        """Ask the person. With nobody there the reply is no. Cancelling withdraws the question."""
        ...

    @property
    def has_diagnostics(self) -> bool:
        """Whether `diagnostics` can tell anything."""
        ...

    async def diagnostics(self, paths: list[Path] | None = None) -> list[FileDiagnostics]:
        """What the editor's servers found in these files; in all files for None."""
        ...


class NoEditor:
    """No editor around: no open documents, and nobody to ask."""

    has_diagnostics = False

    def document(self, path: Path) -> OpenDocument | None:
        return None

    def documents(self) -> list[OpenDocument]:
        return []

    async def replace(self, document: OpenDocument, text: str) -> EditOutcome:
        return EditOutcome(applied=False, text=document.text, failure="no editor is connected")

    async def ask(self, question: Question) -> Reply:
        return Reply("deny", "nobody is there to ask")

    async def diagnostics(self, paths: list[Path] | None = None) -> list[FileDiagnostics]:
        return []
