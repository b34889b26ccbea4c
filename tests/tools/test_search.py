"""grep and find: the same with ripgrep and fd as without them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.tools import grep, search_programs
from pi_lsp.tools.files import FileMemory
from pi_lsp.tools.threads import StopFlag, Stopped
from pi_lsp.tools.tool import ToolContext
from pi_lsp.tools.toolset import Toolset
from pi_lsp.tools.walk import walk
from tests.tools.fake_editor import Call, FakeEditor, fault_of, text_of


@pytest.fixture(params=["with programs", "without programs"], autouse=True)
def programs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Runs every test twice: with ripgrep and fd, and with neither."""
    wanted = request.param == "with programs"
    if wanted and shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    if not wanted:
        monkeypatch.setattr(search_programs.shutil, "which", lambda _name: None)
    return wanted


@pytest.fixture(params=["in a repository", "without one"])
def repository(request: pytest.FixtureRequest, folder: Path) -> bool:
    """Runs a test in a git repository and in a plain folder."""
    wanted = request.param == "in a repository"
    if wanted:
        (folder / ".git" / "info").mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / ".git" / "config").write_text("needle\n")
    return wanted


def put(folder: Path, name: str, text: str = "needle\n") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def tree(folder: Path) -> None:
    """A project with rules at two levels, hidden files and session files."""
    put(folder, ".gitignore", "*.log\n/build/\n!keep.log\n")
    put(folder, "sub/.gitignore", "*.txt\n!b.txt\n")
    for name in (
        "a.log",
        "a.py",
        "b/keep.log",
        "build/out.py",
        "sub/build/in.py",
        "sub/a.txt",
        "sub/b.txt",
        ".hidden/x.py",
        ".pi/sessions/s.jsonl",
        ".pi/settings.json",
        "z.py",
    ):
        put(folder, name)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode()


SEEN = [
    ".hidden/x.py",
    ".pi/settings.json",
    "a.py",
    "b/keep.log",
    "sub/b.txt",
    "sub/build/in.py",
    "z.py",
]


async def test_grep_respects_ignore_rules(call: Call, folder: Path, repository: bool):
    tree(folder)
    lines = text_of(await call("grep", pattern="needle")).split("\n")
    assert lines == [f"{name}:1: needle" for name in SEEN]


async def test_find_respects_ignore_rules(call: Call, folder: Path, repository: bool):
    tree(folder)
    lines = text_of(await call("find", pattern="*")).split("\n")
    folders = [".hidden/", ".pi/", "b/", "sub/", "sub/build/"]
    rules = [".gitignore", "sub/.gitignore"]
    assert lines == sorted([*SEEN, *folders, *rules], key=lambda name: name.rstrip("/").split("/"))


async def test_rules_above_the_searched_folder_count(call: Call, folder: Path, repository: bool):
    put(folder, ".gitignore", "/sub/deep/out\n*.log\n")
    for name in ("sub/deep/out/x.py", "sub/deep/a.log", "sub/deep/a.py"):
        put(folder, name)
    assert text_of(await call("grep", pattern="needle", path="sub/deep")) == (
        "sub/deep/a.py:1: needle"
    )
    assert text_of(await call("find", pattern="*", path="sub/deep")) == "sub/deep/a.py"


async def test_an_ignored_folder_can_be_searched_by_its_path(
    call: Call, folder: Path, repository: bool
):
    put(folder, ".gitignore", "node_modules/\n*.log\n")
    put(folder, "node_modules/a/x.js")
    put(folder, "node_modules/a/y.log")
    for path in ("node_modules", "node_modules/a"):
        text = text_of(await call("grep", pattern="needle", path=path))
        assert text == "node_modules/a/x.js:1: needle"
        assert text_of(await call("find", pattern="?.*", path=path)) == "node_modules/a/x.js"


async def test_rules_above_the_workspace_count_only_in_its_repository(
    call: Call, folder: Path, repository: bool
):
    put(folder.parent, ".gitignore", "*.py\n")
    put(folder, "a.py")
    assert text_of(await call("find", pattern="*.py")) == "a.py"
    assert text_of(await call("grep", pattern="needle")) == "a.py:1: needle"


