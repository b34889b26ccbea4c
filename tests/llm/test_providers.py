from __future__ import annotations

import subprocess
import sys

import pytest

from pi_lsp.errors import AuthError, ProviderError
from pi_lsp.llm.catalogue import DEMO, Catalogue
from pi_lsp.llm.provider import Model
from pi_lsp.llm.providers import Providers
from pi_lsp.settings import ModelSettings
from tests.llm.conftest import KEY
from tests.llm.words import answer_of, model, request, user
from tests.messages_api import MessagesApi, Text

LOCAL = Catalogue([ModelSettings(provider="llama", id="qwen")])


def providers(keys: dict[str, str] | None = None, urls: dict[str, str] | None = None) -> Providers:
    return Providers(LOCAL, (keys or {}).get, (urls or {}).get, "no key for {}: set one".format)


def local_model() -> Model:
    found = LOCAL.find("llama", "qwen")
    assert found is not None
    return found


def test_without_a_key_only_the_demo_model_is_available() -> None:
    without = providers()
    assert without.available(DEMO)
    assert not without.available(model())
    assert not without.available(local_model())
    with pytest.raises(AuthError, match="no key for anthropic: set one"):
        without.get(model())


def test_a_local_service_needs_no_key_but_a_place() -> None:
    placed = providers(urls={"llama": "http://127.0.0.1:1"})
    assert placed.available(local_model())
    placed.get(local_model())


def test_the_key_of_a_service_is_never_sent_to_anthropic_because_its_place_is_unknown() -> None:
    with pytest.raises(ProviderError, match=r"providers\.llama\.baseUrl"):
        providers(keys={"llama": "secret"}).get(local_model())


def test_one_provider_serves_until_its_key_changes() -> None:
    keys = {"anthropic": "one"}
    changing = providers(keys)
    first = changing.get(model())
    assert changing.get(model("claude-opus-5")) is first
    keys["anthropic"] = "two"
    assert changing.get(model()) is not first


def test_the_sdk_is_imported_only_when_a_model_needs_it() -> None:
    """In a process of its own, since here other tests have imported it."""
    story = """
import asyncio, sys
from pi_lsp.llm.catalogue import DEMO, Catalogue
from pi_lsp.llm.providers import Providers
providers = Providers(Catalogue(), {"anthropic": "key"}.get, {}.get, str)
sonnet = providers.catalogue.default(providers.available)
providers.get(sonnet)
asyncio.run(providers.warm_up(DEMO))
assert not {"anthropic", "httpx2", "tiktoken"} & sys.modules.keys()
asyncio.run(providers.warm_up(sonnet))
assert "anthropic" in sys.modules
"""
    subprocess.run([sys.executable, "-c", story], check=True)


async def test_closing_lets_go_of_all_that_were_made(api: MessagesApi) -> None:
    api.reply(Text("Hello."))
    made = providers({"anthropic": KEY}, {"anthropic": f"{api.url}/v1"})
    answer, _ = await answer_of(made.get(model()), request(user("hi")))
    await made.close()
    assert answer.stop_reason == "stop"
