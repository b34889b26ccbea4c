"""Walks a folder as searches see it: hidden files too, but not what `.gitignore` leaves out.

`.git` and `.pi/sessions` are left out, links are not followed. Rules of nested `.gitignore`
files count with or without a git repository, those above the searched folder too: up to the
root of its repository, else up to the workspace folder. A repository inside of another starts
afresh, as with git, with what its own `.git/info/exclude` says.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pi_lsp.regular_files import read_regular
from pi_lsp.tools.paths import is_inside
from pi_lsp.tools.threads import StopFlag

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAX_IGNORE_BYTES = 1024 * 1024
"""A larger `.gitignore` is no list of rules that anybody wrote."""


@dataclass(frozen=True)
class Found:
    """An entry of the searched folder; `relative` has `/` and no leading `./`."""

    relative: str
    path: Path
    is_folder: bool


@dataclass(frozen=True)
class _Rules:
    """The rules of one file; `base` is the folder that they speak of."""

    spec: GitIgnoreSpec
    base: str

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """True to leave out, False to keep against others, None when no rule matches."""
        relative = path[len(self.base) :].lstrip(os.sep).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" if is_folder else relative).include

    def about_below(self, folder: str) -> _Rules:
        """Without the rules that leave out this folder itself: who searches it wants to see it."""
        from pathspec import GitIgnoreSpec

        relative = folder[len(self.base) :].lstrip(os.sep).replace(os.sep, "/") + "/"
        kept = [one for one in self.spec.patterns if one.match_file(relative) is None]
        return _Rules(GitIgnoreSpec(kept), self.base)


@dataclass(frozen=True)
class _Folder:
    """A folder whose entries are being walked; `relative` is empty or ends with a slash."""

    path: str
    relative: str
    rules: tuple[_Rules, ...]
    entries: Iterator[os.DirEntry[str]]


def walk(root: Path, workspace: Path, flag: StopFlag) -> Iterator[Found]:
    """The entries below a folder in the order of their paths, a folder before what is in it.

    Args:
        root: the searched folder, absolute, links resolved.
        workspace: the workspace folder; its `.gitignore` counts for what lies in it.

    Raises:
        Stopped: the flag was set.
    """
    open_folders = [_open_folder(str(root), "", _rules_above(root, workspace))]
    while open_folders:
        flag.check()
        folder = open_folders[-1]
        entry = next(folder.entries, None)
        if entry is None:
            open_folders.pop()
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if _is_left_out(entry.name, folder.path) or _is_ignored(
            entry.path, is_folder, folder.rules
        ):
            continue
        relative = f"{folder.relative}{entry.name}"
        yield Found(relative, Path(entry.path), is_folder)
        if is_folder:
            open_folders.append(_open_folder(entry.path, f"{relative}/", folder.rules))


def is_seen(path: Path, root: Path, workspace: Path) -> bool:
    """Whether a walk of `root` would come to a file below it, if it were on disk."""
    rules = _rules_above(root, workspace)
    folder = root
    for name in path.relative_to(root).parts:
        rules = _with_own_rules(str(folder), rules)
        entry = folder / name
        if _is_left_out(name, str(folder)) or _is_ignored(str(entry), entry != path, rules):
            return False
        folder = entry
    return True


def repository_root(folder: Path) -> Path | None:
    """The nearest folder from here upwards that has a `.git`; None where there is none."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def order_of(relative: str) -> tuple[str, ...]:
    """What paths are sorted by, to stand in the order of a walk."""
    return tuple(relative.rstrip("/").split("/"))


def _open_folder(path: str, relative: str, rules: tuple[_Rules, ...]) -> _Folder:
    return _Folder(path, relative, _with_own_rules(path, rules), iter(_entries(path)))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []  # it is gone, or not ours to look into: a search goes on without it


def _is_left_out(name: str, folder: str) -> bool:
    return name == ".git" or (name == "sessions" and os.path.basename(folder) == ".pi")


def _is_ignored(path: str, is_folder: bool, rules: tuple[_Rules, ...]) -> bool:
    """The nearest `.gitignore` that speaks of an entry decides."""
    for one in reversed(rules):
        verdict = one.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def _with_own_rules(folder: str, rules: tuple[_Rules, ...]) -> tuple[_Rules, ...]:
    if os.path.lexists(os.path.join(folder, ".git")):
        rules = _rules_of(folder, ".git/info/exclude")
    return (*rules, *_rules_of(folder, ".gitignore"))


def _rules_above(root: Path, workspace: Path) -> tuple[_Rules, ...]:
    """The rules of the folders above the searched one, the outermost first."""
    top = repository_root(root) or (workspace if is_inside(root, workspace) else root)
    rules: tuple[_Rules, ...] = ()
    for folder in reversed(root.parents):
        if is_inside(folder, top):
            rules = _with_own_rules(str(folder), rules)
    return tuple(one.about_below(str(root)) for one in rules)


def _rules_of(folder: str, name: str) -> tuple[_Rules, ...]:
    """The rules that a file holds for a folder; none when there is none, or none to be read: it
    may also be a link to a device or a pipe, which git carries."""
    from pathspec import GitIgnoreSpec

    try:
        data = read_regular(Path(folder, name), _MAX_IGNORE_BYTES)
    except OSError:
        return ()
    text = data.decode("utf-8-sig", "replace")
    return (_Rules(GitIgnoreSpec.from_lines(text.splitlines()), folder),)
