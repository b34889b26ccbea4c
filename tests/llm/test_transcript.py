from __future__ import annotations

import dataclasses

from pi_lsp.llm.transcript import GO_ON, NO_OUTPUT, NO_RESULT, STARTS_IN_THE_MIDDLE, plain
from pi_lsp.messages import Message, text_of
from tests.llm.words import assistant, call, compaction, model, result, text, thought, user


def roles(*messages: Message) -> list[str]:
    return [message["role"] for message in plain(messages)]


def texts(*messages: Message) -> list[str]:
    return [text_of(message["content"]) for message in plain(messages)]


def test_a_whole_conversation_stays_as_it_is() -> None:
    history = [user("a"), assistant("b", call("1")), result("1", "c"), assistant("d"), user("e")]
    assert [one["role"] for one in plain(history)] == [one["role"] for one in history]
    assert texts(*history) == ["a", "b", "c", "d", "e"]


def test_a_call_that_a_crash_left_without_result_gets_one() -> None:
    told = plain([user("go"), assistant(call("1"), call("2")), result("2", "two")])
    assert [text_of(one["content"]) for one in told[2:]] == [NO_RESULT, "two"]
    assert told[2]["role"] == "toolResult"
    assert told[2]["isError"]


def test_results_stand_in_the_order_of_their_calls_directly_after_them() -> None:
    history = [
        user("go"),
        assistant(call("1"), call("2")),
        result("2", "two"),
        user("a steer"),
        result("1", "one"),
    ]
    assert texts(*history) == ["go", "", "one", "two", "a steer"]


def test_a_result_without_a_call_is_left_out() -> None:
    assert texts(user("go"), result("9", "lost"), assistant("done"), user("on")) == [
        "go",
        "done",
        "on",
    ]


def test_a_second_result_of_one_call_is_left_out() -> None:
    history = [user("go"), assistant(call("1")), result("1", "one"), result("1", "again")]
    assert texts(*history) == ["go", "", "one"]


def test_of_a_stopped_answer_only_its_text_is_told() -> None:
    stopped = assistant(thought("hm"), "I will", call("1"), stop="aborted")
    told = plain([user("go"), stopped, result("1", "aborted", error=True), user("on")], model())
    assert [one["role"] for one in told] == ["user", "assistant", "user"]
    assert told[1]["content"] == [text("I will")]


def test_an_answer_of_which_nothing_is_left_is_left_out() -> None:
    assert roles(user("go"), assistant(thought("hm"), stop="error"), user("on")) == ["user", "user"]


def test_a_conversation_never_ends_with_the_assistant() -> None:
    assert texts(user("go"), assistant("half", stop="aborted")) == ["go", "half", GO_ON]


def test_an_answer_that_went_on_after_a_stop_follows_what_it_was_asked() -> None:
    history = [user("go"), assistant("half", stop="aborted"), assistant("the rest")]
    assert texts(*history) == ["go", "half", GO_ON, "the rest", GO_ON]


def test_a_conversation_that_begins_with_an_answer_gets_a_beginning() -> None:
    assert texts(assistant("hello"), user("go")) == [STARTS_IN_THE_MIDDLE, "hello", "go"]
    assert texts() == [STARTS_IN_THE_MIDDLE]


def test_blank_texts_and_results_are_never_sent() -> None:
    history = [user("go", " \n"), assistant(" ", call("1")), result("1", "\t"), user("")]
    assert texts(*history) == ["go", "", NO_OUTPUT]
    assert plain(history)[1]["content"] == [call("1")]


def test_ids_are_made_to_fit_the_same_at_both_ends() -> None:
    odd = "call|ü|" + "x" * 100
    told = plain([user("go"), assistant(call(odd), call("")), result(odd, "one"), result("", "2")])
    assert told[1]["role"] == "assistant"
    ids = [block["id"] for block in told[1]["content"] if block["type"] == "toolCall"]
    assert [one["toolCallId"] for one in told if one["role"] == "toolResult"] == ids
    assert len(set(ids)) == 2
    assert [text_of(one["content"]) for one in told[2:]] == ["one", "2"]


