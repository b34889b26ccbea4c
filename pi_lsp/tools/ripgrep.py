"""Searching files with ripgrep."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from pi_lsp.tools.line_search import MAX_LINE_BYTES, FileMatches, Line, Query
from pi_lsp.tools.search_programs import records
from pi_lsp.tools.threads import StopFlag


def search_with_ripgrep(
    program: list[str], query: Query, max_matches: int, folder: Path, target: str, flag: StopFlag
) -> Generator[FileMatches]:
    """The matches file by file, in the order of their paths; it blocks.

    Args:
        program: ripgrep, and what it is told in any case.
        max_matches: in one file.
        target: a file in `folder`, or empty for all that is in it.

    Raises:
        ProgramFailed: it does not take the pattern, or did not work.
        Stopped: the flag was set.
    """
    # The folder itself must be "./": with any other name ripgrep 13 does not find the places that
    # a `.gitignore` above it speaks of.
    arguments = [*program, *_options(query, max_matches), "-e", query.pattern, "--", f"./{target}"]
    file: FileMatches | None = None
    with closing(records(arguments, folder, b"\n", flag)) as output:
        for record in output:
            name, separator, rest = record.partition(b"\0")
            line = _line(rest) if separator else None
            if line is None:
                continue  # the mark between two places, or a word on a binary file
            relative = _relative(name)
            if file is None or file.relative != relative:
                if file is not None:
                    yield file
                file = FileMatches(relative, folder / relative)
            file.lines.append(line)
    if file is not None:
        yield file


def _options(query: Query, max_matches: int) -> list[str]:
    options = [
        "--sort=path",
        "--with-filename",
        "--line-number",
        "--null",
        "--no-heading",
        "--color=never",
        "--crlf",
        f"--max-columns={MAX_LINE_BYTES}",
        "--max-columns-preview",
        f"--max-count={max_matches}",
        f"--context={query.context}",
    ]
    if query.ignore_case:
        options.append("--ignore-case")
    if query.literal:
        options.append("--fixed-strings")
    return options


def _line(data: bytes) -> Line | None:
    """A line from `12:text` (a match) or `12-text` (context)."""
    digits = len(data) - len(data.lstrip(b"0123456789"))
    mark = data[digits : digits + 1]
    if not digits or mark not in (b":", b"-"):
        return None
    text = data[digits + 1 :].decode("utf-8", "replace").removesuffix("\r")
    return Line(int(data[:digits]), text.removeprefix("\ufeff"), mark == b":")


def _relative(name: bytes) -> str:
    return os.fsdecode(name).replace(os.sep, "/").removeprefix("./")
