"""Where keys and base URLs come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.credentials import Credentials
from pi_lsp.settings import load_settings
from tests.settings.conftest import WriteJson

pytestmark = pytest.mark.usefixtures("directory")


def credentials(environ: dict[str, str] | None = None, client: Any = None) -> Credentials:
    return Credentials(load_settings(client=client), environ=environ or {})


def with_auth(directory: Path, write_json: WriteJson, entry: object) -> None:
    write_json(directory / "auth.json", {"anthropic": entry})


def test_without_a_key_the_sentence_says_where_to_put_one(directory: Path) -> None:
    found = credentials()

    assert found.key("anthropic") is None
    assert found.base_url("anthropic") is None
    sentence = found.missing_key("anthropic")
    assert "ANTHROPIC_API_KEY" in sentence
    assert str(directory / "auth.json") in sentence


def test_the_first_place_that_has_a_key_wins(directory: Path, write_json: WriteJson) -> None:
    write_json(
        directory / "models.json", {"providers": {"anthropic": {"apiKey": "of models.json"}}}
    )
    assert credentials().key("anthropic") == "of models.json"

    write_json(directory / "settings.json", {"providers": {"anthropic": {"apiKey": "of settings"}}})
    assert credentials().key("anthropic") == "of settings"

    with_auth(directory, write_json, {"type": "api_key", "key": "of auth.json"})
    assert credentials().key("anthropic") == "of auth.json"

    environ = {"ANTHROPIC_API_KEY": "of the environment"}
    assert credentials(environ).key("anthropic") == "of the environment"

    client = {"providers": {"anthropic": {"apiKey": "of the client"}}}
    found = credentials(environ, client)
    assert found.key("anthropic") == "of the client"

    found.set_key("anthropic", "typed in")
    assert found.key("anthropic") == "typed in"
    found.set_key("anthropic", "")
    assert found.key("anthropic") == "of the client"


def test_base_urls_come_from_client_environment_and_files(
    directory: Path, write_json: WriteJson
) -> None:
    write_json(
        directory / "settings.json", {"providers": {"anthropic": {"baseUrl": "http://file"}}}
    )
    environ = {"ANTHROPIC_BASE_URL": "http://environment"}
    client = {"providers": {"anthropic": {"baseUrl": "http://client"}}}

    assert credentials().base_url("anthropic") == "http://file"
    assert credentials(environ).base_url("anthropic") == "http://environment"
    assert credentials(environ, client).base_url("anthropic") == "http://client"


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("sk-plain", "sk-plain"),
        ("$KEY", "secret"),
        ("${KEY}", "secret"),
        ("sk-${KEY}-$KEY", "sk-secret-secret"),
        ("a$$b$!c", "a$b!c"),
        ("$", "$"),
        ("$1", "$1"),
        ("${KEY", "${KEY"),
        ("$UNSET", None),
        ("sk-$EMPTY", None),
        ("!echo ' printed '", "printed"),
        ("!echo $KEY_OF_SHELL", "of the shell"),
        ("!false", None),
        ("!true", None),
        ("!no-such-program-at-all", None),
    ],
)
def test_the_forms_of_values_in_the_persons_files(
    value: str,
    key: str | None,
    directory: Path,
    write_json: WriteJson,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEY_OF_SHELL", "of the shell")
    with_auth(directory, write_json, {"type": "api_key", "key": value})

    assert credentials({"KEY": "secret", "EMPTY": ""}).key("anthropic") == key


def test_a_key_that_the_client_sends_is_taken_as_it_is() -> None:
    client = {"providers": {"anthropic": {"apiKey": "!rm -rf /"}}}

    assert credentials(client=client).key("anthropic") == "!rm -rf /"


def test_variables_in_the_entry_come_before_the_environment(
    directory: Path, write_json: WriteJson
) -> None:
    entry = {"type": "api_key", "key": "$KEY", "env": {"KEY": "own"}}
    with_auth(directory, write_json, entry)

    assert credentials({"KEY": "outer"}).key("anthropic") == "own"


def test_a_command_is_asked_once(directory: Path, tmp_path: Path, write_json: WriteJson) -> None:
    asked = tmp_path / "asked"
    with_auth(directory, write_json, {"type": "api_key", "key": f"!echo x >> '{asked}'; echo key"})
    found = credentials()

    found.ask_commands()

    assert [found.key("anthropic"), found.key("anthropic")] == ["key", "key"]
    assert asked.read_text() == "x\n"


def test_a_command_that_hangs_is_given_up(
    directory: Path, write_json: WriteJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_lsp.settings.values.COMMAND_TIMEOUT_S", 0.05)
    with_auth(directory, write_json, {"type": "api_key", "key": "!sleep 60"})
    found = credentials()

    assert found.key("anthropic") is None
    assert "command" in found.missing_key("anthropic")


def test_a_login_with_a_subscription_is_answered_with_what_is_needed(
    directory: Path, write_json: WriteJson
) -> None:
    entry = {"type": "oauth", "access": "sk-a", "refresh": "sk-r", "expires": 1}
    with_auth(directory, write_json, entry)
    found = credentials()

    assert found.key("anthropic") is None
    sentence = found.missing_key("anthropic")
    assert "subscription" in sentence
    assert "API key" in sentence
    assert "sk-" not in sentence


def test_a_login_in_a_terminal_counts_at_once(directory: Path, write_json: WriteJson) -> None:
    found = credentials()
    assert found.key("anthropic") is None

    with_auth(directory, write_json, {"type": "api_key", "key": "new"})

    assert found.key("anthropic") == "new"


def test_a_variable_that_is_not_set_is_said(directory: Path, write_json: WriteJson) -> None:
    with_auth(directory, write_json, {"type": "api_key", "key": "$MISSING"})

    assert "variable that is not set" in credentials().missing_key("anthropic")


@pytest.mark.parametrize("content", ["{", "[]", '{"anthropic": "sk-secret"}', "\ufeff{}"])
def test_a_strange_auth_file_gives_no_key_and_harms_nothing(content: str, directory: Path) -> None:
    (directory / "auth.json").write_text(content, encoding="utf-8")
    found = credentials()

    assert found.key("anthropic") is None
    assert "sk-secret" not in found.missing_key("anthropic")
    assert all("sk-secret" not in problem for problem in found.problems())
    assert bool(found.problems()) == (content in ("{", "[]"))


def test_the_variables_that_hold_keys_are_known(directory: Path, write_json: WriteJson) -> None:
    write_json(
        directory / "auth.json",
        {
            "anthropic": {"type": "api_key", "key": "x-${MY_KEY}-$$NOT"},
            "llama": {"type": "api_key", "key": "!echo $NEITHER"},
        },
    )
    write_json(directory / "models.json", {"providers": {"anthropic": {"apiKey": "$UNUSED"}}})

    assert credentials().variables() == {"ANTHROPIC_API_KEY", "MY_KEY"}
