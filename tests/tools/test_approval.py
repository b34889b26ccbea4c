"""Who may do what: modes, rules, answers, and what is refused in every mode."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.errors import StorageError
from pi_lsp.settings import ApprovalMode, ApprovalRule
from pi_lsp.tools.approval import Approval, Verdict
from pi_lsp.tools.approval_rules import exact_pattern
from pi_lsp.tools.editor import Question
from pi_lsp.tools.shell import run_command
from pi_lsp.tools.tool import ShellSettings, ToolContext, ToolFault
from pi_lsp.tools.toolset import Toolset
from tests.tools.fake_editor import FakeEditor

MODES: tuple[ApprovalMode, ...] = ("ask", "edits", "auto", "readonly")


class Judge:
    """Judges calls as the agent has it done.

    Attributes:
        kept: the rules that went to the person's settings.
    """

    def __init__(self, context: ToolContext) -> None:
        self.kept: list[ApprovalRule] = []
        self._context = context
        self.approval = Approval("ask", [], context.folder, keep=self.kept.append)

    async def __call__(self, name: str, **arguments: Any) -> Verdict:
        tool, parameters = Toolset(has_diagnostics=True).prepare(name, arguments)
        return await self.approval.verdict(
            tool,
            parameters,
            {"type": "toolCall", "id": "call-1", "name": name, "arguments": arguments},
            self._context,
        )

    async def question(self, name: str, **arguments: Any) -> Question:
        verdict = await self(name, **arguments)
        assert verdict.decision == "ask"
        assert verdict.question is not None
        return verdict.question

    async def in_modes(self, name: str, **arguments: Any) -> dict[str, str]:
        """The decision in each mode."""
        decisions: dict[str, str] = {}
        for mode in MODES:
            self.approval.mode = mode
            decisions[mode] = (await self(name, **arguments)).decision
        return decisions

    def rule(self, tool: str, pattern: str, decision: str) -> None:
        rule = ApprovalRule(tool=tool, pattern=pattern, decision=decision)  # pyright: ignore[reportArgumentType]
        self.approval.rules = [*self.approval.rules, rule]


@pytest.fixture
def judge(context: ToolContext) -> Judge:
    return Judge(context)


def decisions(ask: str, edits: str, auto: str, readonly: str) -> dict[str, str]:
    return {"ask": ask, "edits": edits, "auto": auto, "readonly": readonly}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "a.txt"}),
        ("read", {"path": ".git/config"}),
        ("grep", {"pattern": "x"}),
        ("find", {"pattern": "x", "path": "sub"}),
        ("ls", {}),
        ("diagnostics", {}),
    ],
)
async def test_reading_inside_is_allowed_in_every_mode(
    judge: Judge, name: str, arguments: dict[str, Any]
):
    assert await judge.in_modes(name, **arguments) == decisions("allow", "allow", "allow", "allow")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "/etc/hosts"}),
        ("read", {"path": "../other/a.txt"}),
        ("grep", {"pattern": "x", "path": "/etc"}),
        ("find", {"pattern": "x", "path": "~"}),
        ("ls", {"path": ".."}),
    ],
)
async def test_reading_outside_asks(judge: Judge, name: str, arguments: dict[str, Any]):
    assert await judge.in_modes(name, **arguments) == decisions("ask", "ask", "allow", "ask")


async def test_a_link_that_leads_outside_is_outside(judge: Judge, folder: Path):
    (folder.parent / "secret.txt").write_text("x")
    (folder / "link").symlink_to(folder.parent)
    question = await judge.question("read", path="link/secret.txt")
    assert question.outside_workspace
    assert question.path == (folder.parent / "secret.txt").as_posix()
    judge.approval.mode = "edits"
    assert (await judge("write", path="link/new.txt", content="x")).decision == "ask"


async def test_writing_inside(judge: Judge):
    expected = decisions("ask", "allow", "allow", "deny")
    assert await judge.in_modes("write", path="a.txt", content="x") == expected


@pytest.mark.parametrize(
    "path", [".git/config", ".pi/settings.json", ".vscode/a", ".idea/a", ".github/a", "sub/.GIT/a"]
)
async def test_writing_where_programs_are_configured_asks(judge: Judge, path: str):
    expected = decisions("ask", "ask", "allow", "deny")
    assert await judge.in_modes("write", path=path, content="x") == expected


async def test_writing_outside_asks(judge: Judge):
    expected = decisions("ask", "ask", "allow", "deny")
    assert await judge.in_modes("write", path="../a.txt", content="x") == expected


async def test_commands(judge: Judge):
    expected = decisions("ask", "ask", "allow", "deny")
    assert await judge.in_modes("bash", command="ls") == expected


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write", {"path": ".pi/sessions/s.jsonl", "content": "x"}),
        ("write", {"path": ".pi/../.pi/Sessions/s.jsonl", "content": "x"}),
        ("edit", {"path": ".pi/sessions/s.jsonl", "oldText": "a", "newText": "b"}),
        ("bash", {"command": "echo x >> .pi/sessions/s.jsonl"}),
        ("bash", {"command": "true && cat a > ./.pi/sessions/s.jsonl"}),
        ("bash", {"command": "echo x >> .p[i]/sessions/*.jsonl"}),
        ("bash", {"command": "echo x > {.pi/sessions/s.jsonl,}"}),
        ("bash", {"command": "echo x > .pi/{a,{b,sessions}}/s.jsonl"}),
        ("bash", {"command": "cd .pi && echo x > sessions/s.jsonl"}),
        ("bash", {"command": "cd sub; cd ../.pi/sessions; echo x > s.jsonl"}),
        ("bash", {"command": f"echo {'x' * 30_000} > '.pi/sessions/s.jsonl'"}),
    ],
)
async def test_session_files_are_refused_in_every_mode(
    judge: Judge, name: str, arguments: dict[str, Any]
):
    judge.rule("*", "*", "allow")
    assert await judge.in_modes(name, **arguments) == decisions("deny", "deny", "deny", "deny")
    verdict = await judge(name, **arguments)
    assert verdict.reason is not None
    assert "Session files" in verdict.reason


@pytest.mark.parametrize(
    "command",
    [
        "echo x > *.txt",
        "cd sub && echo x > out.jsonl",
        "echo x > {a,b}/c",
        "ls .pi/sessions > out",
        "cd .pi/sessions; ls 2>&1",
    ],
)
async def test_other_redirections_are_no_writing_of_session_files(judge: Judge, command: str):
    judge.approval.mode = "auto"
    assert (await judge("bash", command=command)).decision == "allow"


async def test_session_files_through_a_link_are_refused(judge: Judge, folder: Path):
    (folder / ".pi" / "sessions").mkdir(parents=True)
    (folder / "notes").symlink_to(folder / ".pi" / "sessions")
    assert (await judge("write", path="notes/s.jsonl", content="x")).decision == "deny"


async def test_sessions_that_lie_elsewhere_are_refused_too(context: ToolContext):
    judge = Judge(context)
    judge.approval = Approval(
        "auto", [], context.folder, keep=judge.kept.append, session_folders=[context.folder / "s"]
    )
    assert (await judge("write", path="s/x.jsonl", content="x")).decision == "deny"


async def test_rules_refine_the_modes(judge: Judge):
    judge.rule("bash", "npm *", "allow")
    judge.rule("bash", "npm publish*", "deny")
    judge.rule("write", "generated/*", "deny")
    judge.rule("read", "*.env", "ask")
    assert (await judge("bash", command="npm test")).decision == "allow"
    assert (await judge("bash", command="npm test; rm x")).decision == "ask"
    judge.approval.mode = "auto"
    assert (await judge("bash", command="npm publish")).decision == "deny"
    assert (await judge("write", path="generated/a", content="x")).decision == "deny"
    assert (await judge("read", path=".env")).decision == "ask"


async def test_readonly_is_readonly_whatever_rules_allow(judge: Judge):
    judge.rule("*", "*", "allow")
    judge.approval.mode = "readonly"
    verdict = await judge("bash", command="ls")
    assert verdict.decision == "deny"
    assert verdict.reason is not None
    assert "readonly" in verdict.reason


async def test_a_search_does_not_look_where_reading_is_forbidden(judge: Judge, folder: Path):
    assert judge.approval.may_search(folder / "a.env")
    judge.rule("read", "*.env", "deny")
    judge.rule("grep", "logs/*", "deny")
    assert not judge.approval.may_search(folder / "a.env")
    assert not judge.approval.may_search(folder / "logs" / "today")
    assert judge.approval.may_search(folder / "a.txt")


async def test_the_question_for_a_command_shows_it(judge: Judge):
    question = await judge.question("bash", command="npm test\nnpm run lint")
    assert question.title == "Run npm test …"
    assert question.args == {"command": "npm test\nnpm run lint"}
    assert question.tool_call_id == "call-1"
    assert question.path is None


async def test_the_question_for_an_edit_shows_the_diff(judge: Judge, folder: Path):
    (folder / "a.txt").write_text("one\ntwo\n")
    question = await judge.question(
        "edit", path="a.txt", edits=[{"oldText": "two", "newText": "2"}]
    )
    assert question.title == "Edit a.txt"
    assert (question.before, question.after) == ("one\ntwo\n", "one\n2\n")
    assert question.diff == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert question.path == "a.txt"
    assert not question.outside_workspace
    assert (folder / "a.txt").read_text() == "one\ntwo\n"


async def test_the_question_for_a_buffer_shows_what_the_editor_has(
    judge: Judge, folder: Path, editor: FakeEditor
):
    editor.show(folder / "a.txt", "typed\n", dirty=True)
    question = await judge.question("edit", path="a.txt", oldText="typed", newText="changed")
    assert question.before == "typed\n"


async def test_the_question_for_a_new_file(judge: Judge):
    question = await judge.question("write", path="new.txt", content="x\n")
    assert question.title == "Create new.txt"
    assert question.before == ""


async def test_nobody_is_asked_about_what_cannot_be_done(judge: Judge):
    with pytest.raises(ToolFault, match="does not exist"):
        await judge("edit", path="missing.txt", oldText="a", newText="b")


async def test_once_means_once(judge: Judge):
    question = await judge.question("bash", command="ls")
    judge.approval.remember(question, "allow")
    assert (await judge("bash", command="ls")).decision == "ask"


async def test_an_answer_for_this_session_holds_for_the_exact_command(judge: Judge):
    judge.approval.remember(await judge.question("bash", command="ls *.py"), "allowSession")
    assert (await judge("bash", command="ls *.py")).decision == "allow"
    assert (await judge("bash", command="ls a.py")).decision == "ask"
    assert judge.kept == []


async def test_an_answer_for_this_session_holds_against_a_rule_that_asks(judge: Judge):
    judge.rule("bash", "git push*", "ask")
    judge.approval.remember(await judge.question("bash", command="git push"), "allowSession")
    assert (await judge("bash", command="git push")).decision == "allow"
    judge.rule("bash", "git push*", "deny")
    assert (await judge("bash", command="git push")).decision == "deny"


async def test_always_is_kept_as_a_rule_that_means_just_this(
    judge: Judge, context: ToolContext, folder: Path
):
    judge.approval.remember(await judge.question("bash", command="ls *.[ch]"), "allowAlways")
    judge.approval.remember(
        await judge.question("write", path=".github/w.yml", content="x"), "allowAlways"
    )
    judge.approval.remember(await judge.question("read", path="/etc/hosts"), "allowAlways")
    assert judge.kept == [
        ApprovalRule(tool="bash", pattern="ls [*].[[]ch]", decision="allow", folder=str(folder)),
        ApprovalRule(
            tool="write", pattern=f"{exact_pattern(str(folder))}/.github/w.yml", decision="allow"
        ),
        ApprovalRule(tool="read", pattern="/etc/hosts", decision="allow"),
    ]
    later = Judge(context)
    later.approval.rules = judge.kept
    assert (await later("bash", command="ls *.[ch]")).decision == "allow"
    assert (await later("bash", command="ls a.c")).decision == "ask"
    assert (await later("write", path=".github/w.yml", content="x")).decision == "allow"
    assert (await later("read", path="/etc/hosts")).decision == "allow"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write", {"path": "src/a.py", "content": "x"}),
        ("bash", {"command": "make t"}),
    ],
)
async def test_always_says_nothing_in_another_folder(
    judge: Judge, context: ToolContext, folder: Path, name: str, arguments: dict[str, str]
):
    judge.approval.remember(await judge.question(name, **arguments), "allowAlways")
    other = folder.parent / "other"
    other.mkdir()
    elsewhere = Judge(replace(context, folder=other))
    elsewhere.approval.rules = judge.kept
    assert (await elsewhere(name, **arguments)).decision == "ask"
    assert (await judge(name, **arguments)).decision == "allow"


async def test_always_in_a_folder_with_an_odd_name_means_just_this(
    context: ToolContext, folder: Path
):
    odd, alike = folder / "[ab]*", folder / "ax"
    for one in (odd, alike):
        one.mkdir()
    judge = Judge(replace(context, folder=odd))
    judge.approval.remember(await judge.question("write", path="x", content="y"), "allowAlways")
    assert (await judge("write", path="x", content="y")).decision == "allow"
    other = Judge(replace(context, folder=alike))
    other.approval.rules = judge.kept
    assert (await other("write", path="x", content="y")).decision == "ask"


async def test_an_answer_that_cannot_be_kept_still_holds_now(
    context: ToolContext, caplog: pytest.LogCaptureFixture
):
    def refuse(_rule: ApprovalRule) -> None:
        raise StorageError("settings.json cannot be written.")

    judge = Judge(context)
    judge.approval = Approval("ask", [], context.folder, keep=refuse)
    judge.approval.remember(await judge.question("bash", command="ls"), "allowAlways")
    assert (await judge("bash", command="ls")).decision == "allow"
    assert "settings.json cannot be written" in caplog.text


async def test_the_full_output_of_a_command_may_be_read(judge: Judge, folder: Path):
    result = await run_command("seq 1 5000", folder, ShellSettings())
    path = str(result.full_output_path)
    assert (await judge("read", path=path)).decision == "allow"
    assert (await judge("write", path=path, content="x")).decision == "ask"
