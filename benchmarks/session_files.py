"""Session files like real ones, to measure with: turns of a question, some tool calls with their
results and answers, and a compaction whenever a model's window would be full."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WINDOW = 600_000
"""Bytes of conversation that make a model's window full; about 150,000 tokens."""

_TEXT = (
    "the session file is read once and every line of it is kept as it was so that nothing a "
    "person said is ever lost def return import class for self path entry None value error test "
    "index line result model token branch leaf tree message content text user answer tool call"
)
_WORDS = _TEXT.split()


def write_session(directory: Path, number: int, size: int, *, window: int | None = WINDOW) -> Path:
    """A session of at least `size` bytes in a directory that exists; the same for each number.

    Args:
        window: bytes of conversation after which a compaction comes; None for none at all.
    """
    chance = random.Random(number)
    session_id = f"01890000-0000-7000-8000-{number:012x}"
    minute, hour = number % 60, number // 60 % 24
    day = 1 + number // 1440 % 28
    stamp = f"2026-01-{day:02d}T{hour:02d}:{minute:02d}:00.000Z"
    name = stamp.replace(":", "-").replace(".", "-")
    file = directory / f"{name}_{session_id}.jsonl"
    header = {
        "type": "session",
        "version": 3,
        "id": session_id,
        "timestamp": stamp,
        "cwd": str(directory.parents[1]),
    }
    with file.open("w", encoding="utf-8") as out:
        out.write(json.dumps(header, separators=(",", ":")) + "\n")
        conversation = _Conversation(chance, stamp, window)
        written = 0
        while written < size:
            for line in conversation.turn():
                written += out.write(line)
    file.chmod(0o600)
    return file


class _Conversation:
    def __init__(self, chance: random.Random, stamp: str, window: int | None) -> None:
        self._chance = chance
        self._stamp = stamp
        self._window = window
        self._count = 0
        self._last: str | None = None
        self._since_compaction = 0

    def turn(self) -> Iterator[str]:
        """The lines of a question and all that it led to."""
        lines = [self._message(role="user", content=[self._text(30)], timestamp=1769850902000)]
        start = self._last
        for _ in range(self._chance.randint(1, 8)):
            lines += self._tool_use()
        lines.append(self._answer([self._text(120)], "stop"))
        self._since_compaction += sum(map(len, lines))
        if self._window is not None and self._since_compaction > self._window:
            self._since_compaction = 0
            lines.append(
                self._entry(
                    "compaction",
                    summary=self._words(800),
                    firstKeptEntryId=start,
                    tokensBefore=150_000,
                )
            )
        yield from lines

    def _tool_use(self) -> list[str]:
        call_id = f"toolu_{self._count:024d}"
        call = {
            "type": "toolCall",
            "id": call_id,
            "name": "read",
            "arguments": {"path": f"src/module_{self._count % 97}.py"},
        }
        thinking = {
            "type": "thinking",
            "thinking": self._words(60),
            "thinkingSignature": "A" * 400,
        }
        size = min(9000, int(self._chance.lognormvariate(5.6, 1.2)))
        return [
            self._answer([thinking, self._text(25), call], "toolUse"),
            self._message(
                role="toolResult",
                toolCallId=call_id,
                toolName="read",
                content=[self._text(size)],
                isError=False,
                timestamp=1769850902000,
            ),
        ]

    def _answer(self, content: list[dict[str, Any]], stop_reason: str) -> str:
        cost = {"input": 0.001, "output": 0.002, "cacheRead": 0.01, "cacheWrite": 0, "total": 0.013}
        usage = {
            "input": 12,
            "output": 240,
            "cacheRead": 90_000,
            "cacheWrite": 1200,
            "totalTokens": 91_452,
            "cost": cost,
        }
        return self._message(
            role="assistant",
            content=content,
            api="anthropic-messages",
            provider="anthropic",
            model="claude-sonnet-4-5",
            usage=usage,
            stopReason=stop_reason,
            timestamp=1769850902000,
        )

    def _message(self, **message: Any) -> str:
        return self._entry("message", message=message)

    def _entry(self, kind: str, **members: Any) -> str:
        self._count += 1
        entry_id = f"{self._count:08x}"
        head = {"type": kind, "id": entry_id, "parentId": self._last, "timestamp": self._stamp}
        self._last = entry_id
        return json.dumps({**head, **members}, separators=(",", ":")) + "\n"

    def _text(self, words: int) -> dict[str, str]:
        return {"type": "text", "text": self._words(words)}

    def _words(self, count: int) -> str:
        chosen = self._chance.choices(_WORDS, k=count)
        return "\n".join(" ".join(chosen[n : n + 12]) for n in range(0, count, 12))
