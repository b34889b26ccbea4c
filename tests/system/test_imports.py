"""All of the package can be imported where Python has no POSIX."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.system.windows import module_names


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, encoding="utf-8", check=False
    )


def test_every_module_is_imported_on_windows():
    done = run("-m", "tests.system.windows")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(module_names()) > 150


@pytest.mark.parametrize(
    "line", ["import fcntl", "import os; os.O_NOFOLLOW", "from os import fork"]
)
def test_there_what_only_posix_has_is_missing(line: str):
    """Or the test above would show nothing."""
    become_windows = "from tests.system.windows import become_windows; become_windows()"
    done = run("-c", f"{become_windows}\n{line}")
    assert done.returncode == 1
    assert "Error" in done.stderr
