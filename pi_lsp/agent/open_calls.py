"""Tool calls that a crash left without a result.

A program that dies while tools run leaves an answer whose calls nobody answered. Before the
conversation goes on, each gets an error result in the file; none of them is run again.
"""

from __future__ import annotations

from pi_lsp.agent.parts import RunParts
from pi_lsp.messages import Message, ToolCallBlock, ToolResultMessage, now_ms, tool_calls

LOST = (
    "The program ended before this call had a result. It is not known how far it got, and it was "
    "not run again."
)


def close_open_calls(parts: RunParts) -> list[str]:
    """Give each open call at the leaf an error result; returns the ids of their entries.

    Raises:
        StorageError: a result could not be written.
    """
    calls = open_calls([one.message for one in parts.session.context().messages])
    return [parts.recorder.message(_lost(call)) for call in calls]


def open_calls(messages: list[Message]) -> list[ToolCallBlock]:
    """The calls of the last answer that have no result, where only results follow it.

    Those of an answer that failed or was stopped (pi writes them) stay without: neither program
    sends them again, but pi would send their results.
    """
    answered: set[str] = set()
    for message in reversed(messages):
        if message["role"] == "toolResult":
            answered.add(message["toolCallId"])
        elif message["role"] == "assistant":
            if message["stopReason"] in ("error", "aborted"):
                break
            return [call for call in tool_calls(message) if call["id"] not in answered]
        else:
            break
    return []


def _lost(call: ToolCallBlock) -> ToolResultMessage:
    return {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "content": [{"type": "text", "text": LOST}],
        "isError": True,
        "timestamp": now_ms(),
    }
