"""pygls with our features; `pi_lsp.server.rpc` hands it LSP's own messages."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from cattrs import Converter, transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from pi_lsp import __version__
from pi_lsp.server.codes import RpcErrorCode
from pi_lsp.server.errors import RequestError, refuse_params
from pi_lsp.server.json_values import without_empty_list
from pi_lsp.server.lsp.features import register_features
from pi_lsp.server.lsp.types_from_json import lsp_converter

if TYPE_CHECKING:
    from pi_lsp.server.rpc import MessageId, Outcome
    from pi_lsp.server.server import PiServer


class PiLanguageServer(LanguageServer):
    """What pygls makes of the features.

    Attributes:
        pi: our server, which the features serve.
    """

    protocol: _Protocol  # pyright: ignore[reportIncompatibleVariableOverride] - made by pygls

    def __init__(self, pi: PiServer, converter: Converter) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "pi-lsp", __version__, protocol_cls=_Protocol, converter_factory=lambda: converter
        )
        self.pi = pi


class _Protocol(LanguageServerProtocol):
    """pygls' way from a message to its handler."""

    def handler(self, method: str) -> Any:
        """
        Raises:
            RequestError: there is none.
        """
        try:
            return self._get_handler(method)
        except JsonRpcMethodNotFound as error:
            code = RpcErrorCode.METHOD_NOT_FOUND
            raise RequestError(code, f"{method} is not known here") from error

    def execute(
        self, message_id: str, handler: Any, arguments: Any, done: Callable[[Outcome], None]
    ) -> None:
        """Run a handler as pygls does, but forget its future when it is done."""

        def forget(outcome: Outcome) -> None:
            self._request_futures.pop(message_id, None)
            done(outcome)

        self._execute_handler(message_id, handler, forget, (arguments,))


class Features:
    """LSP's own messages (see `pi_lsp.server.rpc.LspFeatures`).

    Args:
        pi: our server.
    """

    def __init__(self, pi: PiServer) -> None:
        self._converter = lsp_converter()
        self._server = PiLanguageServer(pi, self._converter)
        register_features(self._server)
        self._initialize(pi)

    @property
    def capabilities(self) -> types.ServerCapabilities:
        """What pygls would say of the features; the handshake is over by now."""
        return self._server.protocol.server_capabilities

    def request(
        self, message_id: MessageId, method: str, params: Any, done: Callable[[Outcome], None]
    ) -> None:
        handler = self._server.protocol.handler(method)
        arguments = self._structured(method, params)
        self._server.protocol.execute(
            str(message_id), handler, arguments, partial(self._as_json, done)
        )

    def notification(self, method: str, params: Any, done: Callable[[Outcome], None]) -> None:
        handler = self._server.protocol.handler(method)
        arguments = self._structured(method, params)
        self._server.protocol.execute(f"notification {method}", handler, arguments, done)

    def _initialize(self, pi: PiServer) -> None:
        """Have pygls set up what its own handlers expect."""
        encoding = types.PositionEncodingKind(pi.documents.encoding)
        general = types.GeneralClientCapabilities(position_encodings=[encoding])
        params = types.InitializeParams(types.ClientCapabilities(general=general))
        protocol = self._server.protocol
        protocol.execute(types.INITIALIZE, protocol.handler(types.INITIALIZE), params, _raise_fault)

    def _structured(self, method: str, params: Any) -> Any:
        """The params of an LSP message as its type. An empty table of Lua arrives as a list."""
        message_type = self._server.protocol.get_message_type(method)
        if message_type is None:
            return params
        message = {
            "jsonrpc": "2.0",
            "id": 0,
            "method": method,
            "params": without_empty_list(params),
        }
        try:
            return self._converter.structure(message, message_type).params
        except Exception as error:
            raise refuse_params(transform_error(error, path="params")[0]) from error

    def _as_json(self, done: Callable[[Outcome], None], outcome: Outcome) -> None:
        """Pass an outcome on, with LSP's types made JSON."""
        if not outcome.cancelled() and outcome.exception() is None:
            converted: Future[Any] = Future()
            converted.set_result(self._converter.unstructure(outcome.result()))
            outcome = converted
        done(outcome)


def _raise_fault(outcome: Outcome) -> None:
    outcome.result()