async def test_a_workspace_in_a_larger_repository_obeys_it(call: Call, folder: Path):
    (folder.parent / ".git").mkdir()
    put(folder.parent, ".gitignore", "*.log\n")
    put(folder, "a.log")
    put(folder, "a.py")
    assert text_of(await call("find", pattern="a.*")) == "a.py"
    assert text_of(await call("grep", pattern="needle")) == "a.py:1: needle"


async def test_a_repository_in_the_workspace_has_its_own_rules(call: Call, folder: Path):
    put(folder, ".gitignore", "*.log\n")
    put(folder, "inner/a.log")
    put(folder, "inner/b.tmp")
    put(folder, "inner/.git/HEAD", "ref: refs/heads/main\n")
    put(folder, "inner/.git/info/exclude", "*.tmp\n")
    assert text_of(await call("grep", pattern="needle")) == "inner/a.log:1: needle"


async def test_nothing_found_is_said(call: Call, folder: Path):
    put(folder, "a.py")
    assert text_of(await call("grep", pattern="absent")) == "[No matches.]"
    assert text_of(await call("find", pattern="*.absent")) == "[Nothing found.]"


# grep


async def test_context_lines_are_told_from_matches(call: Call, folder: Path):
    put(folder, "a.txt", "1\n2\nneedle\n4\n5\n6\n7\n8\nneedle\nneedle\n")
    text = text_of(await call("grep", pattern="needle", context=1))
    assert text.split("\n") == [
        "a.txt-2- 2",
        "a.txt:3: needle",
        "a.txt-4- 4",
        "--",
        "a.txt-8- 8",
        "a.txt:9: needle",
        "a.txt:10: needle",
    ]


async def test_the_limit_is_told_only_when_there_are_more(call: Call, folder: Path):
    put(folder, "a.txt", "needle\n" * 3)
    put(folder, "b.txt", "needle\n" * 2)
    assert "[" not in text_of(await call("grep", pattern="needle", limit=5))
    text = text_of(await call("grep", pattern="needle", limit=4))
    assert text.startswith("a.txt:1: needle\na.txt:2: needle\na.txt:3: needle\nb.txt:1: needle\n\n")
    assert text.endswith("[4 matches are shown, there are more: narrow the search or raise it.]")


async def test_case_and_literal(call: Call, folder: Path):
    put(folder, "a.txt", "a.c\nabc\nABC\n")
    assert text_of(await call("grep", pattern="a.c")) == "a.txt:1: a.c\na.txt:2: abc"
    assert text_of(await call("grep", pattern="a.c", literal=True)) == "a.txt:1: a.c"
    assert "a.txt:3: ABC" in text_of(await call("grep", pattern="a.c", ignoreCase=True))


@pytest.mark.parametrize("pattern", ["-x", "--files", "-e"])
async def test_a_pattern_is_never_an_option(call: Call, folder: Path, pattern: str):
    put(folder, "a.txt", f"see {pattern} here\n")
    assert text_of(await call("grep", pattern=pattern)) == f"a.txt:1: see {pattern} here"


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("*.ts", ["src/a.ts", "src/deep/b.ts"]),
        ("*.{ts,js}", ["c.js", "src/a.ts", "src/deep/b.ts"]),
        ("src/**/*.ts", ["src/a.ts", "src/deep/b.ts"]),
        ("./src/*.ts", ["src/a.ts"]),
        ("./*.js", ["c.js"]),
        ("deep/*.ts", ["src/deep/b.ts"]),
        ("!*.ts", ["c.js"]),
        ("*.log", []),
    ],
)
async def test_a_glob_chooses_files_and_opens_no_ignored_ones(
    call: Call, folder: Path, glob: str, found: list[str]
):
    put(folder, ".gitignore", "*.log\n/.gitignore\n")
    for name in ("src/a.ts", "src/deep/b.ts", "c.js", "d.log"):
        put(folder, name)
    text = text_of(await call("grep", pattern="needle", glob=glob))
    assert text == "\n".join(f"{name}:1: needle" for name in found) or (
        not found and text == "[No matches.]"
    )


