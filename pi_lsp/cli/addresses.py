"""Where the server may listen: on this machine only."""

from __future__ import annotations

import ipaddress

import click


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


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
