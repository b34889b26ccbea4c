"""Starting the server: over standard input and output, or on a local port."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from io import FileIO
from pathlib import Path

from pi_lsp.server.server import PiServer
from pi_lsp.server.transport import ByteStream, Transport

logger = logging.getLogger(__name__)


def serve_stdio(log_file: Path | None) -> int:
    """Serve on standard input and output until the editor is done; returns the exit code."""
    source, sink = _take_standard_streams()
    return asyncio.run(_serve(source, sink, log_file))


def serve_tcp(host: str, port: int, log_file: Path | None) -> int:
    """Serve one editor on a local port; returns the exit code."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        address = listening.getsockname()
        print(f"pi-lsp listens on {address[0]}:{address[1]}", file=sys.stderr, flush=True)
        connection, _ = listening.accept()
    with connection:
        stream = connection.makefile("rwb", buffering=0)
        return asyncio.run(_serve(stream, stream, log_file))


async def _serve(source: ByteStream, sink: ByteStream, log_file: Path | None) -> int:
    server = PiServer(log_file)
    transport = Transport(source, sink, on_frame=server.rpc.receive, on_end=server.client_is_gone)
    server.connect(transport)
    _end_on_signals(server)
    transport.start()
    return await server.ended


def _take_standard_streams() -> tuple[FileIO, FileIO]:
    """The editor's pipe, for us alone.

    What else reads from standard input gets nothing, and what else prints to standard output
    goes to standard error, so that neither a library nor a command can garble the protocol.
    """
    sys.stdout.flush()
    source = FileIO(os.dup(sys.stdin.fileno()), "r")
    sink = FileIO(os.dup(sys.stdout.fileno()), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return source, sink


def _end_on_signals(server: PiServer) -> None:
    """End in order when asked to from outside: what runs is stopped and written first."""
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, server.client_is_gone)
        except NotImplementedError:
            # Windows has no signals that an event loop could take; there the pipe ends instead.
            logger.debug("%s is not handled on this platform", name)
