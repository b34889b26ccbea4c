from __future__ import annotations

from typing import Any

import pytest

from pi_lsp.llm.anthropic.request import build
from pi_lsp.messages import ThinkingLevel
from tests.llm.words import (
    OLDER,
    READ,
    assistant,
    call,
    image,
    model,
    png,
    request,
    result,
    thought,
    user,
)
from tests.messages_api import problems_of


def marks(body: dict[str, Any]) -> list[str]:
    """Where cache marks stand: the part, the message's place and the block's."""
    found = [f"tool {n}" for n, tool in enumerate(body.get("tools", [])) if "cache_control" in tool]
    found += [f"system {n}" for n, b in enumerate(body.get("system", [])) if "cache_control" in b]
    for place, message in enumerate(body["messages"]):
        for number, block in enumerate(message["content"]):
            if "cache_control" in block:
                found.append(f"message {place}.{number}")
    return found


def unmarked(messages: list[Any]) -> list[Any]:
    return [
        {
            **message,
            "content": [
                {key: value for key, value in block.items() if key != "cache_control"}
                for block in message["content"]
            ],
        }
        for message in messages
    ]


# --- the cache -----------------------------------------------------------------------------------


def test_the_system_prompt_and_the_last_user_message_are_marked() -> None:
    body = build(request(user("a"), assistant("b"), user("c", "d"), tools=[READ]))
    assert marks(body) == ["system 0", "message 2.1"]


def test_a_summary_is_not_marked() -> None:
    assert marks(build(request(user("a"), cache=False))) == []


def test_without_a_system_prompt_the_tools_are_marked() -> None:
    body = build(request(user("a"), tools=[READ], system=" "))
    assert "system" not in body
    assert marks(body) == ["tool 0", "message 0.0"]


def test_the_next_request_of_a_run_begins_with_the_words_of_the_one_before() -> None:
    history = [user("go"), assistant(thought("hm"), call("1"), call("2"))]
    answered = [*history, result("1", "one"), result("2", "two")]
    first = build(request(*answered))
    second = build(request(*answered, assistant("so"), user("and?")))
    assert unmarked(second["messages"])[:3] == unmarked(first["messages"])


# --- messages ------------------------------------------------------------------------------------


def test_texts_of_consecutive_user_messages_follow_each_other_and_are_not_joined() -> None:
    body = build(request(user("a", "b"), user("c"), cache=False))
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": words} for words in "abc"]}
    ]


def test_results_of_parallel_calls_come_first_in_one_message_with_what_was_said_then() -> None:
    body = build(
        request(
            user("go"),
            assistant(call("1"), call("2")),
            result("1", "one"),
            result("2", "no", error=True),
            user("a steer"),
        )
    )
    kinds = [(b["type"], b.get("tool_use_id"), b.get("is_error")) for b in last_content(body)]
    assert kinds == [("tool_result", "1", False), ("tool_result", "2", True), ("text", None, None)]


def test_the_image_of_an_error_result_comes_after_all_results() -> None:
    body = build(
        request(
            user("go"),
            assistant(call("1"), call("2")),
            result("1", image(), error=True),
            result("2", "two"),
        )
    )
    assert [block["type"] for block in last_content(body)] == [
        "tool_result",
        "tool_result",
        "image",
    ]
    assert problems_of(body) == []


def test_hidden_thinking_goes_back_as_it_came() -> None:
    hidden = thought("[hidden]", "c2VhbGVk")
    hidden["redacted"] = True
    body = build(request(user("go"), assistant(hidden, "a"), user("on")))
    assert body["messages"][1]["content"][0] == {"type": "redacted_thinking", "data": "c2VhbGVk"}


def test_lone_surrogates_and_numbers_that_json_does_not_have_are_replaced() -> None:
    body = build(
        request(
            user("cut \ud83d"),
            assistant(call("1", text="\ude00", number=float("inf"), both="\ud83d\ude00")),
            result("1", "ok"),
        )
    )
    assert body["messages"][0]["content"][0]["text"] == "cut �"
    assert body["messages"][1]["content"][0]["input"] == {
        "text": "�",
        "number": "inf",
        "both": "😀",
    }


def test_arguments_that_are_nested_too_deeply_do_not_end_the_session() -> None:
    deep: Any = "x"
    for _ in range(20_000):
        deep = [deep]
    body = build(request(user("go"), assistant(call("1", deep=deep)), result("1", "ok")))
    assert "too deeply" in str(body["messages"][1]["content"][0]["input"])


def test_tools_of_the_past_are_declared_but_cannot_be_called_when_there_are_none_now() -> None:
    body = build(request(user("go"), assistant(call("1")), result("1", "ok")))
    assert [tool["name"] for tool in body["tools"]] == ["read"]
    assert body["tool_choice"] == {"type": "none"}


# --- thinking and length -------------------------------------------------------------------------


