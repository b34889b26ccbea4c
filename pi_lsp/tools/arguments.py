"""Strings that a model sends and a system takes: paths, patterns, commands."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

MAX_PATH_CHARACTERS = 4096
"""Linux takes no more bytes; following a longer one would only take time."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _without_what_no_system_takes(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    if _SURROGATE.search(text):
        raise ValueError("it holds half of a character (a lone surrogate)")
    return text


def _short_enough(text: str) -> str:
    if len(text) > MAX_PATH_CHARACTERS:
        raise ValueError(f"it has more than {MAX_PATH_CHARACTERS} characters")
    return text


TextArgument = Annotated[str, AfterValidator(_without_what_no_system_takes)]
PathArgument = Annotated[TextArgument, AfterValidator(_short_enough)]
