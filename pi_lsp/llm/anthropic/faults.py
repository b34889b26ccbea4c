"""Puts what goes wrong between us and the service into sentences that a person can act on."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, cast

from pi_lsp.errors import AuthError, ProviderError

_RETRYABLE_TYPES = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
_RETRYABLE_STATUSES = frozenset({408, 409, 429})
_OK = 200

_OVERFLOW = re.compile(
    r"prompt is too long"
    r"|input is too long"
    r"|input length and `?max_tokens`? exceed context limit"
    r"|exceeds? the (?:available |maximum |model's )*context (?:size|length|window|limit)"
    r"|maximum context length"
    r"|context[_ ](?:length|window|size)[_ ]exceeded"
    r"|exceed_context_size"
    r"|context length of only"
    r"|n_keep\W[^.]*n_ctx",
    re.IGNORECASE,
)
"""How the Messages API and servers that speak it say that a request is too long for the model; the
last two are LM Studio's, which sends them as a fault of its own (500)."""

_MONEY = re.compile(r"quota|credit|billing|spend(?:ing)?[ _-]limit", re.IGNORECASE)
"""What a limit speaks of that no waiting mends."""

_NO_CREDIT = re.compile(r"credit balance|insufficient[ _](?:credit|quota|funds)", re.IGNORECASE)
"""What any other refusal speaks of when the account is empty."""

_LONGEST_TEXT = 500
"""Characters of the service's own words that a sentence holds."""


@dataclass(frozen=True)
class Reached:
    """Where a request goes, for the sentences; `key` is what they may never hold."""

    service: str
    base_url: str
    key: str = field(repr=False)

    def said(self, text: str) -> str:
        """The service's own words on one line, cut, without the key."""
        line = " ".join(re.sub(r"<[^>]*>", " ", text).split()).replace(self.key, "[key]")
        return line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"


@contextmanager
def as_provider_errors(reached: Reached) -> Generator[None]:
    """Turn what the SDK and its HTTP library raise into `ProviderError`."""
    import anthropic
    import httpx2

    try:
        yield
    except anthropic.APIStatusError as error:
        raise of_body(reached, error.status_code, error.body, error.response.headers) from None
    except anthropic.APITimeoutError:
        raise _timed_out(reached) from None
    except anthropic.APIConnectionError as error:
        cause = error.__cause__ or error
        if isinstance(cause, httpx2.UnsupportedProtocol):
            raise _not_made(reached, cause) from None
        raise _not_reached(reached, cause) from None
    except (anthropic.AnthropicError, httpx2.InvalidURL) as error:
        raise _not_made(reached, error) from None
    except httpx2.TimeoutException:
        raise _timed_out(reached) from None
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise ProviderError(
            f"The connection to {reached.base_url} broke off in the middle of the answer "
            f"({reached.said(str(error)) or type(error).__name__}).",
            retryable=True,
        ) from None


def cannot_set_up(reached: Reached, cause: BaseException) -> ProviderError:
    """What a connection needs of this computer (a proxy, certificates) cannot be used."""
    return ProviderError(
        f"No connection to {reached.base_url} can be set up ({reached.said(str(cause))}). "
        "Check the proxy and certificate variables of the environment."
    )


def broken_off(reached: Reached) -> ProviderError:
    """The stream ended before the service said that the answer is complete."""
    return ProviderError(
        f"The answer from {reached.base_url} broke off before it was complete.", retryable=True
    )


def garbled(reached: Reached, what: str) -> ProviderError:
    """The stream holds what is no event of the Messages API."""
    return ProviderError(
        f"The answer from {reached.base_url} cannot be read ({reached.said(what)}).",
        retryable=True,
    )


