"""Streams what the demo model plans and says, at the pace of a real one."""

from __future__ import annotations

import asyncio
import json
import os
import re
import uuid
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import cast

from pi_lsp.llm.answer import Answer, TextPiece, ToolCallPiece
from pi_lsp.llm.cost import Tokens, priced
from pi_lsp.llm.demo.plan import Call, Step, next_calls
from pi_lsp.llm.demo.report import announcement, report
from pi_lsp.llm.demo.summary import asks_for_summary, summary
from pi_lsp.llm.provider import Delta, Request
from pi_lsp.llm.transcript import PlainMessage, plain
from pi_lsp.messages import ToolCallBlock, UserMessage, text_of, tool_calls

PAUSE_VARIABLE = "PI_LSP_DEMO_PAUSE_MS"
"""Environment variable: ms between two pieces of the demo model's answers."""
_DEFAULT_PAUSE_MS = 12.0

_PIECE = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+$")
_CHARACTERS_PER_TOKEN = 4
_TOKENS_PER_IMAGE = 1500


class DemoProvider:
    """Runs the demo model.

    Args:
        pause_ms: between two pieces of an answer; None for what the environment says, or 12.
    """

    def __init__(self, pause_ms: float | None = None) -> None:
        self._pause = (_pause_ms() if pause_ms is None else pause_ms) / 1000

    async def stream(self, request: Request, answer: Answer) -> AsyncGenerator[Delta]:
        """See `pi_lsp.llm.provider.Provider.stream`; it never fails."""
        conversation = plain(request.messages)
        answer.response_id = f"demo_{uuid.uuid4().hex}"
        sent = _tokens_of_request(request, conversation)
        answer.usage = priced(request.model, Tokens(input=sent))
        text, calls = _reply(request, conversation)
        written = len(text)
        async for delta in self._say(text, answer):
            yield delta
        for call in calls:
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            written += len(arguments)
            async for delta in self._call(call.tool, arguments, answer):
                yield delta
        output = -(-written // _CHARACTERS_PER_TOKEN)
        answer.usage = priced(request.model, Tokens(input=sent, output=output))
        answer.stop_reason = "toolUse" if calls else "stop"

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def _say(self, text: str, answer: Answer) -> AsyncGenerator[Delta]:
        if not text:
            return
        piece = TextPiece()
        index = len(answer.pieces)
        answer.pieces.append(piece)
        for part in _pieces(text):
            await asyncio.sleep(self._pause)
            piece.pieces.append(part)
            yield Delta(index, "text", part)

    async def _call(self, tool: str, arguments: str, answer: Answer) -> AsyncGenerator[Delta]:
        piece = ToolCallPiece(id=f"call_{uuid.uuid4().hex[:24]}", name=tool)
        index = len(answer.pieces)
        answer.pieces.append(piece)
        yield Delta(index, "toolCall", "", tool_call_id=piece.id, tool_name=tool)
        for part in _pieces(arguments):
            await asyncio.sleep(self._pause)
            piece.pieces.append(part)
            yield Delta(index, "toolCall", part)


def _reply(request: Request, conversation: Sequence[PlainMessage]) -> tuple[str, list[Call]]:
    """What to say, and the calls to make after it."""
    prompt, attached, position = _last_prompt(conversation)
    if not request.tools and asks_for_summary(request.system, prompt):
        return summary(prompt), []
    steps = _steps(conversation[position + 1 :])
    calls = next_calls(prompt, steps, {tool.name for tool in request.tools})
    if calls:
        return announcement(calls), calls
    return report(steps, attached), []


def _last_prompt(conversation: Sequence[PlainMessage]) -> tuple[str, list[str], int]:
    """What the person typed last, what was attached to it, and where it stands."""
    position = max(i for i, message in enumerate(conversation) if message["role"] == "user")
    content = cast(UserMessage, conversation[position])["content"]
    if isinstance(content, str):
        return content, [], position
    texts = [block["text"] for block in content if block["type"] == "text"]
    return (texts[0] if texts else ""), texts[1:], position


def _steps(messages: Sequence[PlainMessage]) -> list[Step]:
    """The calls of this run with their results."""
    calls: dict[str, ToolCallBlock] = {}
    steps: list[Step] = []
    for message in messages:
        if message["role"] == "assistant":
            calls.update({call["id"]: call for call in tool_calls(message)})
        elif message["role"] == "toolResult":
            call = calls[message["toolCallId"]]
            steps.append(Step(Call(call["name"], call["arguments"]), message))
    return steps


def _tokens_of_request(request: Request, conversation: Sequence[PlainMessage]) -> int:
    """An estimate; it need not be better than those of a real model are exact."""
    characters = len(request.system) + sum(
        len(tool.description) + len(json.dumps(tool.parameters)) for tool in request.tools
    )
    images = 0
    for message in conversation:
        characters += len(text_of(message["content"]))
        if message["role"] == "assistant":
            characters += sum(len(json.dumps(call["arguments"])) for call in tool_calls(message))
        elif not isinstance(message["content"], str):
            images += sum(block["type"] == "image" for block in message["content"])
    return characters // _CHARACTERS_PER_TOKEN + images * _TOKENS_PER_IMAGE


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of about a word, as models give it."""
    return (match[0] for match in _PIECE.finditer(text))


def _pause_ms() -> float:
    try:
        return max(0.0, float(os.environ.get(PAUSE_VARIABLE, _DEFAULT_PAUSE_MS)))
    except ValueError:
        return _DEFAULT_PAUSE_MS
