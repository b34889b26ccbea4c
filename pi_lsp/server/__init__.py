"""The language server: the only floor that knows LSP."""
