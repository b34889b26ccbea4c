"""The protocol by itself: every request is answered, nothing is kept, nothing leaks out."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol.converters import get_converter
from lsprotocol.types import InitializeResult

from pi_lsp.errors import BusyError
from pi_lsp.messages import JsonObject
from pi_lsp.server.client import ClientError
from pi_lsp.server.frames import BadFrame
from pi_lsp.server.lsp import Features
from pi_lsp.server.server import PiServer

SECRET = "sk-secret"


@dataclass
class Scripted:
    """A request of ours whose answer a test decides."""

    result: Any
    cancellable: bool = False
    only_reads: bool = False

    async def answer(self, server: PiServer, params: object) -> JsonObject:
        if isinstance(self.result, BaseException):
            raise self.result
        return await self.result if asyncio.iscoroutine(self.result) else self.result


@dataclass
class FakeTransport:
    """Keeps what the server sends."""

    sent: list[JsonObject] = field(default_factory=list)
    backlog_bytes: int = 0
    congested: bool = False

    def send(self, body: bytes) -> None:
        self.sent.append(json.loads(body))

    def when_drained(self, callback: Any) -> None:
        callback()

    async def close(self, _timeout: float) -> None:
        return None


class Connection:
    """A server without a process, and the editor's end of it."""

    def __init__(self) -> None:
        self.server = PiServer()
        self.transport = FakeTransport()
        self.server.connect(self.transport)  # type: ignore[arg-type]

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.rpc.receive(body)

    async def settle(self) -> list[JsonObject]:
        """All that was sent, once nothing is left to do."""
        if (loading := self.server.rpc._loading) is not None:
            await loading
        for _ in range(5):
            await asyncio.sleep(0)
        return self.transport.sent

    async def initialized(self) -> Connection:
        self.send(id=0, method="initialize", params={"capabilities": {}})
        await self.settle()
        self.transport.sent.clear()
        return self


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
methods = st.sampled_from(
    [
        "initialize",
        "initialized",
        "pi/state",
        "pi/prompt",
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/codeAction",
        "workspace/didChangeConfiguration",
        "workspace/didChangeWorkspaceFolders",
        "workspace/executeCommand",
        "workspace/textDocumentContent",
        "window/workDoneProgress/cancel",
        "$/cancelRequest",
        "$/setTrace",
        "nonsense",
    ]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(methods, json_values), min_size=1, max_size=6))
def test_any_params_are_survived_and_every_request_is_answered(
    messages: list[tuple[str, Any]],
) -> None:
    async def story() -> None:
        connection = Connection()
        for number, (method, params) in enumerate(messages):
            connection.send(id=number, method=method, params=params)
            connection.send(method=method, params=params)
        answers = {one["id"] for one in await connection.settle() if "method" not in one}
        assert answers == set(range(len(messages)))

    asyncio.run(story())


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_survived(body: bytes) -> None:
    async def story() -> None:
        connection = Connection()
        connection.server.rpc.receive(body)
        connection.server.rpc.receive(BadFrame("rubbish"))
        assert len(await connection.settle()) >= 1

    asyncio.run(story())


async def test_a_fault_of_ours_tells_nothing_of_the_inside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    connection = await Connection().initialized()
    connection.server.rpc.methods = {
        "pi/x": Scripted(RuntimeError(f"at line 7 with {SECRET}")),
        "pi/y": Scripted(BusyError("The agent is working.")),
    }
    connection.send(id=1, method="pi/x")
    connection.send(id=2, method="pi/y")
    inside, busy = [one["error"] for one in await connection.settle()]
    assert inside["code"] == -32603
    assert SECRET not in json.dumps(inside)
    assert "data" not in inside
    assert busy == {"code": -32010, "message": "The agent is working.", "data": {"code": "busy"}}


async def test_bodies_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    connection = await Connection().initialized()
    connection.send(id=1, method="pi/prompt", params={"text": 7, "key": SECRET})
    connection.send(id=2, method="textDocument/codeAction", params={"key": SECRET})
    connection.send(method="textDocument/didOpen", params={"key": SECRET})
    connection.send(method="$/nothing", params={"key": SECRET})
    await connection.settle()
    assert SECRET not in caplog.text


