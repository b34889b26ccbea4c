"""pi's `trust.json`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pi_lsp.errors import StorageError
from pi_lsp.trust import TrustFile
from tests.settings.conftest import WriteJson

pytestmark = pytest.mark.usefixtures("directory")


def test_nothing_is_decided_before_somebody_decides(folder: Path, directory: Path) -> None:
    assert TrustFile().decision(folder) is None
    assert os.listdir(directory) == []


@pytest.mark.parametrize("trusted", [True, False])
def test_a_decision_is_kept(trusted: bool, folder: Path) -> None:
    TrustFile().decide(folder, not trusted)
    TrustFile().decide(folder, trusted)

    assert TrustFile().decision(folder) is trusted


def test_it_is_kept_as_pi_keeps_it(folder: Path, directory: Path, write_json: WriteJson) -> None:
    path = write_json(directory / "trust.json", {"/z": True, "/a": None})

    TrustFile().decide(folder, True)

    expected = {"/a": None, str(folder.resolve()): True, "/z": True}
    assert path.read_text() == json.dumps(expected, indent=2) + "\n"


def test_the_nearest_folder_decides(tmp_path: Path, directory: Path, write_json: WriteJson) -> None:
    write_json(
        directory / "trust.json",
        {
            str(tmp_path / "work"): True,
            str(tmp_path / "work/strange"): False,
            str(tmp_path / "work/strange/undecided"): None,
        },
    )
    trust = TrustFile()

    assert trust.decision(tmp_path / "work/mine/deep") is True
    assert trust.decision(tmp_path / "work/strange/undecided") is False
    assert trust.decision(tmp_path / "workshop") is None


def test_a_link_is_the_folder_that_it_leads_to(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)

    TrustFile().decide(link, True)

    assert TrustFile().decision(folder) is True
    assert TrustFile().decision(link) is True


@pytest.mark.parametrize("content", ["{", "[]", '{"/a": "yes"}'])
def test_a_file_that_is_not_understood_trusts_nothing_and_is_not_touched(
    content: str, folder: Path, directory: Path
) -> None:
    path = directory / "trust.json"
    path.write_text(content)

    with pytest.raises(StorageError):
        TrustFile().decision(folder)
    with pytest.raises(StorageError):
        TrustFile().decide(folder, True)

    assert path.read_text() == content
