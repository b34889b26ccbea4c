"""A conversation that any provider takes, made of whatever the history holds.

The context of a session may have been cut by an abort or a crash, forked, compacted, or written
by another program. What comes out of `plain` keeps these laws:

- only `user`, `assistant` and `toolResult` messages; the first is a user's, the last is none of
  the assistant's, and two assistant messages never follow each other;
- right after an assistant message come the results of its calls, one for each, in their order;
  results without a call are left out, missing ones are made up as errors;
- call ids are unique and fit `^[a-zA-Z0-9_-]{1,64}$`, the same at both ends;
- nothing is empty: no message, no text, no tool result.

The same history always gives the same words, and a longer one begins with the words of the
shorter one, so that what a service has cached stays of use.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast

from pi_lsp.llm.provider import Model
from pi_lsp.messages import (
    AssistantBlock,
    AssistantMessage,
    BashExecutionMessage,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    tool_calls,
)

PlainMessage = UserMessage | AssistantMessage | ToolResultMessage

STARTS_IN_THE_MIDDLE = "(The conversation before this point is not shown.)"
GO_ON = "(Your answer ended here. Go on from where you are.)"
NO_RESULT = "No result was recorded for this call: it was interrupted. Run it again if needed."
NO_OUTPUT = "(no output)"

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_IN_CALL_ID = re.compile(r"[^a-zA-Z0-9_-]")
_Block = TypeVar("_Block", bound=UserBlock | AssistantBlock)


def plain(messages: Sequence[Message], model: Model | None = None) -> list[PlainMessage]:
    """The conversation as a provider may send it.

    Args:
        messages: the context, in the session's own words.
        model: the model that is asked. Thinking is kept only where this model wrote and signed
            it; None keeps none.
    """
    results = _results_of_calls(messages)
    ids = _CallIds()
    told: list[PlainMessage] = []
    summarised_at = _last_compaction(messages)
    for position, message in enumerate(messages):
        if message["role"] == "assistant":
            keeps_thinking = _keeps_thinking(message, model, summarised_at)
            answer = _answer(message, keeps_thinking=keeps_thinking)
            if not answer["content"]:
                continue
            if told and told[-1]["role"] == "assistant":
                told.append(_user_text(GO_ON, told[-1]["timestamp"]))
            told.extend(_with_results(answer, results, position, ids))
        elif message["role"] != "toolResult" and (spoken := _as_user(message)) is not None:
            told.append(spoken)
    if not told or told[0]["role"] != "user":
        told.insert(0, _user_text(STARTS_IN_THE_MIDDLE, 0))
    if told[-1]["role"] == "assistant":
        told.append(_user_text(GO_ON, told[-1]["timestamp"]))
    return told


def is_blank(text: str) -> bool:
    """Whether a text holds nothing that a service takes for content."""
    return not text.strip()


# --- calls and their results ---------------------------------------------------------------------


def _results_of_calls(messages: Sequence[Message]) -> dict[tuple[int, int], ToolResultMessage]:
    """The recorded result of each call: (position of its message, number of the call) → result.

    A result belongs to the latest call before it that has its id and no result yet.
    """
    results: dict[tuple[int, int], ToolResultMessage] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for position, message in enumerate(messages):
        if message["role"] == "assistant":
            for number, call in reversed(list(enumerate(tool_calls(message)))):
                waiting.setdefault(call["id"], []).append((position, number))
        elif message["role"] == "toolResult" and waiting.get(message["toolCallId"]):
            results[waiting[message["toolCallId"]].pop()] = message
    return results


def _with_results(
    answer: AssistantMessage,
    results: dict[tuple[int, int], ToolResultMessage],
    position: int,
    ids: _CallIds,
) -> Iterator[PlainMessage]:
    """The answer with its calls' ids made to fit, then a result for each call."""
    content: list[AssistantBlock] = []
    answered: list[ToolResultMessage] = []
    for block in answer["content"]:
        if block["type"] == "toolCall":
            call_id = ids.fit(block["id"])
            recorded = results.get((position, len(answered)))
            answered.append(_result(recorded, block, call_id, answer["timestamp"]))
            block = _call(block, call_id)
        content.append(block)
    yield {**answer, "content": content}
    yield from answered


def _call(block: ToolCallBlock, call_id: str) -> ToolCallBlock:
    """The call with its new id; arguments that are no object (another program's) become one."""
    arguments: Any = block.get("arguments")
    if not isinstance(arguments, dict):
        arguments = {} if arguments is None else {"arguments": arguments}
    return {
        "type": "toolCall",
        "id": call_id,
        "name": block["name"],
        "arguments": cast("dict[str, Any]", arguments),
    }


