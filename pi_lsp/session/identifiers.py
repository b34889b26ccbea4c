"""The ids of entries."""

from __future__ import annotations

import secrets
from collections.abc import Container


def new_entry_id(taken: Container[str]) -> str:
    """Eight hexadecimal digits that no other entry of the file has."""
    while (entry_id := secrets.token_hex(4)) in taken:
        pass
    return entry_id