async def test_nothing_is_kept_of_what_is_over() -> None:
    connection = await Connection().initialized()
    rpc = connection.server.rpc
    rpc.methods = {"pi/x": Scripted({"ok": True})}
    uri = "file:///nowhere/a.txt"
    opened = {"uri": uri, "languageId": "text", "version": 0, "text": ""}
    connection.send(method="textDocument/didOpen", params={"textDocument": opened})
    for number in range(1, 500):
        connection.send(
            method="textDocument/didChange",
            params={
                "textDocument": {"uri": uri, "version": number},
                "contentChanges": [{"text": str(number)}],
            },
        )
        connection.send(id=number, method="pi/x")
        connection.send(id=f"s{number}", method="textDocument/codeAction", params={})
        asked = asyncio.ensure_future(rpc.ask("pi/approve", {}))
        await connection.settle()
        asked.cancel()
    await connection.settle()
    assert isinstance(rpc._features, Features)
    futures = rpc._features._server.protocol._request_futures
    assert rpc._incoming == rpc._outgoing == futures == {}
    assert not rpc._held
    document = connection.server.documents.get(uri)
    assert document is not None
    assert document.text == "499"


async def test_a_cancelled_question_is_withdrawn_and_its_late_answer_ignored() -> None:
    connection = await Connection().initialized()
    asked = asyncio.ensure_future(connection.server.rpc.ask("pi/approve", {"a": 1}))
    (question,) = await connection.settle()
    asked.cancel()
    *_, withdrawn = await connection.settle()
    assert withdrawn["method"] == "$/cancelRequest"
    assert withdrawn["params"] == {"id": question["id"]}
    connection.send(id=question["id"], result={"decision": "allow"})
    connection.send(id=question["id"], result={"decision": "allow"})
    assert len(await connection.settle()) == 2


async def test_an_editor_that_is_gone_answers_every_question_with_an_error() -> None:
    connection = await Connection().initialized()
    asked = asyncio.ensure_future(connection.server.rpc.ask("pi/approve", {}))
    await connection.settle()
    connection.server.rpc.client_is_gone()
    with pytest.raises(ClientError):
        await asked
    with pytest.raises(ClientError):
        await connection.server.rpc.ask("pi/approve", {})


async def test_only_what_may_be_cancelled_is() -> None:
    connection = await Connection().initialized()
    done = asyncio.Event()

    async def wait() -> JsonObject:
        await done.wait()
        return {}

    connection.server.rpc.methods = {
        "pi/long": Scripted(wait(), cancellable=True),
        "pi/whole": Scripted(wait()),
    }
    connection.send(id=1, method="pi/long")
    connection.send(id=2, method="pi/whole")
    await connection.settle()
    connection.send(method="$/cancelRequest", params={"id": 1})
    connection.send(method="$/cancelRequest", params={"id": 2})
    (cancelled,) = await connection.settle()
    assert (cancelled["id"], cancelled["error"]["code"]) == (1, -32800)
    done.set()
    assert (await connection.settle())[-1] == {"jsonrpc": "2.0", "id": 2, "result": {}}


async def test_a_result_that_is_no_json_is_still_an_answer() -> None:
    connection = await Connection().initialized()
    connection.server.rpc.methods = {"pi/x": Scripted({"value": {1, 2}})}
    connection.send(id=1, method="pi/x")
    (answer,) = await connection.settle()
    assert answer["error"]["code"] == -32603


async def test_a_lone_surrogate_reaches_the_editor() -> None:
    connection = await Connection().initialized()
    connection.server.rpc.methods = {"pi/x": Scripted({"text": "é\ud800"})}
    connection.send(id=1, method="pi/x")
    (answer,) = await connection.settle()
    assert answer["result"]["text"] == "é\ud800"


