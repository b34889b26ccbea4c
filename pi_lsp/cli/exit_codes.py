"""What the command's exit says; documented in its help and in docs/command-line.md."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0
    FAILED = 1
    USAGE = 2
    INTERRUPTED = 130


EXIT_CODES_HELP = """\b
Exit codes:
  0    done
  1    it failed: the run ended in an error, or a check did
  2    the command was not understood
  130  interrupted (Ctrl-C)
"""
