"""What an editor is like in tests: what it can do, and what is in its buffers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

JsonObject = dict[str, Any]
Answer = Callable[[JsonObject], Any]
"""Answers a request of the server; may be async. What it raises goes back as an error."""

PLUGIN: JsonObject = {"approval": True, "diagnostics": True, "save": True}
"""`experimental.pi` of an editor with a plugin that answers everything."""

_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@dataclass
class Buffer:
    """An open document as the person sees it."""

    uri: str
    text: str
    version: int = 1
    dirty: bool = False


@dataclass
class Editor:
    """What the editor is like, and what is in its buffers.

    Attributes:
        pi: `capabilities.experimental.pi`; None for an editor without a plugin.
        answers: by method; these come before the editor's own answers.
        on_save: gives the text that saving makes of a text (a formatter).
    """

    pi: JsonObject | None = field(default_factory=lambda: dict(PLUGIN))
    encoding: str = "utf-16"
    answers: dict[str, Answer] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    on_save: Callable[[str], str] = lambda text: text
    more_capabilities: JsonObject = field(default_factory=dict)

    def capabilities(self) -> JsonObject:
        """What it says of itself in `initialize`."""
        experimental = {} if self.pi is None else {"experimental": {"pi": self.pi}}
        return {
            "general": {"positionEncodings": [self.encoding]},
            "workspace": {
                "applyEdit": True,
                "workspaceEdit": {"documentChanges": True},
                "workspaceFolders": True,
            },
            **experimental,
            **self.more_capabilities,
        }

    def index(self, text: str, position: JsonObject) -> int:
        """Where a position of the wire is in a text."""
        lines = [*re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text), ""]
        codec, width = _CODECS[self.encoding]
        before = "".join(lines[: position["line"]])
        line = lines[position["line"]].encode(codec)[: position["character"] * width]
        return len(before) + len(line.decode(codec))