def _result(
    recorded: ToolResultMessage | None, call: ToolCallBlock, call_id: str, timestamp: int
) -> ToolResultMessage:
    if recorded is None:
        return {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": call["name"],
            "content": [{"type": "text", "text": NO_RESULT}],
            "isError": True,
            "timestamp": timestamp,
        }
    content = _not_blank(recorded["content"]) or [_text(NO_OUTPUT)]
    return {**recorded, "toolCallId": call_id, "content": content}


class _CallIds:
    """Makes ids fit, and gives no id twice."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def fit(self, call_id: str) -> str:
        fitting = call_id
        if not _CALL_ID.fullmatch(call_id):
            mark = zlib.crc32(call_id.encode("utf-8", "surrogatepass"))
            fitting = f"{_NOT_IN_CALL_ID.sub('_', call_id)[:48]}_{mark:08x}"
        unique, count = fitting, 1
        while unique in self._given:
            count += 1
            unique = f"{fitting[:48]}_{count}"
        self._given.add(unique)
        return unique


# --- answers -------------------------------------------------------------------------------------


def _answer(message: AssistantMessage, *, keeps_thinking: bool) -> AssistantMessage:
    """What of an answer may be sent again.

    Of one that failed or was stopped, this is its text. Thinking needs its signature, and may not
    be the last that an answer holds.
    """
    whole = message["stopReason"] not in ("error", "aborted")
    content = [
        block
        for block in _not_blank(message["content"])
        if block["type"] == "text"
        or (whole and (block["type"] == "toolCall" or (keeps_thinking and _is_signed(block))))
    ]
    while content and content[-1]["type"] == "thinking":
        content.pop()
    return {**message, "content": content}


def _is_signed(block: ThinkingBlock) -> bool:
    return bool(block.get("thinkingSignature"))


def _keeps_thinking(
    message: AssistantMessage, model: Model | None, summarised_at: int | None
) -> bool:
    """Whether the model wrote this itself, and would still take it.

    Models that decide themselves how long to think bind a signature to what came before it, so
    what a compaction kept has lost its own.
    """
    if model is None or (message["provider"], message["model"]) != (model.provider, model.id):
        return False
    if model.adaptive_thinking and summarised_at is not None:
        return message["timestamp"] > summarised_at
    return True


def _last_compaction(messages: Sequence[Message]) -> int | None:
    times = [one["timestamp"] for one in messages if one["role"] == "compactionSummary"]
    return max(times, default=None)


# --- what people, commands and summaries say -----------------------------------------------------


def _as_user(message: Message) -> UserMessage | None:
    """A message of any other kind as the user's; None when it says nothing to the model."""
    if message["role"] == "user" or message["role"] == "custom":
        content = message["content"]
        said: list[UserBlock] = [_text(content)] if isinstance(content, str) else content
        said = _not_blank(said)
        return _user(said, message["timestamp"]) if said else None
    text = _told(message)
    return None if text is None else _user_text(text, message["timestamp"])


def _told(message: Message) -> str | None:
    if message["role"] == "bashExecution":
        return None if message.get("excludeFromContext") else _command(message)
    if message["role"] == "compactionSummary":
        return (
            "The earlier part of this conversation is not shown. This is a summary of it:\n\n"
            f"<summary>\n{message['summary']}\n</summary>"
        )
    if message["role"] == "branchSummary":
        return (
            "Before this point another branch of this conversation was explored and left. "
            f"This is a summary of it:\n\n<summary>\n{message['summary']}\n</summary>"
        )
    return None


def _command(message: BashExecutionMessage) -> str:
    """A command that the person ran, as a person would report it."""
    output = message["output"].rstrip()
    lines = [f"I ran this command:\n\n```\n$ {message['command']}\n```"]
    lines.append(f"It printed:\n\n```\n{output}\n```" if output else "It printed nothing.")
    if message["truncated"]:
        where = message.get("fullOutputPath")
        lines.append("The output was cut" + (f"; all of it is in {where}." if where else "."))
    if message["cancelled"]:
        lines.append("It was stopped before it ended.")
    elif message["exitCode"]:
        lines.append(f"It ended with exit code {message['exitCode']}.")
    return "\n\n".join(lines)


def _not_blank(blocks: Sequence[_Block]) -> list[_Block]:
    """The blocks without blank texts."""
    return [block for block in blocks if not _is_blank_text(block)]


def _is_blank_text(block: UserBlock | AssistantBlock) -> bool:
    return block["type"] == "text" and is_blank(block["text"])


def _text(text: str) -> TextBlock:
    return {"type": "text", "text": text}


def _user(content: list[UserBlock], timestamp: int) -> UserMessage:
    return {"role": "user", "content": content, "timestamp": timestamp}


def _user_text(text: str, timestamp: int) -> UserMessage:
    return _user([_text(text)], timestamp)