async def test_a_glob_speaks_of_the_searched_folder_or_of_the_workspace(call: Call, folder: Path):
    put(folder, "src/lib/a.ts")
    for glob in ("lib/*.ts", "src/lib/*.ts", "./lib/*.ts", "./src/lib/*.ts"):
        text = text_of(await call("grep", pattern="needle", path="src", glob=glob))
        assert text == "src/lib/a.ts:1: needle"


async def test_one_file_can_be_searched(call: Call, folder: Path):
    put(folder, ".gitignore", "*.log\n")
    put(folder, "sub/a.log")
    assert text_of(await call("grep", pattern="needle", path="sub/a.log")) == (
        "sub/a.log:1: needle"
    )
    assert "does not exist" in await fault_of(call("grep", pattern="x", path="missing"))


async def test_line_ends_do_not_shift_numbers(call: Call, folder: Path):
    put(folder, "a.txt", "\ufeffone\r\na\rb\r\nneedle\r\n")
    assert text_of(await call("grep", pattern="^one$|needle$|b")) == (
        "a.txt:1: one\na.txt:2: a\rb\na.txt:3: needle"
    )


async def test_long_lines_are_cut_between_characters(call: Call, folder: Path):
    put(folder, "a.txt", "needle" + "😀" * 50_000 + "\n")
    text = text_of(await call("grep", pattern="needle"))
    assert text.startswith("a.txt:1: needle😀")
    assert text.endswith("😀 …\n\n[Lines are cut at 500 characters.]")
    assert len(text) < 600


async def test_results_are_bounded(call: Call, folder: Path):
    put(folder, "a.txt", ("needle" + "x" * 400 + "\n") * 1000)
    text = text_of(await call("grep", pattern="needle", limit=10_000))
    assert len(text.encode()) < 52_000
    assert "Only 50 KB or 2000 lines are shown." in text


async def test_binary_files_are_passed_over(call: Call, folder: Path):
    (folder / "a.bin").write_bytes(b"\0\0needle\n")
    put(folder, "b.txt")
    assert text_of(await call("grep", pattern="needle")) == "b.txt:1: needle"


async def test_bytes_that_are_no_utf8_are_replaced(call: Call, folder: Path):
    (folder / "a.txt").write_bytes(b"caf\xe9 needle\n")
    assert text_of(await call("grep", pattern="needle")) == "a.txt:1: caf\ufffd needle"


async def test_utf16_is_text(call: Call, folder: Path):
    (folder / "a.txt").write_bytes("größe\r\nneedle\r\n".encode("utf-16"))
    assert text_of(await call("grep", pattern="^needle$")) == "a.txt:2: needle"


@pytest.mark.parametrize(
    ("pattern", "number"),
    [("^b$", 2), (r"\Ab", 2), (r"b\Z", 2), ("b(?![^x])", 2), ("x++c", 3), ("a$", 1), ("c", 3)],
)
async def test_a_pattern_sees_one_line_only(call: Call, folder: Path, pattern: str, number: int):
    put(folder, "a.txt", "a\nb\nxxc\n")
    line = ("a", "b", "xxc")[number - 1]
    assert text_of(await call("grep", pattern=pattern)) == f"a.txt:{number}: {line}"


