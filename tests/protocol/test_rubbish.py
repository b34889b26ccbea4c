"""Whatever an editor sends: the server stays up, and answers what can be answered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client import Client, RequestFailed
from tests.protocol.conftest import StartClient


async def still_up(client: Client) -> None:
    assert (await client.request("pi/state"))["phase"] == "idle"


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b'{"id": 1, "method": "pi/state"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "pi/state"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "pi/state"}', -32600),
        (b'{"jsonrpc": "2.0", "method": 7}', -32600),
    ],
)
async def test_a_body_that_is_no_message(start: StartClient, body: bytes, number: int) -> None:
    client = await start()
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert (await client.error_without_id())["code"] == number
    await still_up(client)


async def test_bytes_that_are_no_frame(start: StartClient) -> None:
    client = await start()
    client.send_bytes(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    client.send_bytes(b"Content-Length: 99999999999\r\n\r\n")
    client.send_bytes(b"Content-Length: -1\r\n\r\n")
    await still_up(client)


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("pi/prompt", {}, "text"),
        ("pi/prompt", {"text": 7}, "text"),
        ("pi/prompt", {"text": "x", "whenBusy": "later"}, "whenBusy"),
        ("pi/prompt", {"text": "x", "images": [{"data": "x"}]}, "images[0].mimeType"),
        (
            "pi/prompt",
            {"text": "x", "attachments": [{"uri": "file:///x", "range": {"start": {}}}]},
            "attachments[0].range.start.line",
        ),
        ("pi/navigate", {}, "entryId"),
        ("pi/label", {"entryId": "x"}, "label"),
        ("pi/export", {"format": "pdf"}, "format"),
        ("pi/setTrust", {"trusted": "yes"}, "trusted"),
        ("pi/waitForIdle", {"timeoutMs": "soon"}, "timeoutMs"),
        ("pi/state", "all", "object"),
        ("pi/state", [1], "object"),
        ("pi/state", {"workspace": 1}, "workspace"),
        ("textDocument/codeAction", {"textDocument": {}}, "params"),
    ],
)
async def test_wrong_params_are_named(
    start: StartClient, method: str, params: Any, named: str
) -> None:
    client = await start()
    with pytest.raises(RequestFailed) as refused:
        await client.request(method, params)
    assert refused.value.number == -32602
    assert named in refused.value.message
    assert "Traceback" not in str(refused.value.data)
    await still_up(client)


async def test_unknown_members_are_ignored(start: StartClient) -> None:
    client = await start()
    settled = await client.run("hello", from_=1, jsonrpc="1.0", **{"class": {}, "a-b": []})
    assert settled["aborted"] is False


async def test_unknown_methods(start: StartClient) -> None:
    client = await start()
    for method in ("pi/nothing", "textDocument/hover", "$/strange", ""):
        with pytest.raises(RequestFailed) as refused:
            await client.request(method)
        assert refused.value.number == -32601
    client.notify("pi/nothing", {"a": 1})
    client.notify("$/strange")
    client.notify("textDocument/didChange", {"textDocument": 7})
    await still_up(client)


async def test_answers_and_cancellations_that_nobody_waits_for(start: StartClient) -> None:
    client = await start()
    client.send({"jsonrpc": "2.0", "id": 77, "result": {}})
    client.send({"jsonrpc": "2.0", "id": "pi-1", "error": {"code": 1, "message": "x"}})
    client.send({"jsonrpc": "2.0", "id": None, "error": "x"})
    client.notify("$/cancelRequest", {"id": 12345})
    client.notify("$/cancelRequest", {"id": []})
    client.notify("$/cancelRequest")
    await still_up(client)


async def test_an_answer_to_a_request_of_ones_own_harms_nothing(start: StartClient) -> None:
    client = await start()
    waiting = client.send_request("pi/waitForIdle", {"timeoutMs": 50})
    client.send({"jsonrpc": "2.0", "id": waiting, "result": "mine"})
    assert await client.answer_to(waiting) == {"phase": "idle"}


async def test_text_that_is_no_unicode(start: StartClient) -> None:
    client = await start()
    await client.run("lone \ud800 surrogate")
    messages = (await client.request("pi/messages"))["messages"]
    assert len(messages) == 2


async def test_documents_that_are_not_open(start: StartClient) -> None:
    client = await start()
    where = {"uri": "file:///nowhere.txt", "version": 3}
    client.notify("textDocument/didChange", {"textDocument": where, "contentChanges": []})
    client.notify("textDocument/didSave", {"textDocument": where})
    client.notify("textDocument/didClose", {"textDocument": where})
    with pytest.raises(RequestFailed) as missing:
        await client.request("workspace/textDocumentContent", {"uri": "pi:/before/none/x"})
    assert missing.value.code == "not_found"
    await still_up(client)