def test_an_id_that_comes_twice_is_told_apart() -> None:
    history = [
        user("go"),
        assistant(call("1")),
        result("1", "first"),
        assistant(call("1")),
        result("1", "second"),
    ]
    told = plain(history)
    ids = [one["toolCallId"] for one in told if one["role"] == "toolResult"]
    assert len(set(ids)) == 2
    assert [text_of(one["content"]) for one in told if one["role"] == "toolResult"] == [
        "first",
        "second",
    ]


def test_thinking_is_told_only_to_the_model_that_signed_it() -> None:
    history = [user("go"), assistant(thought("hm"), "a"), user("on")]
    assert plain(history, model())[1]["content"][0] == thought("hm")
    assert plain(history, model("claude-opus-5"))[1]["content"] == [text("a")]
    assert plain(history)[1]["content"] == [text("a")]


def test_unsigned_thinking_is_left_out_and_signed_empty_thinking_is_kept() -> None:
    unsigned = assistant({"type": "thinking", "thinking": "hm"}, "a")
    hidden = assistant(thought("", "sealed"), "b")
    told = plain([user("go"), unsigned, user("on"), hidden, user("on")], model())
    assert told[1]["content"] == [text("a")]
    assert told[3]["content"] == [thought("", "sealed"), text("b")]


def test_an_answer_never_ends_with_thinking() -> None:
    history = [user("go"), assistant("a", thought("hm")), user("on"), assistant(thought("only"))]
    told = plain(history, model())
    assert [one["role"] for one in told] == ["user", "assistant", "user"]
    assert told[1]["content"] == [text("a")]


def test_thinking_that_a_compaction_cut_from_its_past_is_left_out() -> None:
    kept = assistant(thought("old"), "a", of="claude-sonnet-5-5")
    summary = compaction("what was")
    after = assistant(thought("new"), "b")
    told = plain([summary, user("q"), kept, user("on"), after, user("on")], model())
    assert told[2]["content"] == [text("a")]
    assert told[4]["content"] == [thought("new"), text("b")]


def test_summaries_commands_and_custom_messages_are_told_as_the_users_words() -> None:
    ran: Message = {
        "role": "bashExecution",
        "command": "make",
        "output": "boom\n",
        "exitCode": 2,
        "cancelled": False,
        "truncated": True,
        "fullOutputPath": "/tmp/out.txt",
        "timestamp": 1,
    }
    secret: Message = {**ran, "command": "env", "excludeFromContext": True}
    left: Message = {"role": "branchSummary", "summary": "tried X", "fromId": "a", "timestamp": 1}
    custom: Message = {
        "role": "custom",
        "customType": "note",
        "content": "from an extension",
        "display": True,
        "timestamp": 1,
    }
    told = texts(compaction("the past"), left, ran, secret, custom)
    assert "the past" in told[0]
    assert "tried X" in told[1]
    assert "$ make" in told[2]
    assert "boom" in told[2]
    assert "exit code 2" in told[2]
    assert "/tmp/out.txt" in told[2]
    assert told[3:] == ["from an extension"]


def test_arguments_of_any_shape_become_an_object() -> None:
    broken = [call("1"), call("2"), call("3")]
    broken[0]["arguments"] = None  # type: ignore[typeddict-item]  # pyright: ignore
    broken[1]["arguments"] = "ls -l"  # type: ignore[typeddict-item]  # pyright: ignore
    del broken[2]["arguments"]  # pyright: ignore
    told = plain([user("go"), assistant(*broken)])
    assert [b["arguments"] for b in told[1]["content"] if b["type"] == "toolCall"] == [  # pyright: ignore
        {},
        {"arguments": "ls -l"},
        {},
    ]


def test_the_history_itself_is_not_changed() -> None:
    history: list[Message] = [user("go", " "), assistant(thought("x"), call("ü"), stop="aborted")]
    before = repr(history)
    plain(history, dataclasses.replace(model()))
    assert repr(history) == before
