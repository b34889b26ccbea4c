"""An editor with open documents, for tools; and the words of results and faults."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pi_lsp.tools.editor import EditOutcome, FileDiagnostics, OpenDocument, Question, Reply
from pi_lsp.tools.tool import ToolFault, ToolResult

Call = Callable[..., Awaitable[ToolResult]]


@dataclass
class FakeEditor:
    """An editor with open documents; what it does with an edit can be set.

    Attributes:
        refuse: the failure that every edit meets.
        on_save: what saving makes of a text, as a formatter does.
        findings: what its servers say of a document, asked with its text.
        text_after_refusal: what it shows then; None for what it showed before.
    """

    open: dict[Path, OpenDocument] = field(default_factory=dict[Path, OpenDocument])
    refuse: str | None = None
    text_after_refusal: str | None = None
    saves: bool = True
    on_save: Callable[[str], str] = lambda text: text
    findings: Callable[[OpenDocument], FileDiagnostics] | None = None
    replacements: list[str] = field(default_factory=list[str])

    def show(self, path: Path, text: str, *, dirty: bool = False) -> None:
        self.open[path] = OpenDocument(path, text, 1, dirty)

    @property
    def has_diagnostics(self) -> bool:
        return self.findings is not None

    def document(self, path: Path) -> OpenDocument | None:
        return self.open.get(path)

    def documents(self) -> list[OpenDocument]:
        return list(self.open.values())

    async def replace(self, document: OpenDocument, text: str) -> EditOutcome:
        if self.refuse is not None:
            shown = self.text_after_refusal or document.text
            return EditOutcome(applied=False, text=shown, failure=self.refuse)
        self.replacements.append(text)
        saved = self.saves and not document.dirty
        if saved:
            text = self.on_save(text)
            document.path.write_bytes(text.encode())
        self.open[document.path] = replace(
            document, text=text, version=document.version + 1, dirty=not saved
        )
        return EditOutcome(applied=True, text=text, saved=saved)

    async def ask(self, question: Question) -> Reply:
        return Reply("deny", "nobody is there to ask")

    async def diagnostics(self, paths: list[Path] | None = None) -> list[FileDiagnostics]:
        if self.findings is None:
            return []
        wanted = self.open if paths is None else paths
        return [self.findings(self.open[path]) for path in wanted if path in self.open]


def text_of(result: ToolResult) -> str:
    """The text of a result."""
    return "\n".join(block["text"] for block in result.content if block["type"] == "text")


async def fault_of(call: Awaitable[ToolResult]) -> str:
    """The words of a call that must fail."""
    with pytest.raises(ToolFault) as caught:
        await call
    return caught.value.message
