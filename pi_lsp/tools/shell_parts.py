"""Takes a shell command apart, so that each program that it runs can be judged by itself.

This reads the grammar of POSIX shells and bash as far as it decides where a command begins:
separators, quotes, substitutions, redirections, here-documents, comments. Where it cannot be
sure that a shell reads the text in the same way, it says so, and whoever judges must ask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

_MAX_DEPTH = 40
_REDIRECTIONS = ("&>>", "<<<", "<<-", "&>", "<<", "<>", "<&", ">>", ">|", ">&", "<", ">")
_DELIMITER = re.compile(r"\w+\Z")
_DESCRIPTOR = re.compile(r"\d+\Z")


@dataclass(frozen=True)
class Part:
    """One program with its arguments, or one redirection.

    Attributes:
        text: as it is written, with single spaces between the words; a redirection as
            `> file`.
        words: the words without their quotes; of a redirection only the target.
    """

    kind: Literal["command", "redirection"]
    text: str
    words: tuple[str, ...]

    @property
    def is_harmless_redirection(self) -> bool:
        """It only joins two outputs (`2>&1`), or leads to or from /dev/null."""
        if self.kind != "redirection":
            return False
        operator = self.text.partition(" ")[0].lstrip("0123456789")
        target = self.words[0] if self.words else ""
        if operator in (">&", "<&"):
            return target == "-" or target.rstrip("-").isdigit()
        return target == "/dev/null" and operator in ("<", ">", ">>", "&>", "&>>", ">|")


@dataclass(frozen=True)
class ShellParts:
    """All parts of a command, those inside of others too; `certain` is False where a shell may
    read the text in another way."""

    parts: tuple[Part, ...]
    certain: bool


def take_apart(command: str) -> ShellParts:
    """The parts of a command, in the order in which they begin."""
    reader = _Reader(command)
    try:
        reader.read_commands(closer=None)
    except _TooDeepError:
        words = tuple(command.split())
        return ShellParts((Part("command", command.strip(), words),), certain=False)
    return ShellParts(tuple(reader.parts), reader.certain)


class _TooDeepError(Exception):
    """Nested so deeply that nobody means it."""


@dataclass
class _Word:
    """`raw` is as written, `plain` without quotes."""

    raw: list[str] = field(default_factory=list[str])
    plain: list[str] = field(default_factory=list[str])

    def add(self, raw: str, plain: str | None = None) -> None:
        self.raw.append(raw)
        self.plain.append(raw if plain is None else plain)


@dataclass
class _HereDocument:
    delimiter: str
    quoted: bool
    strip_tabs: bool


@dataclass
class _Scope:
    """What is open in one list of commands; a substitution has its own."""

    raw_words: list[str] = field(default_factory=list[str])
    plain_words: list[str] = field(default_factory=list[str])
    word: _Word | None = None
    redirection: str | None = None
    here_documents: list[_HereDocument] = field(default_factory=list[_HereDocument])
    place: int = 0
    """Where in the list of parts the open command belongs: before the parts inside of it."""


class _Reader:
    """Reads a command once, from left to right."""

    def __init__(self, text: str, depth: int = 0) -> None:
        if depth > _MAX_DEPTH:
            raise _TooDeepError
        self.parts: list[Part] = []
        self.certain = True
        self._text = text
        self._at = 0
        self._depth = depth
        self._scope = _Scope()

    def read_commands(self, closer: str | None) -> None:
        """Read commands up to `closer`, or to the end of the text for None."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _TooDeepError
        outer, self._scope = self._scope, _Scope(place=len(self.parts))
        closed = self._read_until(closer)
        self._end_command()
        if self._scope.here_documents or not closed:
            self.certain = False
        self._scope = outer
        self._depth -= 1

    def _read_until(self, closer: str | None) -> bool:
        """Whether the closer was found."""
        while self._at < len(self._text):
            if closer is not None and self._text[self._at] == closer:
                self._at += 1
                return True
            self._read_one()
        return closer is None

    def _read_one(self) -> None:
        char = self._text[self._at]
        if char in " \t":
            self._at += 1
            self._end_word()
        elif char == "\n":
            self._at += 1
            self._end_command()
            self._skip_here_documents()
        elif char == "#" and self._scope.word is None:
            self._skip_comment()
        elif operator := self._redirection_here():
            self._open_redirection(operator)
        elif char in ";&|)":
            self._at += 1
            self._end_command()
        elif char == "(":
            self._open_group()
        else:
            self._read_in_word()

    # words

    def _read_in_word(self) -> None:
        char = self._text[self._at]
        word = self._open_word()
        if char == "\\":
            self._read_escape(word)
        elif char == "'":
            word.add(*self._single_quoted())
        elif char == '"':
            word.add(*self._double_quoted())
        elif char in "$`<>":
            self._read_expansion(word)
        else:
            self._at += 1
            word.add(char)

    def _read_escape(self, word: _Word) -> None:
        escaped = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        if not escaped:
            self.certain = False
        if escaped == "\n":  # a continued line
            if not word.raw:
                self._scope.word = None
            return
        word.add("\\" + escaped, escaped)

    def _read_expansion(self, word: _Word) -> None:
        """What begins with `$`, a backtick, or is a process substitution."""
        start = self._at
        if self._text.startswith("$'", start):
            word.add(*self._ansi_quoted())
        elif self._text.startswith('$"', start):
            self._at += 1
            raw, plain = self._double_quoted()
            word.add("$" + raw, plain)
        elif not self._skip_expansion():
            self._at += 1
            word.add(self._text[start])
        else:
            word.add(self._text[start : self._at])

    def _skip_expansion(self, in_quotes: bool = False) -> bool:
        """Go past an expansion, reading the commands in it; False when there is none here."""
        text, at = self._text, self._at
        if text.startswith("`", at):
            self._backticks()
        elif text.startswith("${", at):
            self._at += 2
            self._parameter(in_quotes)
        elif text.startswith(("$(", "<(", ">("), at) and not (in_quotes and text[at] != "$"):
            if text.startswith("$((", at):
                self.certain = False  # arithmetic, or a group in a substitution
            self._at += 2
            self.read_commands(")")
        else:
            if text.startswith("$[", at):
                self.certain = False  # the old form of arithmetic
            return False
        return True

    def _single_quoted(self) -> tuple[str, str]:
        start = self._at
        end = self._text.find("'", start + 1)
        if end < 0:
            self.certain = False
            end = len(self._text)
        self._at = end + 1
        return self._text[start : end + 1], self._text[start + 1 : end]

    def _ansi_quoted(self) -> tuple[str, str]:
        start = self._at
        self._at += 2
        while self._at < len(self._text) and self._text[self._at] != "'":
            self._at += 2 if self._text[self._at] == "\\" else 1
        self.certain = False  # its escapes can spell any word
        self._at += 1
        raw = self._text[start : self._at]
        return raw, raw[2:-1]

    def _double_quoted(self) -> tuple[str, str]:
        start = self._at
        plain: list[str] = []
        self._at += 1
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == '"':
                self._at += 1
                return self._text[start : self._at], "".join(plain)
            before = self._at
            if char == "\\":
                self._at += 2
                plain.append(_unescaped_in_quotes(self._text[before : self._at]))
            else:
                if not (char in "$`" and self._skip_expansion(in_quotes=True)):
                    self._at += 1
                plain.append(self._text[before : self._at])
        self.certain = False
        return self._text[start:], "".join(plain)

    def _parameter(self, in_quotes: bool) -> None:
        """Go past the rest of `${…}`."""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "}":
                self._at += 1
                return
            if char == "\\":
                self._at += 2
            elif char == "'":
                if in_quotes:
                    self.certain = False  # a quote or not: shells differ
                    self._at += 1
                else:
                    self._single_quoted()
            elif char == '"':
                self._double_quoted()
            elif not self._skip_expansion(in_quotes):
                self._at += 1
        self.certain = False

    def _backticks(self) -> None:
        self._at += 1
        start = self._at
        while self._at < len(self._text) and self._text[self._at] != "`":
            self._at += 2 if self._text[self._at] == "\\" else 1
        if self._at >= len(self._text):
            self.certain = False
        inner = re.sub(r"\\([\\`$\"])", r"\1", self._text[start : self._at])
        self._at += 1
        self._take_from(inner)

    def _take_from(self, inner: str, *, only_expansions: bool = False) -> None:
        """Take the parts of a text that stands for itself."""
        reader = _Reader(inner, self._depth + 1)
        if only_expansions:
            reader.read_expansions()
        else:
            reader.read_commands(closer=None)
        self.parts += reader.parts
        self.certain = self.certain and reader.certain

    def read_expansions(self) -> None:
        """Read a text in which only expansions count, as in a here-document."""
        while self._at < len(self._text):
            if self._text[self._at] == "\\":
                self._at += 2
            elif not self._skip_expansion(in_quotes=True):
                self._at += 1

    def _open_word(self) -> _Word:
        if self._scope.word is None:
            self._scope.word = _Word()
        return self._scope.word

    def _end_word(self) -> None:
        scope = self._scope
        if scope.word is None:
            return
        raw, plain = "".join(scope.word.raw), "".join(scope.word.plain)
        scope.word = None
        if scope.redirection is not None:
            self._end_redirection(scope.redirection, raw, plain)
            return
        if raw == "case" or (raw == "function" and not scope.raw_words):
            self.certain = False  # their parentheses open nothing
        scope.raw_words.append(raw)
        scope.plain_words.append(plain)

    # commands

    def _end_command(self) -> None:
        self._end_word()
        scope = self._scope
        if scope.redirection is not None:  # without a target
            self.certain = False
            scope.redirection = None
        if scope.raw_words:
            text, words = " ".join(scope.raw_words), tuple(scope.plain_words)
            self.parts.insert(scope.place, Part("command", text, words))
            scope.raw_words, scope.plain_words = [], []
        scope.place = len(self.parts)

    def _open_group(self) -> None:
        if self._text.startswith("((", self._at):
            self.certain = False  # arithmetic, or two groups
        if self._scope.word is not None:
            self.certain = False  # a function, an array, a pattern
        self._at += 1
        self._end_command()
        self.read_commands(")")

    def _skip_comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    # redirections

    def _redirection_here(self) -> str | None:
        if self._text[self._at] not in "<>&":
            return None
        if self._text.startswith(("<(", ">("), self._at):
            return None  # a process substitution is a word
        return next((one for one in _REDIRECTIONS if self._text.startswith(one, self._at)), None)

    def _open_redirection(self, operator: str) -> None:
        scope = self._scope
        descriptor = ""
        if scope.word is not None and not operator.startswith("&"):
            raw = "".join(scope.word.raw)
            if _DESCRIPTOR.match(raw):
                descriptor = raw
                scope.word = None
            elif operator.startswith("<<"):
                self.certain = False  # `a[1<<2]=3` is no here-document
        self._end_word()
        if scope.redirection is not None:
            self.certain = False
        scope.redirection = descriptor + operator
        self._at += len(operator)

    def _end_redirection(self, operator: str, raw: str, plain: str) -> None:
        scope = self._scope
        scope.redirection = None
        self.parts.append(Part("redirection", f"{operator} {raw}", (plain,)))
        kind = operator.lstrip("0123456789")
        if kind not in ("<<", "<<-"):
            return
        if not _DELIMITER.match(plain) or any("[" in word for word in scope.raw_words):
            self.certain = False
        scope.here_documents.append(_HereDocument(plain, raw != plain, kind == "<<-"))

    def _skip_here_documents(self) -> None:
        waiting, self._scope.here_documents = self._scope.here_documents, []
        for document in waiting:
            body = self._here_document_body(document)
            if not document.quoted:
                self._take_from(body, only_expansions=True)
        self._scope.place = len(self.parts)

    def _here_document_body(self, document: _HereDocument) -> str:
        lines: list[str] = []
        while self._at < len(self._text):
            end = self._text.find("\n", self._at)
            end = len(self._text) if end < 0 else end
            line = self._text[self._at : end]
            self._at = end + 1
            if document.strip_tabs:
                line = line.lstrip("\t")
            if line == document.delimiter:
                return "\n".join(lines)
            lines.append(line)
        self.certain = False
        return "\n".join(lines)


def _unescaped_in_quotes(pair: str) -> str:
    """What a backslash and a character mean in double quotes, where it escapes only a few."""
    if pair == "\\\n":
        return ""
    return pair[1:] if pair[1:] in ("$", "`", '"', "\\") else pair
