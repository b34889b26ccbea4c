from __future__ import annotations

from pi_lsp.llm.catalogue import DEMO, Catalogue
from pi_lsp.llm.provider import Model
from pi_lsp.settings import ModelSettings


def anything(_model: Model) -> bool:
    return True


def without_key(model: Model) -> bool:
    return model.api == "demo"


def test_with_a_key_the_newest_sonnet_is_the_default() -> None:
    assert Catalogue().default(anything).id == "claude-sonnet-5-5"


def test_a_newer_sonnet_of_the_settings_becomes_the_default() -> None:
    newer = ModelSettings(provider="anthropic", id="claude-sonnet-10")
    assert Catalogue([newer]).default(anything).id == "claude-sonnet-10"


def test_without_a_key_the_demo_model_is_the_default() -> None:
    assert Catalogue().default(without_key) == DEMO


def test_the_default_of_the_settings_is_taken_when_it_can_be_used() -> None:
    catalogue = Catalogue()
    assert catalogue.default(anything, model_id="claude-opus-5").id == "claude-opus-5"
    assert catalogue.default(anything, model_id="anthropic/claude-opus-5").id == "claude-opus-5"
    assert catalogue.default(anything, provider="demo") == DEMO
    assert catalogue.default(anything, provider="anthropic").id == "claude-sonnet-5-5"
    assert catalogue.default(without_key, model_id="claude-opus-5") == DEMO


def test_a_default_that_nobody_knows_falls_back() -> None:
    assert Catalogue().default(anything, provider="x", model_id="y").id == "claude-sonnet-5-5"


def test_a_local_model_of_the_settings_is_known_with_what_they_say() -> None:
    local = ModelSettings(provider="llama", id="qwen", context_window=32_000, max_tokens=4000)
    found = Catalogue([local]).find("llama", "qwen")
    assert found is not None
    assert (found.api, found.context_window, found.max_tokens) == (
        "anthropic-messages",
        32_000,
        4000,
    )
    assert found.name == "qwen"
    assert found.input == ("text",)
    assert found.cost.input == 0


def test_settings_change_only_what_they_name_of_a_known_model() -> None:
    known = Catalogue().find("anthropic", "claude-sonnet-5-5")
    smaller = ModelSettings(provider="anthropic", id="claude-sonnet-5-5", context_window=50_000)
    changed = Catalogue([smaller]).find("anthropic", "claude-sonnet-5-5")
    assert known is not None
    assert changed is not None
    assert changed.context_window == 50_000
    assert (changed.max_tokens, changed.cost, changed.input) == (
        known.max_tokens,
        known.cost,
        known.input,
    )


def test_the_demo_models_window_can_be_made_small() -> None:
    small = ModelSettings(provider="demo", id="demo", context_window=3000)
    found = Catalogue([small]).default(without_key)
    assert (found.api, found.context_window) == ("demo", 3000)


def test_the_built_in_list_holds_tiers_and_thinking_levels() -> None:
    haiku = Catalogue().find("anthropic", "claude-haiku-5-5")
    assert haiku is not None
    ((above, dearer),) = haiku.cost.tiers
    assert (above, dearer.input, dearer.cache_write) == (100_000, 0.5, 0.625)
    assert haiku.adaptive_thinking
    assert haiku.thinking_levels is not None
    assert haiku.thinking_levels["minimal"] is None
