"""LSP's own messages in any order: what comes too early or too late is refused, and the server
ends when it is told to, with the exit code that LSP says."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.cases import TIMEOUT, case, seeds
from tests.fuzz.watched import WatchedClient

pytestmark = pytest.mark.timeout(TIMEOUT)

NOT_INITIALIZED, INVALID_REQUEST = -32002, -32600


class Editor:
    """Sends LSP's messages as they come, and knows what must be answered."""

    def __init__(self, client: WatchedClient, source: random.Random, folder: Path) -> None:
        self.client = client
        self.asked: dict[int | str, int] = {}
        self.refused: dict[int | str, int] = {}
        self.initialized = False
        self.shut_down = False
        self._source = source
        self._folder = folder

    def request(self, method: str, params: Any = None) -> None:
        message_id = f"{method}-{len(self.asked)}"
        message = {"jsonrpc": "2.0", "id": message_id, "method": method}
        self.client.send(message if params is None else {**message, "params": params})
        self.asked[message_id] = 1
        if method == "initialize":
            if self.initialized:
                self.refused[message_id] = INVALID_REQUEST
            self.initialized = True
        elif not self.initialized:
            self.refused[message_id] = NOT_INITIALIZED
        elif method == "shutdown":
            self.shut_down = True  # what is sent before its answer may still be taken

    def initialize(self) -> None:
        uri = self._folder.as_uri()
        whole = {
            "processId": None,
            "rootUri": uri,
            "capabilities": {},
            "workspaceFolders": [{"uri": uri, "name": "x"}],
            "initializationOptions": {"trusted": True},
        }
        odd = [{"capabilities": {}}, {"capabilities": [], "rootUri": uri}, {**whole, "trace": "?"}]
        self.request("initialize", self._source.choice([whole, whole, whole, *odd]))

    def do_something(self) -> None:
        source, notify = self._source, self.client.notify
        uri = (self._folder / "a.txt").as_uri()
        document = {"uri": uri, "version": source.choice([0, 1, 2, -1]), "languageId": "x"}
        source.choice(
            [
                self.initialize,
                self.initialize,
                lambda: notify("initialized", source.choice([{}, None, []])),
                lambda: self.request("pi/state"),
                lambda: notify("pi/state", {}),
                lambda: self.request("pi/prompt", {"text": "hello"}),
                lambda: self.request("pi/compact"),
                lambda: self.request("shutdown") if source.random() < 0.3 else None,
                lambda: notify("$/cancelRequest", {"id": source.choice([*self.asked, 0])}),
                lambda: notify("$/setTrace", {"value": source.choice(["off", "verbose", "x"])}),
                lambda: notify("textDocument/didOpen", {"textDocument": {**document, "text": "a"}}),
                lambda: notify("textDocument/didChange", {"textDocument": document}),
                lambda: notify("textDocument/didClose", {"textDocument": document}),
                lambda: notify("workspace/didChangeConfiguration", {"settings": source.choice(
                    [None, {}, [], 7, {"pi": {"approval": 1}}, {"trusted": "?"}]
                )}),
                lambda: notify("workspace/didChangeWorkspaceFolders", {"event": source.choice(
                    [{"added": [], "removed": []}, {"added": [{"uri": "x:", "name": ""}]}, 7]
                )}),
                lambda: notify("window/workDoneProgress/cancel", {"token": "none"}),
            ]
        )()  # fmt: skip

    async def check_answers(self) -> None:
        """All is answered; what came before `initialize` is refused, and what comes after the
        answer to `shutdown`."""
        if self.initialized and self._source.random() < 0.5:
            self.request("shutdown")
        await self.client.answered_at_all(self.asked)
        if self.shut_down:
            self.request("pi/state")
            await self.client.answered_at_all(self.asked)
            self.refused[[*self.asked][-1]] = INVALID_REQUEST
        for message_id, number in self.refused.items():
            assert self.client.answers[message_id]["error"]["code"] == number, message_id

    async def end(self) -> None:
        """End the server in one of three ways, and look how it went."""
        how = self._source.choice(["exit", "exit", "hang up"])
        if how == "hang up":
            assert await self.client.hang_up() == 0
        else:
            self.client.notify("exit")
            assert await self.client.exit_code() == (0 if self.shut_down else 1)


async def test_any_order(folder: Path, home: Path) -> None:
    for seed in seeds(5):
        with case(seed) as source:
            client = WatchedClient(folder, home)
            await client.spawn()
            editor = Editor(client, source, folder)
            try:
                for _ in range(source.randint(3, 25)):
                    editor.do_something()
                await editor.check_answers()
                client.check()
                await editor.end()
            finally:
                client.kill_if_alive()
            client.check()
