"""`pi-lsp` without a command: the language server."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path

import click

from pi_lsp.cli.exit_codes import ExitCode

_HINT = (
    "pi-lsp is a language server and waits for an editor on standard input. "
    'To use it here: pi-lsp prompt "…" (pi-lsp --help lists the commands). Ctrl-D ends it.'
)


def loopback_address(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[str, int] | None:
    """The host and port of `HOST:PORT`, an address of this machine only.

    Raises:
        click.BadParameter: it is none.
    """
    if value is None:
        return None
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"“{value}” is not HOST:PORT.")
    if not _is_loopback(host):
        raise click.BadParameter(
            f"“{host}” is refused: whoever reaches the port can run commands as you, so only "
            "127.0.0.1, ::1 or localhost will do. For another machine, use ssh."
        )
    return host, int(port)


def serve_editor(tcp: tuple[str, int] | None, log_file: Path | None) -> int:
    """Serve one editor until it is done; the process's exit code.

    Args:
        tcp: host and port to serve on instead of standard input and output.
        log_file: where the log goes, for `pi/health`; None for standard error.
    """
    from pi_lsp.server import serve

    if tcp is None and (sys.stdin is None or sys.stdout is None):
        raise click.ClickException(
            "Standard input or output is closed, so no editor can speak with the server there."
        )
    try:
        if tcp is not None:
            return serve(host=tcp[0], port=tcp[1], log_file=log_file)
        if sys.stdin.isatty():
            click.echo(_HINT, err=True)
        return serve(log_file=log_file)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except OSError as error:
        raise click.ClickException(f"The server cannot start: {error.strerror}.") from error


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
