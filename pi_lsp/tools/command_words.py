"""What a part of a shell command may run, for rules that forbid or ask.

A rule that forbids `rm *` means the program, however the call spells it: by its path, quoted,
after variables, or through another program. This finds what is plainly there; a command that
hides what it runs is not found, so rules that forbid are no sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pi_lsp.tools.shell_parts import Part, take_apart

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_RESERVED = frozenset({"!", "{", "if", "then", "elif", "else", "while", "until", "do", "time"})
_RUNNERS = frozenset(
    {
        "busybox",
        "builtin",
        "chroot",
        "command",
        "coproc",
        "doas",
        "env",
        "exec",
        "find",
        "ionice",
        "nice",
        "nohup",
        "parallel",
        "setsid",
        "stdbuf",
        "strace",
        "sudo",
        "timeout",
        "unshare",
        "watch",
        "xargs",
    }
)
"""Programs that run their arguments, after options of their own."""
_SHELLS = frozenset({"bash", "dash", "eval", "fish", "ksh", "sh", "zsh"})
"""What runs a text as commands."""
_SEPARATORS = re.compile(r"[;&|()<>`\n]|\$\(")
_MAX_NESTING = 5
_MAX_RUNNER_WORDS = 50
_MAX_SHELL_WORDS = 200


def spellings(part: Part, nesting: int = 0) -> Iterator[str]:
    """What a rule that forbids or asks is compared with: the part as it is written, and each
    command that it plainly runs, without quotes."""
    yield part.text
    if part.kind == "redirection":
        yield f"{part.text.partition(' ')[0]} {part.words[0]}"
        return
    yield from _of_words(list(part.words), nesting)


def rough_spellings(command: str) -> Iterator[str]:
    """The same of a command that cannot be taken apart for certain: every piece between what
    may separate commands, quoted or not."""
    for piece in _SEPARATORS.split(command):
        words = [word.strip("\"'\\") for word in piece.split()]
        if words:
            yield from _of_words(words, _MAX_NESTING)


def program_words(words: list[str]) -> list[str]:
    """A command's words from the program on: without assignments and words of the grammar."""
    start = 0
    while start < len(words) and (words[start] in _RESERVED or _ASSIGNMENT.match(words[start])):
        start += 1
    return words[start:]


def _of_words(words: list[str], nesting: int) -> Iterator[str]:
    words = program_words(words)
    if not words:
        return
    yield from _of_program(words, nesting)
    if _program(words) in _RUNNERS:
        # Which word is the program depends on the runner's options: any may be.
        for start in range(1, min(len(words), _MAX_RUNNER_WORDS)):
            yield from _of_program(words[start:], nesting)


def _of_program(words: list[str], nesting: int) -> Iterator[str]:
    program = _program(words)
    yield " ".join(words)
    if program != words[0]:
        yield " ".join([program, *words[1:]])
    if program in _SHELLS and nesting < _MAX_NESTING:
        for word in words[1:_MAX_SHELL_WORDS]:
            for inner in take_apart(word).parts:
                yield from spellings(inner, nesting + 1)


def _program(words: list[str]) -> str:
    """The first word without folders."""
    return re.split(r"[/\\]", words[0])[-1]
