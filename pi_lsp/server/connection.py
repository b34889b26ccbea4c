"""What all folders of one server share of the editor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pi_lsp.server.client import Client
from pi_lsp.server.event_sender import Outlet
from pi_lsp.server.open_documents import OpenDocuments
from pi_lsp.server.virtual_documents import VirtualDocuments


@dataclass(frozen=True)
class Connection:
    """The editor, the way to it, what it has open, and what it can open.

    Attributes:
        log_file: where the log is written; None for standard error.
    """

    client: Client
    outlet: Outlet
    documents: OpenDocuments
    texts: VirtualDocuments
    log_file: Path | None = None
