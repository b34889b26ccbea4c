"""The agent's interface to an editor (`pi_lsp.tools.editor`), over LSP."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Literal

from pi_lsp.messages import JsonObject
from pi_lsp.server.approvals import Approvals
from pi_lsp.server.client import Client, ClientError
from pi_lsp.server.open_documents import OpenDocuments, TextDocument, normalised, path_of
from pi_lsp.server.positions import index_at
from pi_lsp.server.protocol.client_requests import (
    DocumentDiagnostics,
    TextEdit,
    WireDiagnostic,
)
from pi_lsp.server.text_edits import smallest_edits
from pi_lsp.tools.editor import (
    Diagnostic,
    EditOutcome,
    FileDiagnostics,
    OpenDocument,
    Question,
    Reply,
)

logger = logging.getLogger(__name__)

REPORT_TIMEOUT = 3.0
"""Seconds in which an editor must report a change that it says it has made. Neovim waits 150 ms
before it does."""

ANSWER_TIMEOUT = 30.0
"""Seconds in which an editor must answer what needs no person."""

Severity = Literal["error", "warning", "information", "hint"]
_SEVERITIES: dict[int | None, Severity] = {1: "error", 2: "warning", 3: "information", 4: "hint"}


class LspEditor:
    """One editor, as the agent of one folder sees it.

    Args:
        client: the editor.
        documents: what it has open.
        approvals: asks the person.
    """

    def __init__(self, client: Client, documents: OpenDocuments, approvals: Approvals) -> None:
        self._client = client
        self._documents = documents
        self._approvals = approvals

    def document(self, path: Path) -> OpenDocument | None:
        document = self._documents.at(path)
        return None if document is None else _as_seen(document)

    def documents(self) -> list[OpenDocument]:
        found = (_as_seen(one) for one in self._documents.all())
        return [one for one in found if one is not None]

    async def replace(self, document: OpenDocument, text: str) -> EditOutcome:
        held = self._documents.at(document.path)
        if held is None:
            return EditOutcome(False, document.text, failure="the document was closed meanwhile")
        if held.version != document.version:
            return EditOutcome(False, held.text, failure="the document was changed meanwhile")
        if not self._client.abilities.apply_edit:
            return EditOutcome(False, held.text, failure="the editor takes no edits from a server")
        failure = await self._apply(held, text)
        if failure is not None:
            return EditOutcome(False, held.text, failure=failure)
        saved = not document.dirty and await self._save(held)
        return EditOutcome(True, held.text, saved)

    async def ask(self, question: Question) -> Reply:
        return await self._approvals.ask(question)

    @property
    def has_diagnostics(self) -> bool:
        return self._client.abilities.pi.diagnostics

    async def diagnostics(self, paths: list[Path] | None = None) -> list[FileDiagnostics]:
        if not self.has_diagnostics:
            return []
        uris = None if paths is None else [self._uri(path) for path in paths]
        try:
            answer = await asyncio.wait_for(self._client.diagnostics(uris), ANSWER_TIMEOUT)
        except (ClientError, asyncio.TimeoutError) as error:
            logger.info("the editor gave no diagnostics: %s", error)
            return []
        found = (self._file_diagnostics(one) for one in answer)
        return [one for one in found if one is not None]

    async def _apply(self, held: TextDocument, text: str) -> str | None:
        """Have a document changed; returns why it was not. What the editor reports decides."""
        edits = smallest_edits(held, text)
        if not edits:
            return None
        try:
            refusal = await asyncio.wait_for(
                self._client.apply_edit(self._workspace_edit(held, edits)), ANSWER_TIMEOUT
            )
        except (ClientError, asyncio.TimeoutError) as error:
            refusal = str(error) or "the editor did not answer"
        expected = normalised(text)
        if await held.becomes(expected, 0 if refusal else REPORT_TIMEOUT):
            return None
        return refusal or "the editor said that it made the edit, but shows another text"

    def _workspace_edit(self, held: TextDocument, edits: list[TextEdit]) -> JsonObject:
        changed = [edit.to_wire() for edit in edits]
        if not self._client.abilities.document_changes:
            return {"changes": {held.uri: changed}}
        document = {"uri": held.uri, "version": held.version}
        return {"documentChanges": [{"textDocument": document, "edits": changed}]}

    async def _save(self, held: TextDocument) -> bool:
        """Have a document saved; returns whether it was. Saving may change it (a formatter)."""
        if not self._client.abilities.pi.save:
            return False
        try:
            saved = await asyncio.wait_for(self._client.save([held.uri]), ANSWER_TIMEOUT)
        except (ClientError, asyncio.TimeoutError) as error:
            logger.info("the editor did not save %s: %s", held.uri, error)
            return False
        return any(uri == held.uri or path_of(uri) == held.path for uri in saved)

    def _uri(self, path: Path) -> str:
        held = self._documents.at(path)
        return held.uri if held is not None else path.as_uri()

    def _file_diagnostics(self, found: DocumentDiagnostics) -> FileDiagnostics | None:
        path = path_of(found.uri)
        if path is None:
            return None
        held = self._documents.at(path)
        return FileDiagnostics(
            path, [self._diagnostic(one, held) for one in found.items], found.version
        )

    def _diagnostic(self, found: WireDiagnostic, held: TextDocument | None) -> Diagnostic:
        start = found.range.start
        column = start.character
        if held is not None and start.line < len(held.lines):
            column = index_at(held.lines[start.line], column, self._documents.encoding)
        return Diagnostic(
            line=start.line + 1,
            column=column + 1,
            severity=_SEVERITIES.get(found.severity, "error"),
            message=found.message,
            source=found.source,
            code=None if found.code is None else str(found.code),
        )


def _as_seen(document: TextDocument) -> OpenDocument | None:
    if document.path is None:
        return None
    return OpenDocument(document.path, document.text, document.version, document.is_dirty())
