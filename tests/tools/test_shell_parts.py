"""Taking commands apart: no program that a shell would start may be missed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pi_lsp.tools.shell_parts import take_apart


def parts(command: str) -> list[str]:
    """The parts of a command that is read for certain."""
    taken = take_apart(command)
    assert taken.certain
    return [part.text for part in taken.parts]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git  log   -1", ["git log -1"]),
        ("a && b || c ; d & e | f |& g", ["a", "b", "c", "d", "e", "f", "g"]),
        ("a\nb\n\nc", ["a", "b", "c"]),
        ("a \\\n  b", ["a b"]),
        ("r\\\nm x", ["rm x"]),
        ("echo 'a; b' \"c && d\" e\\;f", ["echo 'a; b' \"c && d\" e\\;f"]),
        ("echo $(rm x)", ["echo $(rm x)", "rm x"]),
        ('echo "$(rm x; ls)"', ['echo "$(rm x; ls)"', "rm x", "ls"]),
        ("echo '$(rm x)'", ["echo '$(rm x)'"]),
        ("echo `rm x`", ["echo `rm x`", "rm x"]),
        ('echo "`rm x`"', ['echo "`rm x`"', "rm x"]),
        ("echo `a \\`b\\``", ["echo `a \\`b\\``", "a `b`", "b"]),
        ("diff <(ls a) <(ls b)", ["diff <(ls a) <(ls b)", "ls a", "ls b"]),
        ("tee >(rm x)", ["tee >(rm x)", "rm x"]),
        ("(cd a && make)", ["cd a", "make"]),
        ("{ a; b; }", ["{ a", "b", "}"]),
        ("if a; then b; fi", ["if a", "then b", "fi"]),
        ("a # b; c\nd", ["a", "d"]),
        ("a#b; c", ["a#b", "c"]),
        ("echo ${x:-$(rm)}", ["echo ${x:-$(rm)}", "rm"]),
        ("echo ${x:- #}; rm", ["echo ${x:- #}", "rm"]),
        ('echo "${x:-"a;b"}"; rm', ['echo "${x:-"a;b"}"', "rm"]),
        ("A=1 b", ["A=1 b"]),
        ("a > f", ["a", "> f"]),
        ("a>f>>g", ["a", "> f", ">> g"]),
        ("a 2> f", ["a", "2> f"]),
        ("a2> f", ["a2", "> f"]),
        ("a &> f", ["a", "&> f"]),
        ("a 2>&1", ["a", "2>& 1"]),
        ("> f a", ["a", "> f"]),
        ("a < f", ["a", "< f"]),
        ("a <<< 'b; c'", ["a", "<<< 'b; c'"]),
        ("a > $(b)", ["a", "b", "> $(b)"]),
        ("cat <<E\nrm x\nE\nls", ["cat", "<< E", "ls"]),
        ("cat <<E | sh\nrm x\nE", ["cat", "<< E", "sh"]),
        ("cat <<E\n$(rm x) `b` it's\nE\nls", ["cat", "<< E", "rm x", "b", "ls"]),
        ("cat <<'E'\n$(rm x)\nE\nls", ["cat", "<< 'E'", "ls"]),
        ("cat <<-E\n\trm\n\tE\nls", ["cat", "<<- E", "ls"]),
        ("cat <<A <<B\n1\nA\n2\nB\nls", ["cat", "<< A", "<< B", "ls"]),
    ],
)
def test_parts(command: str, expected: list[str]):
    assert parts(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "echo 'a",
        'echo "a',
        "echo `a",
        "echo $(a",
        "(a",
        "echo ${a",
        "cat <<E\nnever closed",
        "cat <<$x\nE",
        "echo $(cat <<E)\nE",
        "echo $((1<<2))\nrm x",
        "((a<<b))\nrm x",
        "a[1<<2]=3\nrm x\n2]=3",
        "case x in a) b;; esac",
        "f() { a; }",
        "function f { a; }",
        "a=(b c)",
        "$'\\x72m' x",
        "echo $[1<<2]",
        "\"${x#'}'}\"",
        "a >",
        "a\\",
        "(" * 100 + "a" + ")" * 100,
    ],
)
def test_what_shells_may_read_in_another_way_is_not_certain(command: str):
    assert not take_apart(command).certain


def test_words_lose_their_quotes():
    (part,) = take_apart('\'r\'"m" \\-rf "a b"').parts
    assert part.words == ("rm", "-rf", "a b")
    (part,) = take_apart('"a\\$b\\n\\\nc"').parts
    assert part.words == ("a$b\\nc",)


@pytest.mark.parametrize(
    "redirection", ["2>&1", ">&2", "2>&-", "> /dev/null", "2>/dev/null", "</dev/null"]
)
def test_harmless_redirections(redirection: str):
    assert take_apart(f"a {redirection}").parts[-1].is_harmless_redirection


@pytest.mark.parametrize(
    "redirection", [">&f", "> x", "< /dev/sda", "> /dev/nullx", "<> /dev/null"]
)
def test_other_redirections(redirection: str):
    assert not take_apart(f"a {redirection}").parts[-1].is_harmless_redirection


WORDS = st.lists(st.text(max_size=8).filter(lambda word: "\0" not in word), min_size=1, max_size=4)


@given(WORDS)
def test_quoted_words_are_one_command_whatever_is_in_them(words: list[str]):
    command = shlex.join(words)
    if not command.strip("' \t\n"):
        return
    (part,) = take_apart(command).parts
    assert list(part.words) == words


@given(st.lists(WORDS, min_size=2, max_size=4), st.data())
def test_every_command_of_a_list_is_a_part(commands: list[list[str]], data: st.DataObject):
    separators = st.sampled_from([";", "&&", "||", "|", "&", "\n", "|&", " \\\n && "])
    text = shlex.join(commands[0])
    for words in commands[1:]:
        text += data.draw(separators) + shlex.join(words)
    assert [list(part.words) for part in take_apart(text).parts] == commands


@given(
    WORDS, WORDS, st.sampled_from(["$({})", '"$({})"', "<({})", '"a${{x:-$({})}}"', "x$(\n{}\n)"])
)
def test_a_command_in_a_substitution_is_a_part(outer: list[str], inner: list[str], form: str):
    text = f"{shlex.join(outer)} {form.format(shlex.join(inner))}"
    assert inner in [list(part.words) for part in take_apart(text).parts]


SHELL_CHARACTERS = "ab ;&|<>()`$\"'\\\n#{}E-=[]1"


@given(st.text(st.sampled_from(SHELL_CHARACTERS), max_size=40))
def test_any_text_can_be_taken_apart(text: str):
    assert all(part.text.strip() or part.text == part.words[0] for part in take_apart(text).parts)


@given(st.text(st.sampled_from(SHELL_CHARACTERS), max_size=20))
def test_what_follows_on_a_new_line_is_never_hidden_for_certain(text: str):
    """Unless the text opens something that goes on (then it is not certain)."""
    taken = take_apart(f"{text}\n rm x")
    if taken.certain and not text.rstrip(" ").endswith("\\"):
        assert "rm x" in [part.text for part in taken.parts]


SHELL_TOKENS = [
    *"ab ;&|`'\"\\\n#}",
    "$(",
    ")",
    "${",
    "<(",
    "<<E",
    "<<'E'",
    "\nE\n",
    ">x",
    "2>&1",
    "a=b ",
]

RECORDER = """
command_not_found_handle() { printf '%s\\0' "$1" >> "$RECORD"; }
PATH=/nowhere
eval "$TEXT"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(SHELL_TOKENS), max_size=14).map("".join))
@example("cat <<E\n'\nE\na '")
@example("a ${b:-'}'} ; b")
def test_bash_runs_nothing_that_is_no_part(tmp_path: Path, text: str):
    """A real bash tells which programs it looks for; each must be the first word of a part."""
    taken = take_apart(text)
    if not taken.certain:
        return
    record = tmp_path / "record"
    record.write_text("")
    subprocess.run(
        [shutil.which("bash") or "bash", "-c", RECORDER],
        cwd=tmp_path,
        env={"TEXT": text, "RECORD": str(record)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=20,
    )
    ran = set(record.read_text().split("\0")) - {""}
    words = {word for part in taken.parts for word in part.words}
    if not any(re.search(r"[$`]|<\(", word) for word in words):  # else a word may become another
        assert ran <= words
