"""A person's own directory of pi, and a way to write files into it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WriteJson = Callable[[Path, Any], Path]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pi's own directory, empty; found where a program looks for it."""
    place = tmp_path / "agent"
    place.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(place))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    return place


@pytest.fixture
def write_json() -> WriteJson:
    def write(path: Path, value: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write
