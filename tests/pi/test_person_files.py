"""The person's files, shared with the real pi: trust, keys, settings, models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_lsp.credentials import Credentials
from pi_lsp.settings import ApprovalRule, keep_rule, load_settings
from pi_lsp.trust import TrustFile
from tests.pi.conftest import AskPi
from tests.pi.shared_folder import KEY, MODEL, SETTINGS, SharedFolder, kind_of_thinking, texts

TRUST = "core/trust-manager"


@pytest.mark.parametrize("trusted", [True, False])
def test_pi_knows_what_was_decided_here(trusted: bool, ask_pi: AskPi, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "deep").mkdir(parents=True)

    TrustFile().decide(folder, trusted)

    script = "return new pi.ProjectTrustStore(home).get(args[0])"
    assert ask_pi(TRUST, script, str(folder)) is trusted
    assert ask_pi(TRUST, script, str(folder / "deep")) is trusted
    assert ask_pi(TRUST, script, str(tmp_path)) is None


@pytest.mark.parametrize("trusted", [True, False])
def test_what_was_decided_in_pi_is_known_here(trusted: bool, ask_pi: AskPi, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()

    ask_pi(TRUST, "new pi.ProjectTrustStore(home).set(args[0], args[1])", str(folder), trusted)

    assert TrustFile().decision(folder) is trusted
    assert TrustFile().decision(tmp_path) is None


def test_the_trust_file_is_the_same_whoever_wrote_it(
    ask_pi: AskPi, pi_home: Path, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    set_both = (
        "const s = new pi.ProjectTrustStore(home); s.set(args[1], false); s.set(args[0], true)"
    )

    ask_pi(TRUST, set_both, str(one), str(two))
    written_by_pi = (pi_home / "trust.json").read_bytes()
    (pi_home / "trust.json").unlink()
    TrustFile().decide(two, False)
    TrustFile().decide(one, True)

    assert (pi_home / "trust.json").read_bytes() == written_by_pi


@pytest.mark.parametrize(
    "value",
    ["sk-plain", "$KEY", "a-${KEY}-b", "$$KEY", "$!x", "${KEY", "$1", "$NOT_SET", "!echo k"],
)
def test_values_of_keys_mean_what_they_mean_in_pi(
    value: str, ask_pi: AskPi, pi_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "secret")
    (pi_home / "auth.json").write_text(json.dumps({"anthropic": {"type": "api_key", "key": value}}))

    theirs = ask_pi("core/resolve-config-value", "return pi.resolveConfigValue(args[0])", value)

    assert Credentials(load_settings()).key("anthropic") == theirs


def test_pi_reads_its_settings_after_a_rule_was_kept(ask_pi: AskPi, pi_home: Path) -> None:
    (pi_home / "settings.json").write_text('{"theme": "dark", "defaultModel": "claude-x"}')

    keep_rule(ApprovalRule(tool="bash", pattern="ls", decision="allow"))

    assert ask_pi(
        "core/settings-manager",
        "const s = pi.SettingsManager.create(home, home);"
        "return [s.getTheme(), s.getDefaultModel()]",
    ) == ["dark", "claude-x"]
    assert load_settings().settings.default_model == "claude-x"


async def test_pis_files_alone_are_enough_to_start(shared: SharedFolder) -> None:
    client = await shared.ours()
    state = await client.request("pi/state")
    assert (state["trusted"], state["warnings"]) == (True, [])
    assert (state["model"]["provider"], state["model"]["id"]) == ("anthropic", MODEL)
    assert state["thinkingLevel"] == SETTINGS["defaultThinkingLevel"]

    told = await shared.conversation_in_both()

    assert texts(told) == ["And now?"]
    assert [request.key for request in shared.api.requests] == [KEY, KEY]
    assert [kind_of_thinking(request) for request in shared.api.requests] == ["enabled"] * 2


async def test_a_model_of_the_persons_own_provider(shared: SharedFolder) -> None:
    small = {"id": "small", "contextWindow": 40_000, "maxTokens": 2_000}
    shared.keep(
        "models.json",
        {
            "providers": {
                "mine": {
                    "baseUrl": shared.api.url,
                    "api": "anthropic-messages",
                    "apiKey": "$KEY_OF_MINE",
                    "models": [small],
                }
            }
        },
    )
    shared.keep("settings.json", {"defaultProvider": "mine", "defaultModel": "small"})
    shared.keep("auth.json", {})
    shared.environment["KEY_OF_MINE"] = KEY

    assert texts(await shared.conversation_in_both()) == ["And now?"]

    bodies = [request.body for request in shared.api.requests]
    assert [(body["model"], body["max_tokens"]) for body in bodies] == [("small", 2_000)] * 2