def thinking_of(model_id: str, level: ThinkingLevel, **options: Any) -> Any:
    body = build(request(user("go"), of=model(model_id), thinking_level=level, **options))
    assert problems_of(body) == []
    return body.get("thinking"), body.get("output_config"), body["max_tokens"]


@pytest.mark.parametrize(
    ("level", "effort"), [("minimal", "low"), ("high", "high"), ("xhigh", "xhigh"), ("max", "max")]
)
def test_a_newer_model_decides_itself_and_takes_an_effort(
    level: ThinkingLevel, effort: str
) -> None:
    thinking, output, _ = thinking_of("claude-opus-4-8", level)
    assert thinking == {"type": "adaptive", "display": "summarized"}
    assert output == {"effort": effort}


def test_off_is_said_where_it_is_taken_and_is_the_least_effort_where_not() -> None:
    assert thinking_of("claude-opus-4-8", "off")[:2] == ({"type": "disabled"}, None)
    assert thinking_of(OLDER, "off")[:2] == ({"type": "disabled"}, None)
    assert thinking_of("claude-sonnet-5-5", "off")[1] == {"effort": "low"}


def test_an_older_model_takes_a_budget_below_what_the_answer_may_have() -> None:
    assert thinking_of(OLDER, "low") == (
        {"type": "enabled", "budget_tokens": 4096},
        None,
        64_000,
    )
    assert thinking_of(OLDER, "max")[0]["budget_tokens"] < 64_000


def test_thinking_gets_room_beside_a_limited_answer() -> None:
    thinking, _, room = thinking_of(OLDER, "medium", max_tokens=2000)
    assert thinking == {"type": "enabled", "budget_tokens": 10_240}
    assert room == 12_240


def test_an_answer_is_never_asked_to_be_longer_than_the_model_can() -> None:
    assert thinking_of(OLDER, "max", max_tokens=10_000_000)[2] == 64_000


def test_calls_that_began_without_thinking_go_on_without_it() -> None:
    begun_without = [user("go"), assistant(call("1")), result("1", "ok")]
    body = build(request(*begun_without, of=model(OLDER), thinking_level="high"))
    assert body["thinking"] == {"type": "disabled"}
    asked_anew = build(
        request(*begun_without, assistant("so"), user("on"), of=model(OLDER), thinking_level="high")
    )
    assert asked_anew["thinking"]["type"] == "enabled"


def test_calls_that_began_with_thinking_go_on_with_it() -> None:
    body = build(
        request(
            user("go"),
            assistant(thought("hm"), call("1"), of=OLDER),
            result("1", "ok"),
            assistant(call("2"), of=OLDER),
            result("2", "ok"),
            of=model(OLDER),
            thinking_level="high",
        )
    )
    assert body["thinking"]["type"] == "enabled"
    assert problems_of(body) == []


# --- images --------------------------------------------------------------------------------------


def last_content(body: dict[str, Any]) -> list[Any]:
    return body["messages"][-1]["content"]


def said_of(*images: Any, of: str = "claude-sonnet-5-5") -> list[str]:
    """For each image, its media type, or the note that stands in its place."""
    body = build(request(user(*images), of=model(of)))
    assert problems_of(body) == []
    return [
        block["source"]["media_type"] if block["type"] == "image" else block["text"]
        for block in last_content(body)
    ]


def test_the_media_type_is_read_from_the_bytes() -> None:
    assert said_of(image(mime_type="image/jpeg")) == ["image/png"]


@pytest.mark.parametrize(
    ("picture", "why"),
    [
        (image(b"%PDF-1.4 no image"), "no png, jpeg, gif or webp"),
        ({"type": "image", "data": "!!!", "mimeType": "image/png"}, "damaged"),
        (image(b"\x89PNG\r\n\x1a\n"), "damaged"),
        (image(png(8001, 1)), "8001 pixels"),
        (image(png(padding=4_000_000)), "5 MB"),
    ],
)
def test_an_image_that_the_api_does_not_take_becomes_a_note(picture: Any, why: str) -> None:
    (said,) = said_of(picture)
    assert why in said


def test_a_model_without_eyes_gets_a_note_and_the_next_one_the_image() -> None:
    from dataclasses import replace

    blind = replace(model(), input=("text",))
    history = user("see", image())
    assert "cannot see" in str(build(request(history, of=blind))["messages"])
    assert last_content(build(request(history)))[1]["type"] == "image"


def test_among_many_images_the_large_ones_become_notes() -> None:
    said = said_of(*[image()] * 20, image(png(2500, 2)))
    assert said[:20] == ["image/png"] * 20
    assert "2000 pixels" in said[20]


def test_when_there_are_too_many_the_oldest_go_and_the_rest_stays_for_a_while() -> None:
    shown = [said_of(*[image()] * count).count("image/png") for count in (100, 101, 150, 151)]
    assert shown == [100, 51, 100, 51]


def test_images_that_are_too_large_together_are_left_out_from_the_oldest() -> None:
    large = image(png(padding=3_500_000))
    said = said_of(*[large] * 6)
    assert "newer images" in said[0]
    assert said[-1] == "image/png"
