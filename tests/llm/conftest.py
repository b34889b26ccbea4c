from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from pi_lsp.llm.anthropic.provider import AnthropicProvider
from tests.messages_api import MessagesApi

KEY = "sk-ant-test-0123456789"


@pytest.fixture(autouse=True)
def _no_proxy_and_no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the developer's own environment says must not reach these tests."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with MessagesApi(key=KEY) as running:
        yield running


@pytest.fixture
async def provider(api: MessagesApi) -> AsyncIterator[AnthropicProvider]:
    made = AnthropicProvider(KEY, api.url)
    yield made
    await made.close()
