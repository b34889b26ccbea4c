"""A workspace folder, an editor that holds documents, and calls as a model makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.tools.files import FileMemory
from pi_lsp.tools.tool import ToolContext, ToolResult
from pi_lsp.tools.toolset import Toolset
from tests.tools.fake_editor import Call, FakeEditor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace folder, links resolved."""
    path = tmp_path.resolve() / "project"
    path.mkdir()
    return path


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()


@pytest.fixture
def context(folder: Path, editor: FakeEditor) -> ToolContext:
    return ToolContext(folder, editor, FileMemory())


@pytest.fixture
def call(context: ToolContext) -> Call:
    """Calls a tool with arguments as a model sends them."""
    toolset = Toolset(has_diagnostics=True)

    async def run(name: str, **arguments: Any) -> ToolResult:
        tool, parameters = toolset.prepare(name, arguments)
        return await tool.run(parameters, context)

    return run
