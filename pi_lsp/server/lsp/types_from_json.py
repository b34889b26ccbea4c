"""LSP's types, made from JSON: stricter than pygls where a wrong value would do harm."""

from __future__ import annotations

from functools import partial
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import default_converter

from pi_lsp.server.json_values import member

_WITH_TEXT = (
    types.TextDocumentItem,
    types.TextDocumentContentChangePartial,
    types.TextDocumentContentChangeWholeDocument,
)


def lsp_converter() -> Converter:
    """pygls' converter, which makes a text of anything; but not the text of a document."""
    converter = default_converter()
    for kind in _WITH_TEXT:
        structure = converter.get_structure_hook(kind)
        converter.register_structure_hook(kind, partial(_require_text, structure))
    return converter


def _require_text(structure: Any, value: Any, kind: type[Any]) -> Any:
    if not isinstance(member(value, "text"), str):
        raise TypeError("`text` is no string")
    return structure(value, kind)
