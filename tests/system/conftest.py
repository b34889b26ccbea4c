"""Other systems than the one that the tests run on."""

from __future__ import annotations

import pytest

from pi_lsp import system


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own code takes this for Windows; the libraries do not."""
    monkeypatch.setattr(system, "is_windows", lambda: True)
    monkeypatch.setattr(system, "is_mac", lambda: False)


@pytest.fixture
def on_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "is_windows", lambda: False)
    monkeypatch.setattr(system, "is_mac", lambda: True)
