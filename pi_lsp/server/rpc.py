"""JSON-RPC over pygls: what comes in is checked, what goes out is clean.

pygls gives the LSP types, the capabilities and the features. What it does to messages is done
here instead, because there it answers faults with tracebacks, writes whole messages into the log,
never answers a request that it cannot read, and keeps a future for each notification.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.protocol import LanguageServerProtocol, lsp_method

from pi_lsp.messages import JsonObject
from pi_lsp.server.client import ClientError
from pi_lsp.server.client_abilities import ClientAbilities, pruned
from pi_lsp.server.errors import RequestError, error_object, invalid_lsp_params
from pi_lsp.server.frames import BadFrame
from pi_lsp.server.json_values import as_object, member, without_empty_list

if TYPE_CHECKING:
    from pi_lsp.server.server import PiServer

logger = logging.getLogger(__name__)

MessageId = int | str


class Method(Protocol):
    """A request of ours, as the protocol runs it (see `pi_lsp.server.handlers`)."""

    @property
    def cancellable(self) -> bool:
        """Whether `$/cancelRequest` stops it; the others are over at once, or must be whole."""
        ...

    async def answer(self, server: PiServer, params: object) -> JsonObject:
        """Check the params, do what they ask for, and give the result as JSON."""
        ...


class PiProtocol(LanguageServerProtocol):
    """One connection to one editor.

    Attributes:
        send: takes the body of each message that goes out.
        methods: our own requests, by name.
    """

    _server: PiServer  # pyright: ignore[reportIncompatibleVariableOverride] - made by it

    def __init__(self, server: PiServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.send: Callable[[bytes], None] = lambda _body: None
        self.methods: Mapping[str, Method] = {}
        self._initialized = False
        self._gone = False
        self._incoming: dict[MessageId, tuple[asyncio.Task[JsonObject], bool]] = {}
        self._outgoing: dict[MessageId, asyncio.Future[Any]] = {}
        self._ids = itertools.count(1)

    # What comes in

    def receive(self, item: bytes | BadFrame) -> None:
        """Take one body; never raises, whatever it holds."""
        if isinstance(item, BadFrame):
            self._respond_error(None, RequestError(types.ErrorCodes.ParseError, item.reason))
            return
        try:
            message: Any = json.loads(item)
        except (ValueError, RecursionError):
            error = RequestError(types.ErrorCodes.ParseError, "the message is no valid JSON")
            self._respond_error(None, error)
            return
        try:
            self._dispatch(message)
        except Exception as error:
            # The last resort: a defect of ours must not end the connection.
            logger.error("a message could not be handled", exc_info=error)

    def _dispatch(self, received: Any) -> None:
        message = as_object(received)
        if message is None or message.get("jsonrpc") != self.VERSION:
            self._refuse(None, "the message is no JSON-RPC 2.0 object")
            return
        method, has_id = message.get("method"), "id" in message
        message_id = _id_of(message)
        if method is None and ("result" in message or "error" in message):
            self._take_answer(message_id, message)
        elif has_id and message_id is None:
            self._refuse(None, "the id is neither a string nor an integer")
        elif not isinstance(method, str):
            self._refuse(message_id, "the message has no method")
        elif message_id is not None:
            self._take_request(message_id, method, message.get("params"))
        else:
            self._take_notification(method, message.get("params"))

    def _take_request(self, message_id: MessageId, method: str, params: Any) -> None:
        try:
            self._check_order(method)
            if (ours := self.methods.get(method)) is not None:
                self._start(message_id, method, ours, params)
                return
            handler = self._get_handler(method)
            arguments = self._structured(method, params)
        except (RequestError, JsonRpcMethodNotFound) as error:
            self._respond_error(message_id, error)
            return
        self._initialized = True  # only `initialize` itself comes here before
        self._execute_handler(
            str(message_id), handler, partial(self._answered, message_id, method), (arguments,)
        )

    def _start(self, message_id: MessageId, method: str, ours: Method, params: Any) -> None:
        """Begin one of our own requests; it is answered when its task ends."""
        task = asyncio.ensure_future(ours.answer(self._server, params))
        self._incoming[message_id] = (task, ours.cancellable)

        def done(finished: asyncio.Task[JsonObject]) -> None:
            if self._incoming.get(message_id, (None,))[0] is finished:
                del self._incoming[message_id]
            self._answered(message_id, method, finished)

        task.add_done_callback(done)

    def _take_notification(self, method: str, params: Any) -> None:
        if method == types.CANCEL_REQUEST:
            self._cancel(params)
            return
        if not self._initialized and method != types.EXIT:
            logger.info("%s came before initialize and was ignored", method)
            return
        try:
            handler = self._get_handler(method)
            arguments = self._structured(method, params)
        except JsonRpcMethodNotFound:
            logger.debug("the notification %s is not known", method)
            return
        except RequestError as error:
            logger.warning("%s was ignored: %s", method, error.message)
            return
        self._execute_handler(
            f"notification {next(self._ids)}", handler, partial(_log_fault, method), (arguments,)
        )

    def _cancel(self, params: Any) -> None:
        message_id = _id_of(as_object(params) or {})
        if message_id is None:
            return
        task, cancellable = self._incoming.get(message_id, (None, False))
        if task is not None and cancellable:
            task.cancel()

    def _take_answer(self, message_id: MessageId | None, message: JsonObject) -> None:
        future = self._outgoing.pop(message_id, None) if message_id is not None else None
        if future is None or future.done():
            logger.debug("an answer that nobody waits for was ignored")
            return
        if message.get("error") is None:
            future.set_result(message.get("result"))
            return
        text = member(message, "error", "message")
        future.set_exception(ClientError(str(text or "the editor answered with an error")))

    def _check_order(self, method: str) -> None:
        if method == types.INITIALIZE:
            if self._initialized:
                raise RequestError(
                    types.ErrorCodes.InvalidRequest, "the server is initialized already"
                )
        elif not self._initialized:
            raise RequestError(
                types.ErrorCodes.ServerNotInitialized, f"{method} came before initialize"
            )
        elif self._shutdown:
            raise RequestError(types.ErrorCodes.InvalidRequest, f"{method} came after shutdown")

    def _structured(self, method: str, params: Any) -> Any:
        """The params of an LSP message as its type. An empty table of Lua arrives as a list."""
        message_type = self.get_message_type(method)
        if message_type is None:
            return params
        params = without_empty_list(params)
        if method == types.INITIALIZE:
            params = self._initialize_params(params)
        message = {"jsonrpc": self.VERSION, "id": 0, "method": method, "params": params}
        try:
            return self._converter.structure(message, message_type).params
        except Exception as error:
            raise invalid_lsp_params(error) from error

    def _initialize_params(self, params: Any) -> Any:
        """What is needed for a start, even if an editor leaves out what LSP asks for."""
        given = as_object(params)
        if given is None:
            return params
        self._server.client.abilities = ClientAbilities.of(given.get("capabilities"))
        self._server.client_settings = given.get("initializationOptions")
        members = ("processId", "rootUri", "rootPath", "workspaceFolders", "clientInfo")
        return {
            "processId": None,
            "rootUri": None,
            **{name: given[name] for name in members if name in given},
            "capabilities": pruned(given.get("capabilities")),
        }

    def _execute_handler(
        self,
        msg_id: MessageId,
        handler: Any,
        callback: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls does it, but the future is forgotten when it is done."""

        def done(future: Any) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    # What goes out

    async def ask(self, method: str, params: JsonObject) -> Any:
        """Send a request, and wait for the answer. Cancelling tells the editor so.

        Raises:
            ClientError: the editor answered with an error, or is gone.
        """
        if self._gone:
            raise ClientError("the editor is gone")
        message_id = f"pi-{next(self._ids)}"
        future = self._outgoing[message_id] = asyncio.get_running_loop().create_future()
        self._send_data(
            {"jsonrpc": self.VERSION, "id": message_id, "method": method, "params": params}
        )
        try:
            return await future
        except asyncio.CancelledError:
            self.tell(types.CANCEL_REQUEST, {"id": message_id})
            raise
        finally:
            self._outgoing.pop(message_id, None)

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    def client_is_gone(self) -> None:
        """Nobody will answer any more: every open question has failed."""
        self._gone = True
        for future in self._outgoing.values():
            if not future.done():
                future.set_exception(ClientError("the editor is gone"))

    def _answered(self, message_id: MessageId, method: str, future: Any) -> None:
        """Respond with what a handler gave, or with its fault."""
        if future.cancelled():
            self._respond_error(message_id, asyncio.CancelledError(), method)
        elif (error := future.exception()) is not None:
            self._respond_error(message_id, error, method)
        else:
            self._respond(message_id, method, future.result())

    def _respond(self, message_id: MessageId, method: str, result: Any) -> None:
        try:
            self._send_data({"jsonrpc": self.VERSION, "id": message_id, "result": result})
        except (TypeError, ValueError) as error:
            self._respond_error(message_id, error, method)

    def _refuse(self, message_id: MessageId | None, reason: str) -> None:
        self._respond_error(message_id, RequestError(types.ErrorCodes.InvalidRequest, reason))

    def _respond_error(
        self, message_id: MessageId | None, error: BaseException, method: str = "the request"
    ) -> None:
        body = {"jsonrpc": self.VERSION, "id": message_id, "error": error_object(error, method)}
        self._send_data(body)

    def _send_data(self, data: Any) -> None:
        try:
            body = json.dumps(data, default=self._as_json, ensure_ascii=False)
            encoded = body.encode()
        except UnicodeEncodeError:
            # A lone surrogate has no UTF-8, but it has a JSON escape.
            encoded = json.dumps(data, default=self._as_json).encode()
        self.send(encoded)

    def _as_json(self, value: object) -> Any:
        """One of LSP's types as JSON."""
        if not hasattr(value, "__attrs_attrs__"):
            raise TypeError(f"{type(value).__name__} is no JSON")
        return self._converter.unstructure(value)

    # LSP

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Answer with pygls' capabilities, and with those that it does not know."""
        result = yield from super().lsp_initialize(params)
        self._server.declare(result.capabilities)
        return result

    def shut_down(self) -> None:
        """From now on every request but `exit` is refused."""
        self._shutdown = True

    @property
    def is_shut_down(self) -> bool:
        return self._shutdown


def _id_of(message: JsonObject) -> MessageId | None:
    """The message's id; None when it has none that can be used."""
    message_id = message.get("id")
    if isinstance(message_id, bool) or not isinstance(message_id, int | str):
        return None
    return message_id


def _log_fault(method: str, future: Future[Any] | asyncio.Future[Any]) -> None:
    """Nobody waits for the end of a notification; its fault is for the log."""
    if not future.cancelled() and (error := future.exception()) is not None:
        logger.error("%s failed", method, exc_info=error)
