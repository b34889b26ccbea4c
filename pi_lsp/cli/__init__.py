"""The command `pi-lsp`: the language server, and a few things to do in a terminal."""

from __future__ import annotations

import sys

_AS_EDITORS_START_IT: list[list[str]] = [[], ["--stdio"]]


def main() -> None:
    """Run the command.

    Editors start it without anything to parse, so what parses is not imported for them.
    """
    if sys.argv[1:] in _AS_EDITORS_START_IT:
        from pi_lsp.cli.logs import DEFAULT_LEVEL, configure_logging
        from pi_lsp.cli.serve import serve_editor

        configure_logging(None, DEFAULT_LEVEL)
        sys.exit(serve_editor(None, None))
    from pi_lsp.cli.commands import pi_lsp

    pi_lsp(prog_name="pi-lsp")
