"""What a request says to the model, whichever of the two programs sent it.

The system prompt, the tools, the length of an answer, marks for the cache and headers are each
program's own. So are the words around a summary, around a command that the person ran and in
place of a result that is missing; what stands between them is compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pi_lsp.agent.open_calls import LOST
from pi_lsp.llm.transcript import NO_RESULT
from tests.messages_api import ApiRequest

Json = dict[str, Any]

_MISSING = {LOST, NO_RESULT, "No result provided"}
"""What stands in for the result of a call that has none: ours in the file, ours, pi's."""
_SUMMARY = re.compile(r"(?P<before>.*?)<summary>\n(?P<summary>.*?)\n?</summary>", re.DOTALL)
_OUR_COMMAND = re.compile(
    r"I ran this command:\n\n```\n\$ (?P<command>.*?)\n```\n\n"
    r"It printed(?: nothing\.|:\n\n```\n(?P<output>.*?)\n```)"
    r"(?:\n\nIt ended with exit code (?P<code>\d+)\.)?",
    re.DOTALL,
)
_THEIR_COMMAND = re.compile(
    r"Ran `(?P<command>.*?)`\n(?:\(no output\)|```\n(?P<output>.*?)\n*```)"
    r"(?:\n\nCommand exited with code (?P<code>\d+))?",
    re.DOTALL,
)


def missing_result(call_id: str) -> Json:
    """The result that either program makes up for a call without one, as `conversation` has it."""
    content = [{"type": "missing result"}]
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": True}


def conversation(request: ApiRequest) -> list[Json]:
    """The messages of a request without what is each program's own."""
    return [
        {
            "role": message["role"],
            "content": [_block(block, _said) for block in message["content"]],
        }
        for message in request.messages
    ]


def _block(block: Json, text: Callable[[str], Json]) -> Json:
    if block["type"] == "text":
        return text(block["text"])
    kept = {key: value for key, value in block.items() if key != "cache_control"}
    return {**kept, "content": _result(kept["content"])} if "tool_use_id" in kept else kept


def _said(text: str) -> Json:
    """A text, or what a program says of something that is no text of a person or the model."""
    if match := _SUMMARY.fullmatch(text):
        of = "branch" if "branch" in match["before"] else "past"
        return {"type": "summary", "of": of, "summary": match["summary"]}
    if match := _OUR_COMMAND.fullmatch(text) or _THEIR_COMMAND.fullmatch(text):
        return {"type": "command", **match.groupdict()}
    return {"type": "text", "text": text}


def _result(content: str | list[Json]) -> list[Json]:
    """pi sends a result that is only text as one string."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [_block(block, _resulting) for block in blocks]


def _resulting(text: str) -> Json:
    return {"type": "missing result"} if text in _MISSING else {"type": "text", "text": text}
