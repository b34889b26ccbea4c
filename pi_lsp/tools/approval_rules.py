"""Rules of approval: which ones speak of a path or a command, and what they say together.

Patterns are globs in which `*` stands for anything, `/` included; in those on paths `**/` may also
stand for no folder at all. Rules that forbid or ask are
read widely, rules that allow narrowly: where it is not sure that a rule means a call, the person
is asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pi_lsp import system
from pi_lsp.settings import ApprovalRule
from pi_lsp.tools.command_words import rough_spellings, spellings
from pi_lsp.tools.paths import is_inside, shown
from pi_lsp.tools.redirections import (
    MAX_JUDGED_CHARACTERS,
    literal_target,
    may_change_folder,
    operator_of,
)
from pi_lsp.tools.shell_parts import Part, ShellParts, take_apart
from pi_lsp.tools.tool import Access

RuleDecision = Literal["allow", "ask", "deny"]

_SPECIAL = re.compile(r"[*?[]")
_QUOTED_SPECIAL = re.compile(r"\[([*?[])\]")


def exact_pattern(text: str) -> str:
    """The pattern that means this text and nothing else."""
    return _SPECIAL.sub(r"[\g<0>]", text)


def literal_of(pattern: str) -> str | None:
    """The one text that a pattern means; None for a pattern of many."""
    if _SPECIAL.search(_QUOTED_SPECIAL.sub("", pattern)):
        return None
    return _QUOTED_SPECIAL.sub(r"\1", pattern)


@dataclass(frozen=True)
class RuleBook:
    """The rules of all layers, as they speak of one tool's calls in one folder."""

    rules: tuple[ApprovalRule, ...]
    folder: Path

    @classmethod
    def of(cls, rules: Iterable[ApprovalRule], tool_name: str, folder: Path) -> RuleBook:
        return cls(
            tuple(
                rule
                for rule in rules
                if fnmatchcase(tool_name, rule.tool) and _counts_in(rule, folder)
            ),
            folder,
        )

    def decision(self, access: Access) -> RuleDecision | None:
        """What the rules say together; None when they say nothing. Deny beats ask beats allow."""
        if access.command is not None:
            return self._of_command(access.command)
        if access.named is None or access.real is None:
            return None
        return self._of_path(access.named, access.real, access.kind)

    def _patterns(self, decision: RuleDecision) -> Iterator[str]:
        return (rule.pattern for rule in self.rules if rule.decision == decision)

    def _of_path(self, named: Path, real: Path, kind: str) -> RuleDecision | None:
        for decision in ("deny", "ask"):
            if any(self._speaks_of(pattern, named, real) for pattern in self._patterns(decision)):
                return decision
        if any(self._allows(pattern, real, kind) for pattern in self._patterns("allow")):
            return "allow"
        return None

    def _speaks_of(self, pattern: str, named: Path, real: Path) -> bool:
        """Whether a rule that forbids or asks means a path, by any of its names."""
        pattern = _path_pattern(pattern).removeprefix("./").casefold()
        names = {path.as_posix() for path in (named, real)}
        names |= {shown(path, self.folder) for path in (named, real)}
        if "/" not in pattern:
            names |= {path.name for path in (named, real)}
        return any(_matches_path(pattern, name.casefold()) for name in names)

    def _allows(self, pattern: str, real: Path, kind: str) -> bool:
        """Whether a rule that allows means a path: outside of the folder, and for writing where
        programs are configured, only when the pattern names that place."""
        pattern = _path_pattern(pattern)
        if pattern.startswith("/") or Path(pattern).is_absolute():
            name = real.as_posix()
        elif is_inside(real, self.folder):
            name = shown(real, self.folder)
            pattern = pattern.removeprefix("./")
        else:
            return False
        if not _matches_path(pattern, name):
            return False
        place = protected_part(real, self.folder) if kind == "write" else None
        return place is None or place in pattern.casefold().split("/")

    def _of_command(self, command: str) -> RuleDecision | None:
        if len(command) > MAX_JUDGED_CHARACTERS:
            return self._of_long_command(command)
        taken = take_apart(command)
        names = {command.strip(), *_all_spellings(command, taken)}
        for decision in ("deny", "ask"):
            for pattern in self._patterns(decision):
                if any(_matches(pattern, name) for name in names):
                    return decision
        allowing = list(self._patterns("allow"))
        if any(_is_all_of(pattern, command) for pattern in allowing):
            return "allow"
        if not taken.certain or not taken.parts:
            return None
        moves = may_change_folder(taken.parts)
        if all(self._allows_part(part, allowing, moves) for part in taken.parts):
            return "allow"
        return None

    def _of_long_command(self, command: str) -> RuleDecision | None:
        """What can be said of a command that is not taken apart: where rules forbid anything, it
        may hold that."""
        if any(_matches(pattern, command.strip()) for pattern in self._patterns("deny")):
            return "deny"
        if any(rule.decision != "allow" for rule in self.rules):
            return "ask"
        return "allow" if any(_is_all_of(one, command) for one in self._patterns("allow")) else None

    def _allows_part(self, part: Part, patterns: list[str], moves: bool) -> bool:
        if part.is_harmless_redirection:
            return True
        if part.kind == "redirection":
            return any(self._allows_redirection(part, pattern, moves) for pattern in patterns)
        return any(_matches(pattern, part.text) for pattern in patterns)

    def _allows_redirection(self, part: Part, pattern: str, moves: bool) -> bool:
        """`> build/*` allows to write there, as a rule on the path would.

        Args:
            moves: the command may change its directory, so that a relative target may be anywhere.
        """
        operator, target = operator_of(part), literal_target(part)
        wanted_operator, _, wanted = pattern.partition(" ")
        if not wanted or not _matches(wanted_operator.strip(), operator):
            return False
        if "<<" in operator and target is not None:
            return _matches(wanted, target)
        if moves and "<<" not in operator and not os.path.isabs(system.shell_path(part.words[0])):
            return False
        if target is None:
            return literal_of(pattern) == part.text
        real = system.real_path(self.folder / system.shell_path(target))
        return self._allows(wanted, real, "read" if operator.endswith("<") else "write")


def protected_part(path: Path, folder: Path) -> str | None:
    """The folder in a path whose files configure programs, so that writing there may run code."""
    parts = path.relative_to(folder).parts if is_inside(path, folder) else path.parts
    return next((name for name in map(str.casefold, parts) if name in PROTECTED), None)


PROTECTED = frozenset({".git", ".pi", ".vscode", ".idea", ".github"})


def _all_spellings(command: str, taken: ShellParts) -> Iterator[str]:
    for part in taken.parts:
        yield from spellings(part)
    if not taken.certain:
        yield from rough_spellings(command)


def _is_all_of(pattern: str, command: str) -> bool:
    """Whether a pattern means every command, or exactly this one."""
    literal = literal_of(pattern)
    return set(pattern) == {"*"} or (literal is not None and literal.strip() == command.strip())


def _counts_in(rule: ApprovalRule, folder: Path) -> bool:
    return rule.folder is None or system.real_path(Path(rule.folder)) == folder


def _path_pattern(pattern: str) -> str:
    """A pattern as it is compared with paths: with slashes, and the person's home in full."""
    pattern = system.with_slashes(pattern)
    if pattern == "~" or pattern.startswith("~/"):
        return exact_pattern(Path.home().as_posix()) + pattern[1:]
    return pattern


def _matches_path(pattern: str, path: str) -> bool:
    return _matches(pattern, path) or (
        "**/" in pattern and _matches(pattern.replace("**/", ""), path)
    )


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).match(text) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))
