"""pi-lsp: the coding agent pi in your editor, as a language server."""

__version__ = "0.1.0"
