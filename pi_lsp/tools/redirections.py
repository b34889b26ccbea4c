"""Where the redirections of a command lead, as far as its text tells.

A shell makes the name of a file out of what is written (`.gi[t]/config`, `$OUT`, `{a,}`), and
takes it from the directory in which it is by then. Whoever allows must know the file; whoever
refuses session files takes what a name may become.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import islice, product
from pathlib import Path

from pi_lsp import system
from pi_lsp.tools.command_words import program_words
from pi_lsp.tools.shell_parts import Part, take_apart

MAX_JUDGED_CHARACTERS = 20_000
"""Longer commands are not taken apart: that would hold up everything else."""

_MADE_BY_THE_SHELL = re.compile(r"[*?\[{~$`]")
_GLOB = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_ROUGH_TARGET = re.compile(r">[>|&]?[ \t]*([^\s;&|<>()`]+)")
_CHANGES_FOLDER = frozenset({"cd", "chdir", "popd", "pushd"})
_RUNS_WORDS_IN_THE_SHELL = frozenset(
    {".", "alias", "builtin", "command", "eval", "mapfile", "readarray", "source", "trap"}
)
_MAX_ALTERNATIVES = 100
_MAX_FOLDERS = 8
_MAX_TARGETS = 500


def operator_of(part: Part) -> str:
    """The redirection without its target: `2>>`."""
    return part.text.partition(" ")[0]


def literal_target(part: Part) -> str | None:
    """The target of a redirection; None when it is quoted, or when a shell makes another of it."""
    target = part.text.partition(" ")[2]
    if target != part.words[0] or _MADE_BY_THE_SHELL.search(target):
        return None
    return target


def may_change_folder(parts: Iterable[Part]) -> bool:
    """Whether the shell may be in another directory than where it began when it runs a part."""
    return any(_may_change_folder(part) for part in parts if part.kind == "command")


def may_write_inside(command: str, folder: Path, forbidden: Iterable[Path]) -> bool:
    """Whether a redirection of a command plainly writes into a folder.

    Literal `cd`s are followed, and globs and braces are taken for all that they may stand for.
    What a variable or a substitution stands for is not known.

    Args:
        folder: where the command runs.
        forbidden: the folders; absolute.
    """
    forbidden = [Path(os.path.realpath(one)) for one in forbidden]
    folders, targets = _folders_and_targets(command, folder, forbidden)
    places = product(folders, islice(dict.fromkeys(targets), _MAX_TARGETS))
    return any(
        is_inside_any_case(Path(os.path.realpath(path)), one) or _may_match(path, one)
        for path in (base / _named(target) for base, target in places)
        for one in forbidden
    )


def is_inside_any_case(path: Path, folder: Path) -> bool:
    """Whether a path is in a folder by any spelling: many file systems take upper and lower case
    for the same."""
    parts, wanted = _folded_parts(path), _folded_parts(folder)
    return parts[: len(wanted)] == wanted


def _folders_and_targets(
    command: str, folder: Path, forbidden: list[Path]
) -> tuple[list[Path], Iterator[str]]:
    """Where the shell may be, and the files that it writes."""
    if len(command) > MAX_JUDGED_CHARACTERS:
        return [folder], _rough_targets(command, forbidden)
    parts = take_apart(command).parts
    targets = (part.words[0] for part in parts if _writes(part))
    return _folders(parts, folder), targets


def _writes(part: Part) -> bool:
    return (
        part.kind == "redirection" and ">" in operator_of(part) and not part.is_harmless_redirection
    )


def _rough_targets(command: str, forbidden: list[Path]) -> Iterator[str]:
    """Of a command that is too long to be taken apart: what names the last part of a folder."""
    names = {folder.name.casefold() for folder in forbidden}
    for found in _ROUGH_TARGET.finditer(command):
        target = found[1].replace('"', "").replace("'", "")
        if any(name in target.casefold() for name in names):
            yield target


def _folders(parts: Iterable[Part], folder: Path) -> list[Path]:
    """The directories that literal `cd`s lead to; which of them holds where is not looked into."""
    folders = [folder]
    for part in parts:
        words = program_words(list(part.words))
        if part.kind == "command" and len(words) > 1 and words[0] in _CHANGES_FOLDER:
            target = _named(words[-1])
            folders += [one / target for one in folders[: _MAX_FOLDERS - len(folders)]]
    return folders


def _named(target: str) -> str:
    """What the shell takes a word for that names a file or a directory."""
    return system.shell_path(os.path.expanduser(target))


def _may_change_folder(part: Part) -> bool:
    words = program_words(list(part.words))
    if not words:
        return False
    program = words[0]
    return (
        program in _CHANGES_FOLDER
        or program in _RUNS_WORDS_IN_THE_SHELL
        or program.startswith("-")  # of `time`
        or (program not in ("[", "[[") and _MADE_BY_THE_SHELL.search(program) is not None)
    )


def _may_match(path: Path, folder: Path) -> bool:
    """Whether a path with globs and braces may mean something in a folder."""
    if not _GLOB.search(str(path)):
        return False
    wanted = _folded_parts(folder)
    for text in _alternatives(str(path)):
        parts = _folded_parts(Path(os.path.normpath(text)))
        if len(parts) > len(wanted) and all(
            name == pattern or fnmatchcase(name, pattern)
            for name, pattern in zip(wanted, parts, strict=False)
        ):
            return True
    return False


def _alternatives(text: str) -> list[str]:
    """What braces stand for, up to a number that nobody needs."""
    done: list[str] = []
    waiting = [text]
    while waiting and len(done) + len(waiting) < _MAX_ALTERNATIVES:
        one = waiting.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.append(one)
            continue
        before, after = one[: braces.start()], one[braces.end() :]
        waiting += [f"{before}{choice}{after}" for choice in braces[1].split(",")]
    return done


def _folded_parts(path: Path) -> tuple[str, ...]:
    return tuple(part.casefold() for part in path.parts)
