"""What holds for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast an example is says something of the machine, and nothing of what is tested.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workspace folder."""
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The person's home, with nothing in it."""
    made = tmp_path / "home"
    made.mkdir()
    return made