@pytest.mark.parametrize("block", [1, 2, 5, 11])
async def test_a_large_file_is_searched_in_blocks(
    call: Call, folder: Path, block: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pi_lsp.tools.line_search._BLOCK_BYTES", block)
    put(folder, "a.txt", "1\r\n2\r\nnéedle\r\n4\n5\n6\n7\nnéedle")
    assert text_of(await call("grep", pattern="néedle$", context=1)).split("\n") == [
        "a.txt-2- 2",
        "a.txt:3: néedle",
        "a.txt-4- 4",
        "--",
        "a.txt-7- 7",
        "a.txt:8: néedle",
    ]


async def test_a_pattern_that_ripgrep_does_not_take_works_all_the_same(call: Call, folder: Path):
    put(folder, "a.txt", "foobar\nfoo\n")
    assert text_of(await call("grep", pattern="foo(?!bar)")) == "a.txt:2: foo"


@pytest.mark.parametrize(
    ("pattern", "words"), [("(", "no regular expression"), ("a\nb", "line break"), ("", "pattern:")]
)
async def test_a_pattern_that_is_none_is_a_clear_error(call: Call, pattern: str, words: str):
    assert words in await fault_of(call("grep", pattern=pattern))


async def test_a_pattern_that_takes_for_ever_is_stopped(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pi_lsp.tools.line_search._MATCH_SECONDS", 0.05)
    put(folder, "a.txt", "a" * 5000 + "\n")
    assert "takes too long" in await fault_of(call("grep", pattern=r"(?!b)(a|aa|aaa)+\1{9}$(?<=b)"))


async def test_unsaved_buffers_are_searched_as_the_editor_shows_them(
    call: Call, folder: Path, editor: FakeEditor
):
    for name in ("a.txt", "b.txt", "c.txt"):
        put(folder, name)
    editor.show(folder / "b.txt", "typed\nneedle, typed\n", dirty=True)
    editor.show(folder / "bb.txt", "needle, new\n", dirty=True)
    editor.show(folder / "c.txt", "clean\n")
    editor.show(folder.parent / "outside.txt", "needle\n", dirty=True)
    assert text_of(await call("grep", pattern="needle")).split("\n") == [
        "a.txt:1: needle",
        "b.txt:2: needle, typed",
        "bb.txt:1: needle, new",
        "c.txt:1: needle",
    ]


async def test_an_unsaved_buffer_that_is_ignored_is_not_searched(
    call: Call, folder: Path, editor: FakeEditor
):
    put(folder, ".gitignore", "*.log\nout/\n")
    editor.show(folder / "a.log", "needle\n", dirty=True)
    editor.show(folder / "out" / "a.txt", "needle\n", dirty=True)
    assert text_of(await call("grep", pattern="needle")) == "[No matches.]"


async def test_one_unsaved_buffer_can_be_searched(call: Call, folder: Path, editor: FakeEditor):
    editor.show(folder / "new.txt", "x\nneedle\n", dirty=True)
    assert text_of(await call("grep", pattern="needle", path="new.txt")) == "new.txt:2: needle"


async def test_files_that_may_not_be_read_are_not_searched(folder: Path, editor: FakeEditor):
    put(folder, "secret.env")
    put(folder, "a.txt")
    context = ToolContext(
        folder, editor, FileMemory(), may_search=lambda path: path.name != "secret.env"
    )
    tool, parameters = Toolset().prepare("grep", {"pattern": "needle"})
    assert text_of(await tool.run(parameters, context)) == "a.txt:1: needle"


@pytest.mark.parametrize("dirty", [False, True])
async def test_a_file_that_may_not_be_read_is_not_searched_by_its_path(
    folder: Path, editor: FakeEditor, dirty: bool
):
    put(folder, "secret.env")
    editor.show(folder / "secret.env", "needle\n", dirty=dirty)
    context = ToolContext(folder, editor, FileMemory(), may_search=lambda _path: False)
    tool, parameters = Toolset().prepare("grep", {"pattern": "needle", "path": "secret.env"})
    assert "A rule in the settings" in await fault_of(tool.run(parameters, context))


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


NO_FILES = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no such devices")


@NO_FILES
@pytest.mark.parametrize("make", [fifo, endless])
async def test_a_gitignore_that_is_no_file_is_passed_over(
    call: Call, folder: Path, editor: FakeEditor, make: Callable[[Path], None]
):
    make(folder / ".gitignore")
    for name in ("a.txt", "sub/b.txt"):
        put(folder, name)
    editor.show(folder / "c.txt", "needle\n", dirty=True)
    for path in (".", str(folder)):
        text = text_of(await call("grep", pattern="needle", path=path))
        assert text == "a.txt:1: needle\nc.txt:1: needle\nsub/b.txt:1: needle"
    assert text_of(await call("find", pattern="*.txt")) == "a.txt\nsub/b.txt"


@NO_FILES
@pytest.mark.parametrize("make", [fifo, endless])
async def test_a_program_that_hangs_at_a_gitignore_is_ended_and_our_own_walk_goes_on(
    call: Call, folder: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search_programs, "_MAX_SILENCE_S", 0.2 if make is fifo else 600)
    monkeypatch.setattr(search_programs, "_MAX_MEMORY_BYTES", 100 * 1024 * 1024)
    for name in ("a.txt", "sub/deep/b.txt", "z.txt"):
        put(folder, name)
    make(folder / "sub" / ".gitignore")
    text = text_of(await call("grep", pattern="needle"))
    assert text == "a.txt:1: needle\nsub/deep/b.txt:1: needle\nz.txt:1: needle"
    assert text_of(await call("find", pattern="*.txt")) == "a.txt\nsub/deep/b.txt\nz.txt"


async def test_links_are_not_followed(call: Call, folder: Path):
    put(folder.parent, "outside/secret.txt")
    (folder / "link").symlink_to(folder.parent / "outside")
    (folder / "circle").symlink_to(folder)
    put(folder, "a.txt")
    assert text_of(await call("grep", pattern="needle")) == "a.txt:1: needle"


# find


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.ts", ["src/a.ts", "src/deep/b.ts"]),
        ("src/**/*.ts", ["src/a.ts", "src/deep/b.ts"]),
        ("src/*.ts", ["src/a.ts"]),
        ("./src/*", ["src/a.ts", "src/deep/"]),
        ("/src/*.ts", ["src/a.ts"]),
        ("deep", ["src/deep/"]),
        ("deep/", ["src/deep/"]),
        ("**/b.ts", ["src/deep/b.ts"]),
        ("project/**", []),
        ("-a.ts", ["-a.ts"]),
        ("[ab].ts", ["src/a.ts", "src/deep/b.ts"]),
        ("*.{md,ts}", ["-a.ts", "README.md", "src/a.ts", "src/deep/b.ts"]),
    ],
)
async def test_find_patterns(call: Call, folder: Path, pattern: str, found: list[str]):
    for name in ("src/a.ts", "src/deep/b.ts", "README.md"):
        put(folder, name)
    if pattern in ("-a.ts", "*.{md,ts}"):
        put(folder, "-a.ts")
    expected = "\n".join(found) or "[Nothing found.]"
    assert text_of(await call("find", pattern=pattern)) == expected


