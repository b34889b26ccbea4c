"""What a release holds: all of the package, and nothing that only lies around."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

from pi_lsp import __version__
from tests.packaging.conftest import REPOSITORY, Distributions


def test_the_package_is_in_both_as_it_is_here(distributions: Distributions):
    here = package_files(REPOSITORY)
    assert in_package(names_in_wheel(distributions)) == here
    assert in_package(names_in_sdist(distributions)) == here


@pytest.mark.parametrize(
    "name",
    [
        "pi_lsp/py.typed",
        "pi_lsp/compaction/data/cl100k_base.tiktoken",
        "pi_lsp/compaction/data/NOTICE.txt",
        "pi_lsp/llm/data/anthropic-models.json",
        "pi_lsp/session/export/page.css",
    ],
)
def test_what_is_no_code_comes_along(name: str, distributions: Distributions):
    with zipfile.ZipFile(distributions.wheel) as wheel:
        assert wheel.read(name) == (REPOSITORY / name).read_bytes()


def test_a_wheel_brings_nothing_but_the_package(distributions: Distributions):
    places = {name.split("/")[0] for name in names_in_wheel(distributions)}
    assert places == {"pi_lsp", f"pi_lsp-{__version__}.dist-info"}
    with zipfile.ZipFile(distributions.wheel) as wheel:
        licence = wheel.read(f"pi_lsp-{__version__}.dist-info/licenses/LICENSE")
    assert licence == (REPOSITORY / "LICENSE").read_bytes()


def test_an_sdist_brings_the_documentation_too(distributions: Distributions):
    names = names_in_sdist(distributions)
    assert {"README.md", "CHANGELOG.md", "LICENSE", "docs/settings.md"} <= names
    assert {name.split("/")[0] for name in names} <= {
        *("pi_lsp", "docs", "README.md", "CHANGELOG.md", "LICENSE"),
        *("pyproject.toml", "PKG-INFO", ".gitignore"),
    }


def test_what_is_said_of_it(distributions: Distributions):
    with zipfile.ZipFile(distributions.wheel) as wheel:
        folder = f"pi_lsp-{__version__}.dist-info"
        said = HeaderParser().parsestr(wheel.read(f"{folder}/METADATA").decode())
        commands = wheel.read(f"{folder}/entry_points.txt").decode()
    assert said["Version"] == __version__
    assert said["Requires-Python"] == ">=3.10"
    assert said["License-Expression"] == "MIT"
    assert said.get_payload() == (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert commands.split("\n")[:2] == ["[console_scripts]", "pi-lsp = pi_lsp.cli:main"]


def names_in_wheel(distributions: Distributions) -> set[str]:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        return set(wheel.namelist())


def names_in_sdist(distributions: Distributions) -> set[str]:
    """The files, without the folder that holds them all."""
    with tarfile.open(distributions.sdist) as sdist:
        return {name.partition("/")[2] for name in sdist.getnames()}


def in_package(names: set[str]) -> set[str]:
    return {name for name in names if name.startswith("pi_lsp/")}


def package_files(repository: Path) -> set[str]:
    """The files of the package, without what Python itself puts there."""
    files = (path for path in (repository / "pi_lsp").rglob("*") if path.is_file())
    return {
        path.relative_to(repository).as_posix() for path in files if "__pycache__" not in path.parts
    }
