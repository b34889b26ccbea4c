"""JSON-RPC: what comes in is checked, what goes out is clean.

pygls handles LSP's own messages (`pi_lsp.server.lsp`), but what it does to messages in general is
done here instead, because there it answers faults with tracebacks, writes whole messages into the
log, never answers a request that it cannot read, and keeps a future for each notification.

pygls and LSP's types take longer to import than everything else together. So they are loaded when
the first message comes that needs them; until then such messages wait, and behind them all that
could see their effect.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pi_lsp.messages import JsonObject
from pi_lsp.server.client import ClientError
from pi_lsp.server.codes import OVERTAKEN, LspMethod, RpcErrorCode
from pi_lsp.server.errors import RequestError, error_object
from pi_lsp.server.frames import BadFrame
from pi_lsp.server.json_values import as_object, member

if TYPE_CHECKING:
    from pi_lsp.server.server import PiServer

logger = logging.getLogger(__name__)

MessageId = int | str
Outcome = Future[Any] | asyncio.Future[Any]

_VERSION = "2.0"


class Method(Protocol):
    """A request of ours, as it is run here (see `pi_lsp.server.handlers`)."""

    @property
    def cancellable(self) -> bool:
        """Whether `$/cancelRequest` stops it; the others are over at once, or must be whole."""
        ...

    @property
    def only_reads(self) -> bool:
        """Whether it asks for the conversation, and neither changes nor needs anything else."""
        ...

    async def answer(self, server: PiServer, params: object) -> JsonObject:
        """Check the params, do what they ask for, and give the result as JSON."""
        ...


class LspFeatures(Protocol):
    """LSP's own messages, once they can be handled (see `pi_lsp.server.lsp`)."""

    def request(
        self, message_id: MessageId, method: str, params: Any, done: Callable[[Outcome], None]
    ) -> None:
        """Begin a request; `done` gets its outcome, with a result that is JSON.

        Raises:
            RequestError: there is no such method, or the params are not as LSP says.
        """
        ...

    def notification(self, method: str, params: Any, done: Callable[[Outcome], None]) -> None:
        """Take a notification.

        Raises:
            RequestError: there is no such method, or the params are not as LSP says.
        """
        ...


class _Held(NamedTuple):
    """A message that waits for LSP's types, or behind one that does; a notification has no id."""

    message_id: MessageId | None
    method: str
    params: Any


