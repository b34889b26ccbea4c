"""The command `pi-lsp`."""


def main() -> None:
    """Run the command."""
