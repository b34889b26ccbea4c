"""`pi-lsp` without a command: the language server."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path

import click

_HINT = (
    "pi-lsp is a language server and waits for an editor on standard input. "
    'To use it here: pi-lsp prompt "…" (pi-lsp --help lists the commands). Ctrl-D ends it.'
)


def serve_editor(tcp: str | None, log_file: Path | None) -> int:
    """Serve one editor until it is done; the process's exit code.

    Args:
        tcp: `127.0.0.1:PORT` instead of standard input and output.
        log_file: where the log goes, for `pi/health`; None for standard error.
    """
    from pi_lsp.server import serve

    if tcp is not None:
        host, port = loopback_address(tcp)
        return serve(host=host, port=port, log_file=log_file)
    if sys.stdin.isatty():
        click.echo(_HINT, err=True)
    return serve(log_file=log_file)


def loopback_address(text: str) -> tuple[str, int]:
    """The host and port of `HOST:PORT`, an address of this machine only.

    Raises:
        click.BadParameter: it is none.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"“{text}” is not HOST:PORT.", param_hint="--tcp")
    if not _is_loopback(host.strip("[]")):
        raise click.BadParameter(
            f"“{host}” is refused: whoever reaches the port can run commands as you, so only "
            "127.0.0.1, ::1 or localhost will do. For another machine, use ssh.",
            param_hint="--tcp",
        )
    return host.strip("[]"), int(port)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