async def test_find_tells_the_limit_only_when_there_are_more(call: Call, folder: Path):
    for name in ("a.py", "b.py", "c.py"):
        put(folder, name)
    assert text_of(await call("find", pattern="*.py", limit=3)) == "a.py\nb.py\nc.py"
    assert text_of(await call("find", pattern="*.py", limit=2)).startswith("a.py\nb.py\n\n[2 are ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": "*", "limit": 0}, "limit: "),
        ({"pattern": "*", "path": "missing"}, "does not exist"),
        ({"pattern": "*", "path": "a.py"}, "is a file"),
        ({"pattern": "./"}, "empty"),
        ({"pattern": "{1..99999}"}, "cannot be used"),
    ],
)
async def test_find_faults(call: Call, folder: Path, arguments: dict[str, object], words: str):
    put(folder, "a.py")
    assert words in await fault_of(call("find", **arguments))


async def test_names_that_are_no_text_are_shown(call: Call, folder: Path):
    try:
        (folder / "a\udce9.py").touch()
    except (OSError, UnicodeError):
        pytest.skip("this file system has only names that are text")
    assert text_of(await call("find", pattern="*.py")) == "a\ufffd.py"


def test_a_walk_can_be_stopped(folder: Path, programs: bool):
    put(folder, "a/b.txt")
    flag = StopFlag()
    entries = walk(folder, folder, flag)
    next(entries)
    flag.stop()
    with pytest.raises(Stopped):
        list(entries)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_git_sees_the_same(call: Call, folder: Path):
    git(folder, "init", "-q")
    tree(folder)
    put(folder, ".gitignore", "*.log\n/build/\n!keep.log\n.pi/sessions/\ndoc/**/x\n\\#a\nq?z\n")
    for name in ("doc/1/2/x", "doc/x", "#a", "qyz", "b/qyzz", "sub/c.log/inner.py"):
        put(folder, name)
    listed = git(folder, "ls-files", "--others", "--exclude-standard", "-z")
    expected = sorted(name for name in listed.split("\0") if name)
    found = text_of(await call("find", pattern="*")).split("\n")
    assert sorted(name for name in found if not name.endswith("/")) == expected


def test_grep_module_has_defaults_that_its_description_tells():
    assert str(grep.DEFAULT_LIMIT) in str(grep.GrepParameters.model_json_schema())
