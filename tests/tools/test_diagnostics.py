"""What the editor's language servers found, as the model reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_lsp.tools.editor import Diagnostic, FileDiagnostics, OpenDocument
from tests.tools.fake_editor import Call, FakeEditor, fault_of, text_of


@pytest.fixture(autouse=True)
def project(folder: Path, editor: FakeEditor) -> None:
    """Two open files with findings."""

    def findings(document: OpenDocument) -> FileDiagnostics:
        items = [
            Diagnostic(7, 2, "warning", "unused\n  name", "ruff", "F401"),
            Diagnostic(3, 1, "error", "no such name"),
        ]
        return FileDiagnostics(document.path, items, document.version)

    for name in ("b.py", "src/a.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
        editor.show(folder / name, "")
    editor.show(folder.parent / "outside.py", "")
    editor.findings = findings


async def test_all_findings_of_the_workspace(call: Call):
    assert text_of(await call("diagnostics")).split("\n") == [
        "b.py:3:1 error: no such name",
        "b.py:7:2 warning: unused name (ruff F401)",
        "src/a.py:3:1 error: no such name",
        "src/a.py:7:2 warning: unused name (ruff F401)",
    ]


@pytest.mark.parametrize("path", ["src", "src/a.py"])
async def test_the_findings_of_a_part(call: Call, path: str):
    lines = text_of(await call("diagnostics", path=path)).split("\n")
    assert [line.partition(":")[0] for line in lines] == ["src/a.py", "src/a.py"]


async def test_no_findings_are_said(call: Call, editor: FakeEditor):
    editor.findings = lambda document: FileDiagnostics(document.path)
    assert text_of(await call("diagnostics")) == "No findings."


async def test_a_missing_file_is_a_clear_error(call: Call):
    assert "does not exist" in await fault_of(call("diagnostics", path="missing.py"))


async def test_an_editor_that_tells_nothing_is_a_clear_error(call: Call, editor: FakeEditor):
    editor.findings = None
    assert "does not tell" in await fault_of(call("diagnostics"))


async def test_a_long_list_is_cut(call: Call, editor: FakeEditor):
    item = Diagnostic(1, 1, "error", "x" * 100)
    editor.findings = lambda document: FileDiagnostics(document.path, [item] * 1000)
    text = text_of(await call("diagnostics"))
    assert len(text) < 52_000
    assert text.endswith("ask for one file.]")
