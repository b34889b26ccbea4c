"""pi's `models.json` as a layer of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_lsp.settings import load_settings
from tests.settings.conftest import WriteJson


def test_models_of_a_compatible_service_are_found(directory: Path, write_json: WriteJson) -> None:
    write_json(
        directory / "models.json",
        {
            "providers": {
                "llama": {
                    "api": "anthropic-messages",
                    "baseUrl": "http://127.0.0.1:8080",
                    "models": [
                        {
                            "id": "small",
                            "contextWindow": 32768,
                            "thinkingLevelMap": {"off": None, "high": "big"},
                            "compat": {"anything": True},
                        }
                    ],
                }
            }
        },
    )

    loaded = load_settings()

    assert loaded.warnings == []
    [model] = loaded.settings.models
    assert (model.provider, model.id, model.context_window) == ("llama", "small", 32768)
    assert model.thinking_level_map == {"off": None, "high": "big"}
    assert loaded.user_providers["llama"].base_url == "http://127.0.0.1:8080"


def test_services_that_speak_another_language_are_left_out_without_a_word(
    directory: Path, write_json: WriteJson
) -> None:
    write_json(
        directory / "models.json",
        {
            "providers": {
                "ollama": {
                    "api": "openai-completions",
                    "baseUrl": "http://127.0.0.1:11434/v1",
                    "models": [{"id": "one"}, {"id": "two", "api": "anthropic-messages"}],
                },
                "openai": {"baseUrl": "https://proxy.example"},
            }
        },
    )

    loaded = load_settings()

    assert loaded.warnings == []
    assert [model.id for model in loaded.settings.models] == ["two"]
    assert list(loaded.user_providers) == ["ollama"]


def test_anthropic_can_be_sent_through_a_proxy(directory: Path, write_json: WriteJson) -> None:
    write_json(
        directory / "models.json", {"providers": {"anthropic": {"baseUrl": "https://p.example"}}}
    )

    assert load_settings().user_providers["anthropic"].base_url == "https://p.example"


def test_settings_win_over_models_json(directory: Path, write_json: WriteJson) -> None:
    write_json(
        directory / "models.json", {"providers": {"anthropic": {"baseUrl": "https://low.example"}}}
    )
    write_json(
        directory / "settings.json", {"providers": {"anthropic": {"baseUrl": "https://up.example"}}}
    )

    assert load_settings().user_providers["anthropic"].base_url == "https://up.example"


def test_comments_and_trailing_commas_are_fine(directory: Path) -> None:
    (directory / "models.json").write_text(
        '{ // mine\n "providers": {"anthropic": {"baseUrl": "http://a//b,}",},},}'
    )

    loaded = load_settings()

    assert loaded.warnings == []
    assert loaded.user_providers["anthropic"].base_url == "http://a//b,}"


@pytest.mark.parametrize(
    ("providers", "path"),
    [
        ([], "providers"),
        ({"anthropic": 3}, "providers.anthropic"),
        ({"anthropic": {"baseUrl": "not a url"}}, "providers.anthropic.baseUrl"),
        ({"anthropic": {"models": [{"name": "x"}]}}, "providers.anthropic.models[0].id"),
        (
            {"anthropic": {"models": [{"id": "x", "maxTokens": -5}]}},
            "providers.anthropic.models[0].maxTokens",
        ),
        (
            {"anthropic": {"models": [{"id": "x", "baseUrl": "http://other.example"}]}},
            "providers.anthropic.models[0]",
        ),
    ],
)
def test_what_cannot_be_used_is_named_as_it_stands_in_the_file(
    providers: object, path: str, directory: Path, write_json: WriteJson
) -> None:
    write_json(directory / "models.json", {"providers": providers})

    [warning] = load_settings().warnings

    assert f"`{path}`" in warning
    assert "models.json" in warning
