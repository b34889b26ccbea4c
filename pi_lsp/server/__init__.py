"""The language server: the only floor that knows LSP."""

from __future__ import annotations

from pathlib import Path


def serve(*, host: str | None = None, port: int | None = None, log_file: Path | None = None) -> int:
    """Serve one editor until it is done; returns the process's exit code.

    Args:
        host, port: a local address to serve on; standard input and output if left out.
        log_file: where the log is written, to tell people; None for standard error.
    """
    from pi_lsp.server.serving import serve_stdio, serve_tcp

    if host is None:
        return serve_stdio(log_file)
    return serve_tcp(host, port or 0, log_file)
