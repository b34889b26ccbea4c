"""A session of 100 MB with a recent compaction, and what compacting it again costs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.compact import plan_compaction, run_compaction
from pi_lsp.compaction.context_size import ContextMeter, MeasuredContext
from pi_lsp.compaction.limits import limits_for
from pi_lsp.compaction.tokens import TokenCounter
from pi_lsp.llm.provider import Model, Request
from pi_lsp.messages import AssistantMessage, no_usage
from pi_lsp.session import SessionStore
from pi_lsp.settings import CompactionSettings

SESSION_ID = "01890000-0000-7000-8000-000000000000"
MODEL_ID = "claude-sonnet-4-5"
MODEL = Model("anthropic", MODEL_ID, "Any", "anthropic-messages", 200_000, 64_000)
RECENT_TURNS = 25
RESULT = "".join(f"{line:05d}: total += items[{line}].price * rate\n" for line in range(250))


def write_long_session(folder: Path, size: int) -> Path:
    """A session of so many bytes in a workspace folder: turns that each read a file, a compaction,
    and then as many turns as make some 150,000 tokens."""
    directory = folder / ".pi" / "sessions"
    directory.mkdir(parents=True)
    file = directory / f"2026-01-31T09-15-02-118Z_{SESSION_ID}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        header = {
            "type": "session",
            "version": 3,
            "id": SESSION_ID,
            "timestamp": "2026-01-31T09:15:02.118Z",
            "cwd": str(folder.resolve()),
        }
        out.write(json.dumps(header) + "\n")
        entries = _Entries()
        while out.tell() < size:
            out.writelines(entries.turn())
        kept = entries.last_id
        out.writelines(entries.turn())
        out.write(
            entries.line(
                "compaction",
                summary="## Goal\nRead all files.",
                firstKeptEntryId=kept,
                tokensBefore=180_000,
            )
        )
        for _ in range(RECENT_TURNS):
            out.writelines(entries.turn())
    return file


def compaction_costs(folder: Path, size: int) -> Iterator[tuple[str, float]]:
    """What opening, and compacting up to the question to the model, takes: (what, ms)."""
    write_long_session(folder, size)
    store = SessionStore(folder)
    start = time.perf_counter()
    session = store.open(SESSION_ID)
    yield "open a session of 100 MB", _ms(start)
    asked: list[float] = []

    async def ask(_request: Request) -> AssistantMessage:
        asked.append(time.perf_counter())
        return _summary()

    async def compact() -> float:
        start = time.perf_counter()
        meter = ContextMeter(TokenCounter(), Calibration())
        context = MeasuredContext(session.context().messages, MODEL)
        limits = limits_for(MODEL, CompactionSettings())
        plan = await plan_compaction(meter, context, limits, lambda _entry_id: {})
        await run_compaction(plan, meter, ask)
        meter.counter.close()
        return (asked[0] - start) * 1000

    yield "compact it, until the question", asyncio.run(compact())
    session.close()


class _Entries:
    """Writes entries in a row, each the child of the one before."""

    def __init__(self) -> None:
        self._count = 0

    @property
    def last_id(self) -> str:
        return f"{self._count:08x}"

    def line(self, kind: str, **members: Any) -> str:
        parent = self.last_id if self._count else None
        self._count += 1
        entry = {
            "type": kind,
            "id": self.last_id,
            "parentId": parent,
            "timestamp": "2026-01-31T09:15:02.118Z",
            **members,
        }
        return json.dumps(entry) + "\n"

    def turn(self) -> Iterator[str]:
        """A question, an answer that reads a file, its result, and an answer."""
        number = self._count
        yield self._message(role="user", content=f"Read file {number}.")
        call = {
            "type": "toolCall",
            "id": f"toolu_{number}",
            "name": "read",
            "arguments": {"path": f"src/{number}.py"},
        }
        yield self._answer([call], "toolUse")
        yield self._message(
            role="toolResult",
            toolCallId=f"toolu_{number}",
            toolName="read",
            content=[{"type": "text", "text": RESULT}],
            isError=False,
        )
        yield self._answer([{"type": "text", "text": f"File {number} adds prices."}], "stop")

    def _answer(self, content: list[Any], stop_reason: str) -> str:
        return self._message(
            role="assistant",
            content=content,
            api="anthropic-messages",
            provider="anthropic",
            model=MODEL_ID,
            usage=no_usage(),
            stopReason=stop_reason,
        )

    def _message(self, **members: Any) -> str:
        return self.line("message", message={**members, "timestamp": 1_769_850_902_118})


def _summary() -> AssistantMessage:
    return {
        "role": "assistant",
        "content": [{"type": "text", "text": "## Goal\nRead all files."}],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": MODEL_ID,
        "usage": no_usage(),
        "stopReason": "stop",
        "timestamp": 1,
    }


def _ms(start: float) -> float:
    return (time.perf_counter() - start) * 1000
