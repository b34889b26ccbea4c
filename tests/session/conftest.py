from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_lsp.session import Session, SessionStore
from tests.session.conversation import SESSION_ID, user, write_session


@pytest.fixture
def store(folder: Path) -> SessionStore:
    return SessionStore(folder)


@pytest.fixture
def session(store: SessionStore) -> Iterator[Session]:
    """A session that has begun: its file holds the model and one question."""
    session = store.create()
    session.append_model_change("anthropic", "sonnet")
    session.append_thinking_level_change("medium")
    session.append_message(user("first"))
    yield session
    session.close()


@pytest.fixture
def reopened(store: SessionStore) -> Callable[[Session], Session]:
    """The same session after its server ended and another one started."""

    def reopen(session: Session) -> Session:
        session.close()
        return store.open(session.id)

    return reopen


@pytest.fixture
def opened(folder: Path, store: SessionStore) -> Callable[..., Session]:
    """A session from a file that was written by hand."""

    def open_written(content: bytes | list[dict[str, object]]) -> Session:
        write_session(folder, content)
        return store.open(SESSION_ID)

    return open_written
