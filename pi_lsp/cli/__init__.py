"""The command `pi-lsp`: the language server, and a few things to do in a terminal."""

from __future__ import annotations


def main() -> None:
    """Run the command."""
    from pi_lsp.cli.commands import pi_lsp

    pi_lsp(prog_name="pi-lsp")
