"""The real pi 1.6.0 on the Node that it needs, both from npm (`make test` installs them)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(__file__).parent / "node_modules"
NODE = MODULES / ".bin" / "node"
PI = MODULES / "@earendil-works" / "pi-coding-agent"

AskPi = Callable[..., Any]


@pytest.fixture
def pi_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pi's own directory, empty, for both programs."""
    directory = tmp_path / "agent"
    directory.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(directory))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return directory


@pytest.fixture
def ask_pi(pi_home: Path) -> AskPi:
    """Run a JavaScript function in one of pi's modules: `ask_pi(module, script, *arguments)`.

    The script sees the module as `pi`, pi's directory as `home` and the arguments as `args`; what
    it returns comes back.
    """
    if not NODE.exists():
        pytest.skip("the real pi is not installed: make test installs it")

    def ask(module: str, script: str, *arguments: Any) -> Any:
        source = (PI / "dist" / f"{module}.js").as_uri()
        program = (
            f"const pi = await import({json.dumps(source)});"
            "const [home, args] = JSON.parse(process.argv[1]);"
            f"const answer = await (async () => {{ {script} }})();"
            "console.log(JSON.stringify(answer ?? null));"
        )
        done = subprocess.run(
            [
                str(NODE),
                "--input-type=module",
                "-e",
                program,
                json.dumps([str(pi_home), arguments]),
            ],
            env={**os.environ, "HOME": str(pi_home.parent), "PI_OFFLINE": "1"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return json.loads(done.stdout)

    return ask
