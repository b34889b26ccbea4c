"""The wheel and the sdist, built as for a release, and each installed alone.

"Alone" means without this repository: the installed packages of the dependencies are borrowed from
the environment of the tests, since fetching them anew would take most of a minute. `make package`
does that too.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Distributions:
    """The files of a release."""

    wheel: Path
    sdist: Path


@dataclass(frozen=True)
class Installed:
    """An environment in which one of them is installed.

    Attributes:
        kind: `wheel` or `sdist`.
        programs: where its programs lie.
        packages: where its packages lie.
    """

    kind: str
    programs: Path
    packages: Path

    @property
    def python(self) -> Path:
        return self.programs / "python"

    @property
    def command(self) -> Path:
        """`pi-lsp`."""
        return self.programs / "pi-lsp"


@pytest.fixture(scope="package")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The sdist, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    _run(*build, str(REPOSITORY))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Distributions(wheel, sdist)


@pytest.fixture(scope="package", params=["wheel", "sdist"])
def installed(
    request: pytest.FixtureRequest,
    distributions: Distributions,
    tmp_path_factory: pytest.TempPathFactory,
) -> Installed:
    """An environment with only the wheel, or only the sdist, and the dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=sys.platform != "win32")
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(_run(str(programs / "python"), "-c", ask).strip())
    # Its paths are appended to the search path and nothing more: an editable install of this
    # repository, which works by a file there, does not come along.
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "borrowed.pth").write_text("\n".join(sorted(borrowed)), encoding="utf-8")
    result = Installed(request.param, programs, packages)
    artifact = distributions.wheel if result.kind == "wheel" else distributions.sdist
    pip = [sys.executable, "-m", "pip", "--python", str(result.python), "--quiet"]
    _run(*pip, "install", "--no-deps", "--no-build-isolation", "--no-index", str(artifact))
    return result


def _run(*command: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
