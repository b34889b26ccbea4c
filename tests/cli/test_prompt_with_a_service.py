"""`pi-lsp prompt` with a service that speaks the Messages API: stops, faults and retries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import PI_LSP, Command
from tests.cli.person import Person
from tests.messages_api import Gate, HttpError, MessagesApi, Text, Thinking, ToolCall

KEY = "sk-ant-secret"


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with MessagesApi() as service:
        yield service


@pytest.fixture
def with_key(environment: dict[str, str], api: MessagesApi, tmp_path: Path) -> dict[str, str]:
    """The environment of a person who has a key, and little patience."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/settings.json").write_text('{"retry": {"maxRetries": 1, "baseDelayMs": 1}}')
    environment.update(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=api.url)
    return environment


@pytest.mark.usefixtures("with_key")
def test_an_answer_with_thinking_and_a_tool_call(
    api: MessagesApi, run: Command, workspace: Path
) -> None:
    api.reply(Thinking("hm"), Text("Let me look."), ToolCall("read", {"path": "README.md"}))
    api.reply(Text("It greets."))

    done = run("prompt", "--trust", "--thinking", "high", "what is this?")

    assert done.returncode == 0, done.stderr
    before, _, after = done.stdout.partition("✓ read README.md")
    assert "Let me look.\n→ read README.md\n" in before
    assert "It greets.\n" in after
    assert "anthropic/claude-sonnet" in after
    assert "hm" not in done.stdout.split()
    assert KEY not in done.stdout + done.stderr
    assert len(api.requests) == 2


def test_commands_do_not_see_the_variables_that_keys_come_from(
    api: MessagesApi, run: Command, with_key: dict[str, str], tmp_path: Path
) -> None:
    del with_key["ANTHROPIC_API_KEY"]
    (tmp_path / "agent/auth.json").write_text(
        '{"anthropic": {"type": "api_key", "key": "$MY_OWN_KEY"}}'
    )
    api.reply(ToolCall("bash", {"command": "echo :$MY_OWN_KEY:"}))
    api.reply(Text("Nothing."))

    done = run("prompt", "--trust", "--approval", "auto", "show the key", MY_OWN_KEY=KEY)

    assert done.returncode == 0, done.stderr
    assert api.requests[0].key == KEY
    assert "::" in str(api.requests[1].tool_results()[0]["content"])


@pytest.mark.usefixtures("with_key")
def test_the_persons_choice_of_tools_is_kept(
    api: MessagesApi, run: Command, tmp_path: Path
) -> None:
    (tmp_path / "agent/settings.json").write_text('{"defaultTools": ["-bash", "+codemode"]}')
    api.reply(Text("Hello."))

    assert run("prompt", "--trust", "hello").returncode == 0

    tools = api.requests[0].tool_names
    assert "read" in tools
    assert "bash" not in tools


@pytest.mark.usefixtures("with_key")
def test_a_retry_is_told_and_the_answer_comes(api: MessagesApi, run: Command) -> None:
    api.reply(HttpError(529, "overloaded_error", "Overloaded"))
    api.reply(Text("Here I am."))

    done = run("prompt", "--trust", "hello")

    assert done.returncode == 0
    assert "Trying again in" in done.stderr
    assert "Here I am." in done.stdout


@pytest.mark.usefixtures("with_key")
def test_a_refused_key_fails_and_says_what_to_do(api: MessagesApi, run: Command) -> None:
    api.reply(HttpError(401, "authentication_error", "invalid x-api-key"))

    done = run("prompt", "--trust", "hello")

    assert done.returncode == 1
    assert "key" in done.stderr
    assert KEY not in done.stdout + done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a terminal of Windows cannot be driven from here")
def test_ctrl_c_stops_an_answer_and_keeps_what_came(
    api: MessagesApi, with_key: dict[str, str], workspace: Path
) -> None:
    api.reply(Text("The first half"), Gate())
    command = [str(PI_LSP), "prompt", "--trust", "tell me"]

    with Person(command, workspace, {**with_key, "NO_COLOR": "1"}) as person:
        person.sees("The first half")
        person.presses_ctrl_c()
        person.sees("Stopped.")
        assert person.waits_for_the_end() == 130

    [session] = (workspace / ".pi/sessions").glob("*.jsonl")
    last = json.loads(session.read_text(encoding="utf-8").splitlines()[-1])
    assert last["message"]["stopReason"] == "aborted"
    assert last["message"]["content"][0]["text"] == "The first half"
