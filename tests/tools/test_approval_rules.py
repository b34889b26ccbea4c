"""What rules say of a command or a path."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.settings import ApprovalRule
from pi_lsp.tools.approval_rules import RuleBook, exact_pattern, literal_of
from pi_lsp.tools.paths import locate
from pi_lsp.tools.tool import Access

FOLDER = Path("/work/project").resolve()


def decide_command(command: str, **rules: list[str]) -> str | None:
    """What rules on `bash` say: `allow=["git *"], deny=[…]`."""
    return RuleBook.of(_rules(rules), "bash", FOLDER).decision(Access("run", command=command))


def decide_path(
    path: str, kind: str = "write", folder: Path = FOLDER, **rules: list[str]
) -> str | None:
    place = locate(path, folder)
    access = Access(kind, place.named, place.real)  # pyright: ignore[reportArgumentType]
    return RuleBook.of(_rules(rules), "write", folder).decision(access)


def _rules(rules: dict[str, list[str]]) -> list[ApprovalRule]:
    return [
        ApprovalRule(tool="*", pattern=pattern, decision=decision)  # pyright: ignore[reportArgumentType]
        for decision, patterns in rules.items()
        for pattern in patterns
    ]


@pytest.mark.parametrize(
    "command",
    [
        "git log",
        "git log | git show",
        "git log && git diff; git show\ngit log &",
        "git log $(git rev-parse HEAD)",
        "git log 2>&1",
        "git log > /dev/null 2>&1",
        "git log 'a; rm -rf x'",
        "(git log; git diff)",
        "git log # && rm",
    ],
)
def test_a_command_is_allowed_when_all_of_its_parts_are(command: str):
    assert decide_command(command, allow=["git *"]) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "git log; rm -rf x",
        "git log && rm x",
        "git log || rm x",
        "git log | sh",
        "git log & rm x",
        "git log\nrm x",
        "git log $(rm x)",
        'git log "$(rm x)"',
        "git log `rm x`",
        "git log <(rm x)",
        "git log > file",
        "git log >> file",
        "git log &> file",
        "git log < file",
        "git log >| file",
        "git() { rm x; }; git log",
        "GIT_PAGER=x git log",
        "{git,rm} log",
        "/tmp/git log",
        "git\tlog\n\nrm x",
        "git log 'a",
        "git log $'a\\'; rm x'",
        "git log <<E\n$(rm x)\nE",
        "git log $((1<<2))\nrm x",
        "gitx log",
    ],
)
def test_a_command_with_any_other_part_is_not(command: str):
    assert decide_command(command, allow=["git *"]) is None


def test_parts_may_be_allowed_by_several_rules():
    rules = ["git *", "head *", "> out/*"]
    assert decide_command("git log | head -5 > out/log.txt", allow=rules) == "allow"


def test_a_redirection_is_a_write():
    assert decide_command("git log > a.txt", allow=["git *", "> *"]) == "allow"
    for target in ("/etc/passwd", "../x", "~/x", "$HOME/x", ".git/hooks/pre-commit"):
        assert decide_command(f"git log > {target}", allow=["git *", "> *"]) is None
    assert decide_command("git log > /tmp/x", allow=["git *", "> /tmp/*"]) == "allow"
    assert decide_command("git log < a.txt", allow=["git *", "< *"]) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cd .git && echo a > config",
        "cd .. && echo a > out.txt",
        "echo a > out.txt; cd ..",
        "(cd ..; echo a > out.txt)",
        "{ cd ..; }; echo a < secret",
        "pushd .. && echo a > out.txt",
        "'cd' .. && echo a > out.txt",
        "A=1 cd .. && echo a > out.txt",
        "time -p cd .. ; echo a > out.txt",
        "command cd .. && echo a > out.txt",
        "eval 'cd ..' && echo a > out.txt",
        "source env.sh && echo a > out.txt",
        ". ./env.sh && echo a > out.txt",
        "$GO .. && echo a > out.txt",
        "{cd,..} && echo a > out.txt",
        "echo $(cd ..; echo a > out.txt)",
    ],
)
def test_a_file_is_not_known_where_the_directory_may_be_another(command: str):
    programs = ["echo *", "cd *", "* *", "{ *", "}", "time *"]
    assert decide_command(command, allow=[*programs, "> *", "< *", "> out.txt"]) is None
    assert decide_command("cd a && echo a > /tmp/x", allow=[*programs, "> /tmp/*"]) == "allow"


@pytest.mark.parametrize(
    "target",
    [".gi[t]/config", ".gi?/config", ".g*/config", "{.git/config,}", ".git/config{,}", "~+/x"],
)
def test_a_target_that_the_shell_makes_is_not_known(target: str):
    for operator in (">", ">>", "&>", "<", "2>"):
        assert (
            decide_command(f"echo a {operator} {target}", allow=["echo *", "*> *", "< *"]) is None
        )
    assert decide_command(f"echo a > {target}", allow=["echo *", exact_pattern(f"> {target}")])


def test_a_very_long_command_is_not_taken_apart():
    padded = f"echo {'x' * 30_000}"
    assert decide_command(padded, allow=["echo *"]) is None
    assert decide_command(padded, allow=["*"]) == "allow"
    assert decide_command(padded, allow=[padded]) == "allow"
    assert decide_command(f"{padded}; rm x", allow=["*"], deny=["*rm *"]) == "deny"
    assert decide_command(f"{padded}; rm x", allow=["*"], deny=["rm *"]) == "ask"


def test_a_rule_may_count_in_one_folder_only(folder: Path):
    (folder / "link").symlink_to(folder)
    access = Access("run", command="make t")
    for name in (folder, folder / "link"):
        rule = ApprovalRule(pattern="make t", decision="allow", folder=str(name))
        assert RuleBook.of([rule], "bash", folder).decision(access) == "allow"
        assert RuleBook.of([rule], "bash", folder.parent).decision(access) is None
        assert RuleBook.of([rule], "bash", folder / "sub").decision(access) is None


def test_an_empty_pattern_means_nothing():
    assert decide_command("ls", allow=[""]) is None


def test_everything_may_be_allowed():
    assert decide_command("a; b > c `d` 'e", allow=["*"]) == "allow"


def test_an_exact_command_is_allowed_whatever_it_is():
    command = "make [a-z]* && rm -rf out > log; echo `date` $((1<<2))"
    assert decide_command(command, allow=[exact_pattern(command)]) == "allow"
    assert decide_command(command + "x", allow=[exact_pattern(command)]) is None


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "rm  -rf   x",
        "git log; rm x",
        "echo $(rm x)",
        "'rm' x",
        "\\rm x",
        'r"m" x',
        "/bin/rm x",
        "A=1 rm x",
        "sudo rm x",
        "sudo -u root rm x",
        "env A=1 rm x",
        "timeout 5 rm x",
        "find . -exec rm {} ;",
        "xargs rm x",
        "if rm x; then a; fi",
        "{ rm x; }",
        "! rm x",
        "bash -c 'rm x'",
        "bash -c 'cd a && rm x'",
        "eval 'rm x'",
        'sudo bash -c "rm x"',
        "cat <<E\n$(rm x)\nE",
        "f() { rm x; }",
        "echo 'unclosed\nrm x",
    ],
)
def test_a_forbidden_program_is_found_however_it_is_called(command: str):
    assert decide_command(command, deny=["rm *"], allow=["*"]) == "deny"


@pytest.mark.parametrize("command", ["echo rm x", "git rm x", "echo 'a; rm x'", "form x"])
def test_a_forbidden_word_that_is_no_program_is_not_meant(command: str):
    assert decide_command(command, deny=["rm *"], allow=["*"]) == "allow"


def test_deny_beats_ask_beats_allow_whatever_their_order():
    rules = {"allow": ["*"], "ask": ["git *"], "deny": ["git push*"]}
    for order in (["allow", "ask", "deny"], ["deny", "ask", "allow"]):
        ordered = {name: rules[name] for name in order}
        assert decide_command("git push", **ordered) == "deny"
        assert decide_command("git log", **ordered) == "ask"
        assert decide_command("ls", **ordered) == "allow"
    assert decide_command("ls; git log; git push -f", **rules) == "deny"


def test_rules_of_another_tool_say_nothing():
    rule = ApprovalRule(tool="bash", pattern="*", decision="allow")
    access = Access("write", FOLDER / "a", FOLDER / "a")
    assert RuleBook.of([rule], "write", FOLDER).decision(access) is None


def test_a_path_pattern_speaks_of_paths_from_the_folder_on():
    assert decide_path("src/a.py", allow=["src/*"]) == "allow"
    assert decide_path("src/deep/a.py", allow=["src/*"]) == "allow"
    assert decide_path("./src/a.py", allow=["./src/*.py"]) == "allow"
    assert decide_path(str(FOLDER / "src/a.py"), allow=["src/*"]) == "allow"
    assert decide_path("lib/a.py", allow=["src/*"]) is None
    for path in ("src/a.py", "src/deep/er/a.py"):
        assert decide_path(path, allow=["src/**/*.py"]) == "allow"
        assert decide_path(path, allow=["**/a.py"]) == "allow"
    assert decide_path("a.py", allow=["**/a.py"]) == "allow"


def test_outside_of_the_folder_only_a_pattern_that_says_so_allows():
    assert decide_path("/etc/hosts", allow=["*", "**", "../*"]) is None
    assert decide_path("../a", allow=["*"]) is None
    assert decide_path("/etc/hosts", allow=["/etc/*"]) == "allow"


def test_the_home_folder_in_a_pattern(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/home/someone")
    assert decide_path("/home/someone/notes/a", allow=["~/notes/*"]) == "allow"
    assert decide_path("/home/someone/other", allow=["~/notes/*"]) is None


@pytest.mark.parametrize(
    "path", [".git/config", "sub/.git/hooks/x", ".github/w.yml", ".PI/x", ".vscode/t.json"]
)
def test_where_programs_are_configured_only_a_pattern_that_names_it_allows(path: str):
    assert decide_path(path, allow=["*"]) is None
    assert decide_path(path, allow=[exact_pattern(path)]) == "allow"
    assert decide_path(path, kind="read", allow=["*"]) == "allow"


def test_forbidding_is_read_widely(folder: Path):
    assert decide_path("deep/.env", deny=[".env"]) == "deny"
    assert decide_path("secrets/a/b", deny=["secrets/*"]) == "deny"
    assert decide_path("Secrets/a", deny=["secrets/*"]) == "deny"
    assert decide_path("/etc/shadow", deny=["/etc/*"]) == "deny"
    (folder / "secrets").mkdir()
    (folder / "link").symlink_to(folder / "secrets")
    assert decide_path("link/a", folder=folder, deny=["secrets/*"]) == "deny"
    assert decide_path("link/a", folder=folder, deny=["link/*"]) == "deny"


@given(st.text())
def test_an_exact_pattern_means_its_text(text: str):
    assert literal_of(exact_pattern(text)) == text


@given(st.text(), st.text())
def test_an_exact_pattern_means_no_other_text(text: str, other: str):
    expected = "allow" if other.strip() == text.strip() else None
    if other and text.strip("*"):
        assert decide_command(other, allow=[exact_pattern(text)]) in (expected, "allow")
        if expected == "allow":
            assert decide_command(other, allow=[exact_pattern(text)]) == "allow"
