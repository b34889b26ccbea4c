"""`python -m pi_lsp` is the command `pi-lsp`."""

from pi_lsp.cli import main

if __name__ == "__main__":
    main()