def of_body(
    reached: Reached, status: int, body: object, headers: Mapping[str, str] | None = None
) -> ProviderError:
    """The fault that the service answered with.

    Args:
        status: the HTTP status; 200 for an `error` event in the stream.
        body: the decoded answer, or its text.
    """
    kind, text = _kind_and_text(body)
    said = reached.said(text)
    quoted = f": “{said}”" if said else "."
    if status == HTTPStatus.UNAUTHORIZED or kind == "authentication_error":
        return AuthError(
            f"The service refused the key for “{reached.service}”{quoted} Set another key in your "
            "editor (“Set API key”)"
            + (
                ", in the environment variable ANTHROPIC_API_KEY, or in pi's auth.json."
                if reached.service == "anthropic"
                else " or in your settings."
            )
        )
    limited = status == HTTPStatus.TOO_MANY_REQUESTS or kind == "rate_limit_error"
    if (
        status == HTTPStatus.PAYMENT_REQUIRED
        or kind == "billing_error"
        or (_MONEY if limited else _NO_CREDIT).search(text)
    ):
        return ProviderError(
            f"The account behind this key cannot be charged{quoted} "
            "Check its credit and limits with the service."
        )
    if not limited and kind != "overloaded_error" and _OVERFLOW.search(text):
        return ProviderError(
            f"The conversation is too long for this model{quoted} "
            "Compact it, or go on from an earlier point.",
            overflow=True,
        )
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or kind == "request_too_large":
        return ProviderError(
            f"The request is too large to be sent{quoted} Its images or attached files are too "
            "large: go on from a point before them, or send smaller ones."
        )
    if (
        status in _RETRYABLE_STATUSES
        or status >= 500
        or (kind in _RETRYABLE_TYPES and status == _OK)
    ):
        return ProviderError(
            f"{_what_is_wrong(status, kind)}{quoted}",
            retryable=True,
            retry_after_ms=retry_after_ms(headers or {}),
        )
    return _refused(reached, status, kind, quoted)


def _refused(reached: Reached, status: int, kind: str | None, quoted: str) -> ProviderError:
    """A fault that the same request would meet again."""
    if status == HTTPStatus.FORBIDDEN or kind == "permission_error":
        return ProviderError(f"This key may not do that{quoted} Choose another model or key.")
    if status == HTTPStatus.NOT_FOUND or kind == "not_found_error":
        return ProviderError(
            f"{reached.base_url} does not know this model or address{quoted} Choose another "
            f"model, or check the base URL of “{reached.service}”."
        )
    return ProviderError(f"The service did not accept the request ({_name(status, kind)}){quoted}")


def retry_after_ms(headers: Mapping[str, str]) -> int | None:
    """How long the service asks to wait, in ms; None when it does not say it intelligibly.

    `retry-after` is a number of seconds or a date (RFC 9110, 10.2.3).
    """
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return round(exact)
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None:
        return round(seconds * 1000)
    if text is None:
        return None
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0, round((date.timestamp() - time.time()) * 1000))


def _number(text: str | None) -> float | None:
    """A number that is finite and not negative, or None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _kind_and_text(body: object) -> tuple[str | None, str]:
    """The error's type and its text: `{"type": "error", "error": {"type", "message"}}`."""
    if not isinstance(body, dict):
        return None, "" if body is None else str(body)
    answer = cast("dict[str, Any]", body)
    error: Any = answer.get("error", answer)
    if not isinstance(error, dict):
        return None, str(error)
    described = cast("dict[str, Any]", error)
    kind, message = described.get("type"), described.get("message")
    return (
        kind if isinstance(kind, str) else None,
        message if isinstance(message, str) else json.dumps(described),
    )


def _what_is_wrong(status: int, kind: str | None) -> str:
    if status == HTTPStatus.TOO_MANY_REQUESTS or kind == "rate_limit_error":
        return "The service limits how much may be asked in a while"
    if status == 529 or kind == "overloaded_error":
        return "The service is overloaded"
    return f"The service failed ({_name(status, kind)})"


def _name(status: int, kind: str | None) -> str:
    if status == _OK:
        return kind or "no reason given"
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _not_made(reached: Reached, cause: BaseException) -> ProviderError:
    return ProviderError(
        f"The request to {reached.base_url} could not be made ({reached.said(str(cause))}). "
        f"Check the base URL of “{reached.service}”."
    )


def _timed_out(reached: Reached) -> ProviderError:
    return ProviderError(f"{reached.base_url} did not answer in time.", retryable=True)


def _not_reached(reached: Reached, cause: BaseException) -> ProviderError:
    why = reached.said(str(cause)) or type(cause).__name__
    return ProviderError(
        f"{reached.base_url} cannot be reached ({why}). "
        f"Check the network, a proxy, and the base URL of “{reached.service}”.",
        retryable=True,
    )
