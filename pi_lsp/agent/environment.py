"""What a folder gives its agent to work with; all of it may change while the server runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pi_lsp.agent.context_files import ContextFile
from pi_lsp.agent.input import Attach
from pi_lsp.llm.providers import Providers
from pi_lsp.settings import Settings
from pi_lsp.tools.approval import Approval
from pi_lsp.tools.editor import Editor
from pi_lsp.tools.toolset import Toolset


@dataclass
class Environment:
    """
    Attributes:
        folder: the workspace folder, absolute, links resolved.
        attach: renders what a person attached to a message.
        context_files: instructions of the user and the project, the most general first.
        key_variables: variables that hold keys, beside the usual ones; commands do not get them.
    """

    folder: Path
    settings: Settings
    providers: Providers
    editor: Editor
    toolset: Toolset
    approval: Approval
    attach: Attach
    context_files: list[ContextFile] = field(default_factory=list[ContextFile])
    key_variables: frozenset[str] = frozenset()