class Rpc:
    """One connection to one editor.

    Args:
        server: what the messages are for.
        load_methods: gives our own requests, by name; called once, when the first of them comes.
        load_features: makes what handles LSP's own messages; called once, when it is needed.

    Attributes:
        send: takes the body of each message that goes out.
    """

    def __init__(
        self,
        server: PiServer,
        load_methods: Callable[[], Mapping[str, Method]],
        load_features: Callable[[], Coroutine[Any, Any, LspFeatures]],
    ) -> None:
        self.send: Callable[[bytes], None] = lambda _body: None
        self._load_methods = load_methods
        self._server = server
        self._load_features = load_features
        self._features: LspFeatures | None = None
        self._loading: asyncio.Task[LspFeatures] | None = None
        self._held: deque[_Held] = deque()
        self._initialized = False
        self._shut_down = False
        self._gone = False
        self._incoming: dict[MessageId, tuple[asyncio.Task[Any], bool]] = {}
        self._outgoing: dict[MessageId, asyncio.Future[Any]] = {}
        self._ids = itertools.count(1)

    @cached_property
    def methods(self) -> Mapping[str, Method]:
        """Our own requests, by name."""
        return self._load_methods()

    # What comes in

    def receive(self, item: bytes | BadFrame) -> None:
        """Take one body; never raises, whatever it holds."""
        if isinstance(item, BadFrame):
            self._respond_error(None, RequestError(RpcErrorCode.PARSE_ERROR, item.reason))
            return
        try:
            message: Any = json.loads(item)
        except (ValueError, RecursionError):
            error = RequestError(RpcErrorCode.PARSE_ERROR, "the message is no valid JSON")
            self._respond_error(None, error)
            return
        try:
            self._dispatch(message)
        except Exception as error:
            # The last resort: a defect of ours must not end the connection.
            logger.error("a message could not be handled", exc_info=error)

    @property
    def is_shut_down(self) -> bool:
        """Whether the editor asked for a shutdown: then every request but `exit` is refused."""
        return self._shut_down

    def _dispatch(self, received: Any) -> None:
        message = as_object(received)
        if message is None or message.get("jsonrpc") != _VERSION:
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
            if method == LspMethod.INITIALIZE:
                result = self._server.initialize(params)
                self._initialized = True
                self._respond(message_id, method, result)
            elif method == LspMethod.SHUTDOWN:
                self._shut_down = True
                self._run(message_id, method, self._server.shutdown(), cancellable=False)
            elif self._must_wait(method):
                self._hold(_Held(message_id, method, params))
            else:
                self._handle_request(message_id, method, params)
        except RequestError as error:
            self._respond_error(message_id, error)

    def _take_notification(self, method: str, params: Any) -> None:
        if method == LspMethod.CANCEL_REQUEST:
            self._cancel(params)
        elif method == LspMethod.EXIT:
            self._server.exit()
        elif not self._initialized:
            logger.info("%s came before initialize and was ignored", method)
        elif method == LspMethod.INITIALIZED:
            self._server.initialized()
        elif method in self.methods:
            logger.info("%s came without an id and was ignored: it is a request", method)
        elif self._must_wait(method):
            self._hold(_Held(None, method, params))
        else:
            self._handle_notification(method, params)

    def _check_order(self, method: str) -> None:
        if method == LspMethod.INITIALIZE:
            if self._initialized:
                raise RequestError(
                    RpcErrorCode.INVALID_REQUEST, "the server is initialized already"
                )
        elif not self._initialized:
            raise RequestError(
                RpcErrorCode.SERVER_NOT_INITIALIZED, f"{method} came before initialize"
            )
        elif self._shut_down:
            raise RequestError(RpcErrorCode.INVALID_REQUEST, f"{method} came after shutdown")

    def _handle_request(self, message_id: MessageId, method: str, params: Any) -> None:
        if (ours := self.methods.get(method)) is not None:
            answering = ours.answer(self._server, params)
            self._run(message_id, method, answering, cancellable=ours.cancellable)
        elif self._features is not None:
            done = partial(self._answered, message_id, method)
            self._features.request(message_id, method, params, done)

    def _handle_notification(self, method: str, params: Any) -> None:
        assert self._features is not None
        try:
            self._features.notification(method, params, partial(_log_fault, method))
        except RequestError as error:
            known = error.number != RpcErrorCode.METHOD_NOT_FOUND
            level = logging.WARNING if known else logging.DEBUG
            logger.log(level, "%s was ignored: %s", method, error.message)

    def _run(
        self,
        message_id: MessageId,
        method: str,
        answering: Coroutine[Any, Any, Any],
        *,
        cancellable: bool,
    ) -> None:
        """Begin a request of ours; it is answered when its task ends."""
        task = asyncio.ensure_future(answering)
        self._incoming[message_id] = (task, cancellable)

        def done(finished: asyncio.Task[Any]) -> None:
            if self._incoming.get(message_id, (None,))[0] is finished:
                del self._incoming[message_id]
            self._answered(message_id, method, finished)

        task.add_done_callback(done)

    def _cancel(self, params: Any) -> None:
        message_id = _id_of(as_object(params) or {})
        if message_id is None:
            return
        task, cancellable = self._incoming.get(message_id, (None, False))
        if task is not None and cancellable:
            task.cancel()
        for held in [one for one in self._held if one.message_id == message_id]:
            self._held.remove(held)
            self._respond_error(message_id, asyncio.CancelledError(), held.method)

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

    # What waits for LSP's types

    def _must_wait(self, method: str) -> bool:
        if self._features is not None:
            return False
        ours = self.methods.get(method)
        if ours is None:
            return True
        if ours.only_reads:
            return any(held.method not in OVERTAKEN for held in self._held)
        return bool(self._held)

    def _hold(self, message: _Held) -> None:
        self._held.append(message)
        if self._loading is None:
            self._loading = asyncio.ensure_future(self._load_features())
            self._loading.add_done_callback(self._loaded)

    def _loaded(self, loading: asyncio.Task[LspFeatures]) -> None:
        self._loading = None
        if loading.cancelled():
            return
        held, self._held = self._held, deque()
        if (error := loading.exception()) is not None:
            logger.error("the editor's own messages cannot be handled", exc_info=error)
            for message in held:
                if message.message_id is not None:
                    self._respond_error(message.message_id, error, message.method)
            return
        self._features = loading.result()
        for message_id, method, params in held:
            try:
                if message_id is None:
                    self._handle_notification(method, params)
                else:
                    self._check_order(method)
                    self._handle_request(message_id, method, params)
            except RequestError as error:
                self._respond_error(message_id, error)

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
        self._send({"jsonrpc": _VERSION, "id": message_id, "method": method, "params": params})
        try:
            return await future
        except asyncio.CancelledError:
            self.tell(LspMethod.CANCEL_REQUEST, {"id": message_id})
            raise
        finally:
            self._outgoing.pop(message_id, None)

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send({"jsonrpc": _VERSION, "method": method, "params": params})

    def client_is_gone(self) -> None:
        """Nobody will answer any more: every open question has failed."""
        self._gone = True
        for future in self._outgoing.values():
            if not future.done():
                future.set_exception(ClientError("the editor is gone"))

    def _answered(self, message_id: MessageId, method: str, outcome: Outcome) -> None:
        """Respond with what a handler gave, or with its fault."""
        if outcome.cancelled():
            self._respond_error(message_id, asyncio.CancelledError(), method)
        elif (error := outcome.exception()) is not None:
            self._respond_error(message_id, error, method)
        else:
            self._respond(message_id, method, outcome.result())

    def _respond(self, message_id: MessageId, method: str, result: Any) -> None:
        try:
            self._send({"jsonrpc": _VERSION, "id": message_id, "result": result})
        except (TypeError, ValueError) as error:
            self._respond_error(message_id, error, method)

    def _refuse(self, message_id: MessageId | None, reason: str) -> None:
        self._respond_error(message_id, RequestError(RpcErrorCode.INVALID_REQUEST, reason))

    def _respond_error(
        self, message_id: MessageId | None, error: BaseException, method: str = "the request"
    ) -> None:
        self._send({"jsonrpc": _VERSION, "id": message_id, "error": error_object(error, method)})

    def _send(self, message: JsonObject) -> None:
        try:
            encoded = json.dumps(message, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            # A lone surrogate has no UTF-8, but it has a JSON escape.
            encoded = json.dumps(message).encode()
        self.send(encoded)


def _id_of(message: JsonObject) -> MessageId | None:
    """The message's id; None when it has none that can be used."""
    message_id = message.get("id")
    if isinstance(message_id, bool) or not isinstance(message_id, int | str):
        return None
    return message_id


def _log_fault(method: str, outcome: Outcome) -> None:
    """Nobody waits for the end of a notification; its fault is for the log."""
    if not outcome.cancelled() and (error := outcome.exception()) is not None:
        logger.error("%s failed", method, exc_info=error)
