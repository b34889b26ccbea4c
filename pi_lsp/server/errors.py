"""How a fault travels: what was raised, as the error of a JSON-RPC response."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from pydantic import ValidationError

from pi_lsp.agent.interrupt import Aborted
from pi_lsp.errors import PiError
from pi_lsp.messages import JsonObject
from pi_lsp.server.codes import RpcErrorCode

logger = logging.getLogger(__name__)

ERROR_NUMBERS: dict[str, int] = {
    "busy": -32010,
    "invalid_state": -32011,
    "not_found": -32012,
    "invalid_argument": RpcErrorCode.INVALID_PARAMS,
    "session_locked": -32013,
    "session_invalid": -32014,
    "nothing_to_compact": -32015,
    "no_model": -32016,
    "auth": -32017,
    "provider": -32018,
    "io": -32019,
    "read_only": -32020,
    "untrusted": -32021,
}
"""The wire's number of each code of `pi_lsp.errors`."""


_LONGEST_MESSAGE = 2000
"""Characters; what was asked for may be repeated in a sentence, and may be of any length."""


class RequestError(Exception):
    """A request that is refused before any handler sees it.

    Args:
        number: the JSON-RPC error code.
        message: one sentence.
        code: our own word for it, where there is one.
    """

    def __init__(self, number: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.number = number
        self.message = message
        self.code = code


def error_object(error: BaseException, method: str) -> JsonObject:
    """The `error` member of a response. What was not foreseen is logged, and tells nothing."""
    if isinstance(error, PiError):
        number = ERROR_NUMBERS.get(error.code, RpcErrorCode.INTERNAL_ERROR)
        message = error.message
        if len(message) > _LONGEST_MESSAGE:
            message = message[: _LONGEST_MESSAGE - 1] + "…"
        return {"code": number, "message": message, "data": {"code": error.code}}
    if isinstance(error, RequestError):
        data = {"data": {"code": error.code}} if error.code else {}
        return {"code": error.number, "message": error.message, **data}
    if isinstance(error, asyncio.CancelledError | Aborted):
        return {"code": RpcErrorCode.REQUEST_CANCELLED, "message": f"{method} was stopped"}
    logger.error("%s failed", method, exc_info=error)
    return {
        "code": RpcErrorCode.INTERNAL_ERROR,
        "message": f"{method} failed inside the server; its log says where (`pi/health` says "
        "where the log is)",
    }


def invalid_params(error: ValidationError) -> RequestError:
    """Params that are not as the contract says; names the first member that is wrong."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    member = _member(first["loc"])
    if first["type"] == "missing":
        return refuse_params(f"`{member}` is missing")
    return refuse_params(f"`{member}`: {first['msg'][:1].lower()}{first['msg'][1:]}")


def refuse_params(reason: str) -> RequestError:
    """The error for params that cannot be used."""
    number = RpcErrorCode.INVALID_PARAMS
    return RequestError(number, f"invalid params: {reason}", "invalid_argument")


def _member(location: tuple[Any, ...]) -> str:
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.lstrip(".") or "params"
