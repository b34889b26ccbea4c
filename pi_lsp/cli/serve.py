"""`pi-lsp` without a command: the language server."""

from __future__ import annotations

import sys
from pathlib import Path

from pi_lsp.cli.exit_codes import ExitCode

_HINT = (
    "pi-lsp is a language server and waits for an editor on standard input. "
    'To use it here: pi-lsp prompt "…" (pi-lsp --help lists the commands). Ctrl-D ends it.'
)


def serve_editor(tcp: tuple[str, int] | None, log_file: Path | None) -> int:
    """Serve one editor until it is done; the process's exit code.

    Args:
        tcp: host and port to serve on instead of standard input and output.
        log_file: where the log goes, for `pi/health`; None for standard error.
    """
    from pi_lsp.server import serve

    if tcp is None and (sys.stdin is None or sys.stdout is None):
        return _failed(
            "Standard input or output is closed, so no editor can speak with the server there."
        )
    try:
        if tcp is not None:
            return serve(host=tcp[0], port=tcp[1], log_file=log_file)
        if sys.stdin.isatty():
            print(_HINT, file=sys.stderr, flush=True)
        return serve(log_file=log_file)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except OSError as error:
        return _failed(f"The server cannot start: {error.strerror}.")


def _failed(reason: str) -> int:
    if sys.stderr is not None:
        print(f"Error: {reason}", file=sys.stderr)
    return ExitCode.FAILED
