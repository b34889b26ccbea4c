"""Opening a text of ours in an editor without a plugin."""

from __future__ import annotations

import itertools
import logging
import shutil
import tempfile
from pathlib import Path

from pi_lsp.server.client import Client, ClientError
from pi_lsp.server.virtual_documents import VirtualDocuments

logger = logging.getLogger(__name__)


class TextViewer:
    """Shows texts as documents: under a `pi:` URI where the editor can open it, else as files
    that are there until `close`.

    Args:
        client: the editor.
        texts: keeps the texts for an editor that opens `pi:` documents.
    """

    def __init__(self, client: Client, texts: VirtualDocuments) -> None:
        self._client = client
        self._texts = texts
        self._numbers = itertools.count(1)
        self._directory: Path | None = None

    async def show(self, kind: str, suffix: str, text: str) -> bool:
        """Open a text; returns whether it is shown.

        Args:
            kind: what it is (`answer`), for its name.
            suffix: says how it looks (`.md`).
        """
        if not self._client.abilities.show_document:
            return False
        try:
            return await self._client.show_document(self._document(kind, suffix, text))
        except (ClientError, OSError) as error:
            logger.info("a text could not be shown as a document: %s", error)
            return False

    def close(self) -> None:
        """Take away the files that were shown."""
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)

    def _document(self, kind: str, suffix: str, text: str) -> str:
        """Put a text where the editor can open it; returns the URI."""
        name = f"{kind}-{next(self._numbers)}{suffix}"
        if self._client.abilities.text_document_content:
            return self._texts.keep(kind, f"{id(self):x}", name, text)
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="pi-lsp-"))
        path = self._directory / name
        path.write_text(text, encoding="utf-8", errors="replace")
        return path.as_uri()
