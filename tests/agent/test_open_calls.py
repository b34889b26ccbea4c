"""Calls that a crash left without a result are found, wherever the file ends."""

from __future__ import annotations

from typing import Any

from pi_lsp.agent.open_calls import open_calls

USER: Any = {"role": "user", "content": "go", "timestamp": 1}


def answer(*ids: str, stop_reason: str = "toolUse") -> Any:
    calls = [{"type": "toolCall", "id": one, "name": "ls", "arguments": {}} for one in ids]
    return {"role": "assistant", "content": calls, "stopReason": stop_reason}


def result(call_id: str) -> Any:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "ls", "content": []}


def test_a_crash_before_any_result_leaves_all_calls_open() -> None:
    assert [call["id"] for call in open_calls([USER, answer("a", "b")])] == ["a", "b"]


def test_a_crash_between_results_leaves_the_rest_open() -> None:
    assert [call["id"] for call in open_calls([USER, answer("a", "b"), result("a")])] == ["b"]


def test_a_whole_turn_leaves_nothing_open() -> None:
    assert open_calls([USER, answer("a"), result("a")]) == []
    assert open_calls([USER, answer("a"), result("a"), answer()]) == []


def test_what_was_followed_by_something_else_is_not_answered_late() -> None:
    assert open_calls([USER, answer("a"), USER]) == []
    assert open_calls([]) == []


def test_no_call_of_an_answer_that_was_stopped_or_failed_is_answered() -> None:
    assert open_calls([USER, answer("a", stop_reason="aborted")]) == []
    assert open_calls([USER, answer("a", stop_reason="error")]) == []
