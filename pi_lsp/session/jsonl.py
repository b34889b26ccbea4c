"""One JSON object on one line: how lines are written, and how a line is read.

msgspec does the work. What it refuses and the standard library can read (lone surrogates, bytes
that are no UTF-8, numbers beyond a double) is read by the standard library.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn, cast

import msgspec

from pi_lsp.messages import JsonObject

_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Legal inside JSON strings, but readers that split text into lines by Unicode's rules take these
# for line ends. Outside strings they cannot occur in JSON, so replacing bytes is safe.
_LINE_SEPARATORS = (("\u2028".encode(), b"\\u2028"), ("\u2029".encode(), b"\\u2029"))


def encode(value: JsonObject) -> bytes:
    """The object as one line of UTF-8, with its line end.

    Lone surrogates become U+FFFD: no reader takes them as UTF-8. Infinite numbers and NaN become
    null: JSON has no word for them.
    """
    try:
        line = msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):
        line = json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":")).encode()
    for raw, escaped in _LINE_SEPARATORS:
        if raw in line:
            line = line.replace(raw, escaped)
    return line + b"\n"


def decode(line: bytes) -> JsonObject | None:
    """The object that a line holds; None when it holds none, or is nested too deeply.

    Lone surrogates and infinite numbers are replaced as in `encode`, so that what is read can
    always be written and sent.
    """
    try:
        value: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, msgspec.ValidationError):
        value = _decode_tolerantly(line)
    except RecursionError:
        return None
    return cast(JsonObject, value) if isinstance(value, dict) else None


def _decode_tolerantly(line: bytes) -> Any:
    try:
        text = line.decode("utf-8", "replace")
        return _clean(json.loads(text, parse_constant=_refuse_constant))
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub(_REPLACEMENT, value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {_clean(key): _clean(member) for key, member in members.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in cast("list[Any]", value)]
    return value
