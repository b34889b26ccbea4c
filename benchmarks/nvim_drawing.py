"""What drawing costs in Neovim: a long conversation is opened, and an answer streams while a person
types.

    python -m benchmarks.nvim_drawing

The figures, measured at the screen of a real Neovim:

- opening: from the request for the state of a session of 5,000 messages (the real server) until its
  end stands on the screen; with the usual page, and with all of it drawn at once.
- branches: from the key that shows all 5,000 entries of the tree until they are drawn.
- streaming: a model (a local service that speaks the Messages API) sends an answer in 20,000 deltas
  as fast as it can, through the real server: how long it takes until all is drawn, and how long a
  typed letter takes to stand on the screen meanwhile.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.messages_api import MessagesApi, Text
from tests.nvim.conversations import assistant
from tests.nvim.neovim import Neovim

MESSAGES = 5_000
DELTAS = 20_000
ANSWER = (
    "The kettle **boils** water; `kettle.py` says how.\n\n```python\ndef boil(water):\n"
    "    return water + 80\n```\n\n- it adds eighty degrees\n- it asks nobody"
)

_SYNC = """
local chat = require("pi.chats").present()
local started = vim.uv.hrtime()
drawn_after = nil
chat:sync(function()
  vim.cmd.redraw()
  drawn_after = (vim.uv.hrtime() - started) / 1e6
end)
"""


def _session(folder: Path) -> None:
    """Write a session of so many messages: questions, answers with a tool call, its results."""
    sessions = folder / ".pi" / "sessions"
    sessions.mkdir(parents=True)
    number = "01900000-0000-7000-8000-000000000000"
    header: dict[str, Any] = {
        "type": "session",
        "version": 3,
        "id": number,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": str(folder),
    }
    with (sessions / f"2026-01-01T00-00-00-000Z_{number}.jsonl").open("w") as file:
        file.write(json.dumps(header) + "\n")
        for index in range(MESSAGES):
            entry: dict[str, Any] = {
                "type": "message",
                "id": f"{index:08x}",
                "parentId": f"{index - 1:08x}" if index else None,
                "timestamp": "2026-01-01T00:00:00.000Z",
                "message": _message(index),
            }
            file.write(json.dumps(entry) + "\n")


def _message(index: int) -> dict[str, Any]:
    kind = index % 4
    if kind == 0:
        content: Any = [{"type": "text", "text": f"question {index}: what does it do?"}]
        return {"role": "user", "content": content, "timestamp": index}
    if kind == 2:
        return {
            "role": "toolResult",
            "toolCallId": f"call-{index - 1}",
            "toolName": "read",
            "content": [{"type": "text", "text": "def boil(water):\n    return water + 80\n" * 20}],
            "isError": False,
            "timestamp": index,
        }
    answer: list[dict[str, Any]] = [{"type": "text", "text": ANSWER}]
    if kind == 1:
        arguments = {"path": "kettle.py"}
        answer.append(
            {"type": "toolCall", "id": f"call-{index}", "name": "read", "arguments": arguments}
        )
    return assistant(*answer, stop_reason="toolUse" if kind == 1 else "stop", api="demo", usage={})


def measure_opening(scratch: Path, page_size: int) -> float:
    """Milliseconds until a session of 5,000 messages is drawn."""
    folder = scratch / f"project-{page_size}"
    folder.mkdir()
    _session(folder)
    setup = f"require('pi').setup({{ page = {page_size}, settings = {{ trusted = true }} }})"
    with Neovim(folder, scratch / "home", setup) as neovim:
        neovim.type(":Pi<CR>")
        neovim.sees("it asks nobody", timeout=120)
        times: list[float] = []
        for _ in range(5):
            neovim.lua(_SYNC)
            neovim.waits_for("drawn_after ~= nil", timeout=120)
            times.append(neovim.lua("return drawn_after"))
    return statistics.median(times)


def measure_tree(scratch: Path) -> float:
    """Milliseconds until a tree of 5,000 entries is drawn."""
    folder = scratch / "tree"
    folder.mkdir()
    _session(folder)
    setup = "require('pi').setup({ settings = { trusted = true } })"
    with Neovim(folder, scratch / "home", setup) as neovim:
        neovim.type(":Pi<CR>")
        neovim.sees("it asks nobody", timeout=120)
        neovim.type(":Pi tree<CR>")
        times: list[float] = []
        for _ in range(5):
            neovim.sees("branches · ", timeout=120)
            pressed = time.perf_counter()
            neovim.type("<Tab>")
            neovim.sees(f"default · {MESSAGES} ", timeout=120)
            times.append((time.perf_counter() - pressed) * 1000)
            neovim.type("<S-Tab>")
        return statistics.median(times)


def measure_streaming(scratch: Path) -> tuple[float, list[float]]:
    """Seconds until 20,000 deltas are drawn, and the milliseconds that each typed letter took."""
    paragraph = "word " * 19 + "`end`\n\n"
    answer = paragraph * (DELTAS // 20) + "all is said"
    folder = scratch / "streaming"
    folder.mkdir()
    with MessagesApi() as service:
        service.reply(Text(answer, pieces=DELTAS))
        environment = {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": service.url}
        setup = "require('pi').setup({ settings = { trusted = true } })"
        with Neovim(folder, scratch / "home", setup, environment) as neovim:
            neovim.type(":Pi<CR>")
            neovim.sees("Ask pi anything")
            neovim.type("igo<C-s>")
            neovim.sees("word word", timeout=60)
            return _type_until(neovim, "all is said")


def _type_until(neovim: Neovim, end: str) -> tuple[float, list[float]]:
    """Type letters one by one until a text is on the screen."""
    started = time.perf_counter()
    latencies: list[float] = []
    typed = ""
    while end not in neovim.screen.text():
        typed += "abcdefghij"[len(typed) % 10]
        pressed = time.perf_counter()
        neovim.type(typed[-1])
        neovim.sees(typed, timeout=120)
        latencies.append((time.perf_counter() - pressed) * 1000)
        if len(typed) == 20:
            neovim.type("<C-u>")
            typed = ""
        time.sleep(0.02)  # about as fast as anybody types
    return time.perf_counter() - started, latencies


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        usual = measure_opening(scratch, 120)
        whole = measure_opening(scratch, MESSAGES)
        tree = measure_tree(scratch)
        seconds, latencies = measure_streaming(scratch)
    latencies.sort()
    print(f"5,000 messages, drawn from the end: {usual:.0f} ms")
    print(f"5,000 messages, all drawn at once:  {whole:.0f} ms")
    print(f"a tree of 5,000 entries:            {tree:.0f} ms")
    print(f"20,000 deltas: {seconds:.2f} s ({DELTAS / seconds:,.0f} a second)")
    print(
        f"a letter typed meanwhile: median {statistics.median(latencies):.0f} ms, "
        f"95 % within {latencies[int(len(latencies) * 0.95)]:.0f} ms, "
        f"longest {latencies[-1]:.0f} ms ({len(latencies)} letters)"
    )


if __name__ == "__main__":
    main()