@pytest.mark.parametrize("text", [7, None, ["new"]])
async def test_a_change_whose_text_is_none_is_ignored_with_a_warning(
    text: object, caplog: pytest.LogCaptureFixture
) -> None:
    connection = await Connection().initialized()
    document = {"uri": "untitled:1", "languageId": "x", "version": 1}
    connection.send(
        method="textDocument/didOpen", params={"textDocument": {**document, "text": "old"}}
    )
    connection.send(
        method="textDocument/didChange",
        params={
            "textDocument": {"uri": "untitled:1", "version": 2},
            "contentChanges": [{"text": text}],
        },
    )
    connection.send(
        method="textDocument/didOpen",
        params={"textDocument": {**document, "uri": "untitled:2", "text": text}},
    )
    await connection.settle()
    held = connection.server.documents.get("untitled:1")
    assert held is not None
    assert held.text == "old"
    assert connection.server.documents.get("untitled:2") is None
    assert "didChange was ignored" in caplog.text


def opened(uri: str) -> JsonObject:
    return {"textDocument": {"uri": uri, "languageId": "x", "version": 1, "text": "text"}}


async def test_what_needs_a_document_waits_for_it_and_what_only_reads_goes_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection = await Connection().initialized()
    load, may_load = connection.server.rpc._load_features, asyncio.Event()

    async def load_late() -> Any:
        await may_load.wait()
        return await load()

    monkeypatch.setattr(connection.server.rpc, "_load_features", load_late)
    seen: list[tuple[str, bool]] = []

    def method(name: str, *, only_reads: bool) -> Scripted:
        async def answer() -> JsonObject:
            seen.append((name, connection.server.documents.get("untitled:1") is not None))
            return {}

        return Scripted(answer(), only_reads=only_reads)

    connection.server.rpc.methods = {
        "pi/run": method("run", only_reads=False),
        "pi/read": method("read", only_reads=True),
    }
    connection.send(method="textDocument/didOpen", params=opened("untitled:1"))
    connection.send(id=1, method="pi/read")
    connection.send(id=2, method="pi/run")
    await asyncio.sleep(0)
    assert seen == [("read", False)]
    may_load.set()
    await connection.settle()
    assert seen == [("read", False), ("run", True)]
    assert {one["id"] for one in connection.transport.sent} == {1, 2}


async def test_a_request_that_still_waits_can_be_cancelled() -> None:
    connection = await Connection().initialized()
    connection.server.rpc.methods = {"pi/run": Scripted(RuntimeError("ran"))}
    connection.send(method="textDocument/didOpen", params=opened("untitled:1"))
    connection.send(id=1, method="pi/run")
    connection.send(method="$/cancelRequest", params={"id": 1})
    (cancelled,) = connection.transport.sent
    assert (cancelled["id"], cancelled["error"]["code"]) == (1, -32800)
    assert await connection.settle() == [cancelled]
    assert connection.server.documents.get("untitled:1") is not None


async def test_features_that_cannot_be_loaded_leave_nobody_without_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection = await Connection().initialized()

    async def fail() -> Any:
        raise ImportError("the installation is broken")

    monkeypatch.setattr(connection.server.rpc, "_load_features", fail)
    connection.send(id=1, method="textDocument/codeAction", params={})
    for _ in range(5):
        await asyncio.sleep(0)
    (answer,) = connection.transport.sent
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)


async def test_the_handshake_promises_what_pygls_would_promise_of_the_features() -> None:
    connection = Connection()
    connection.send(id=0, method="initialize", params={"capabilities": {}})
    (answer,) = connection.transport.sent
    promised = answer["result"]["capabilities"]
    features = Features(connection.server)
    built = get_converter().unstructure(features.capabilities)
    for name in ("textDocumentSync", "codeActionProvider", "positionEncoding"):
        assert promised[name] == built[name]
    folders = built["workspace"]["workspaceFolders"]
    assert promised["workspace"]["workspaceFolders"] == folders
    get_converter().structure(answer["result"], InitializeResult)


async def test_a_request_without_an_id_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    connection = await Connection().initialized()
    connection.send(method="pi/state")
    assert await connection.settle() == []
    assert "could not be handled" not in caplog.text


async def test_a_sentence_that_repeats_what_was_asked_for_is_cut() -> None:
    connection = await Connection().initialized()
    connection.send(id=1, method="pi/state", params={"workspace": "file:///" + "x" * 300_000})
    (answer,) = await connection.settle()
    assert answer["error"]["data"]["code"] == "not_found"
    assert len(answer["error"]["message"]) == 2000
