"""Session files on Windows: what is open elsewhere, and folders that cannot be synced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_lsp.session.disk_file import sync_directory, write_whole

pytestmark = pytest.mark.usefixtures("on_windows")


def test_a_session_that_another_program_reads_is_replaced_when_it_lets_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    session = tmp_path / "a.jsonl"
    session.write_bytes(b"old")
    refused: list[object] = []

    def refuse_first(source: Path, target: Path, replace=os.replace) -> None:
        if not refused:
            refused.append(target)
            raise PermissionError(13, "Access is denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse_first)
    write_whole(session, [b"one\n", b"two\n"])
    assert refused == [session]
    assert session.read_bytes() == b"one\ntwo\n"
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_a_folder_is_not_synced_where_that_is_not_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    sync_directory(tmp_path)
