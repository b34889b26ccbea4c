"""How events and entries are drawn; what a real run would not give at will is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nvim.conftest import Shoot
from tests.nvim.conversations import (
    assistant,
    call_block,
    entries,
    message_events,
    page,
    result,
    state,
    text_block,
    thinking_block,
    update,
    user,
)
from tests.nvim.neovim import Neovim

Play = Callable[..., Neovim]

DIFF = "\n".join(
    (
        "--- a/kettle.py",
        "+++ b/kettle.py",
        "@@ -1,3 +1,4 @@",
        " def boil(water):",
        "-    return water + 80",
        "+    # at sea level",
        "+    return 100",
        " ",
    )
)

CONVERSATION = (
    user("How hot does the kettle get?\nAnd make it boil."),
    assistant(
        thinking_block("The kettle adds eighty degrees. " * 8),
        text_block("I will **look** at `kettle.py`:\n\n```lua\nlocal heat = 80\n```\n"),
        call_block("c1", "read", path="kettle.py"),
        call_block("c2", "bash", command="make test && echo ok"),
        call_block("c3", "edit", path="kettle.py", edits=[]),
        stop_reason="toolUse",
    ),
    result("c1", "read", "def boil(water):\n    return water + 80\n"),
    result("c2", "bash", "FAILED 1 test\nexit code 2", isError=True),
    result("c3", "edit", "Edited kettle.py.", details={"diff": DIFF}),
    assistant(text_block("It boils now; see kettle.py:3.")),
)


def begins(text: str = "go on") -> list[dict[str, Any]]:
    """A run that has taken a prompt and whose answer begins."""
    opening = {"type": "message_start", "message": assistant()}
    return [{"type": "agent_start"}, {"type": "turn_start"}, *message_events(user(text)), opening]


def answers(*messages: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"pi/state": state(**changes), "pi/entries": page(*messages)}


def send(neovim: Neovim, text: str = "go on") -> None:
    """Write a message and send it."""
    neovim.type(f"i{text}<Esc><CR>")


def test_a_conversation_is_drawn_with_its_tool_calls_folded_to_a_line(
    play: Play, shoot: Shoot
) -> None:
    neovim = play(answers(*CONVERSATION), files=("kettle.py",))
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    screen = neovim.look()
    assert "✓ read kettle.py" in screen
    assert "✗ bash make test && echo ok" in screen
    assert "✓ edit kettle.py  +2 −1" in screen
    assert "FAILED" not in screen
    assert "The kettle adds" not in screen
    assert "I will look at kettle.py:" in screen, "the marks of Markdown are concealed"
    shoot(neovim, "folded")


def test_a_search_or_return_opens_a_tool_call_and_shows_its_edit_in_colours(
    play: Play, shoot: Shoot
) -> None:
    neovim = play(answers(*CONVERSATION), files=("kettle.py",))
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    neovim.type("<C-w>k?edit<CR>")
    neovim.sees("# at sea level")
    neovim.type("<CR>")
    neovim.sees_no("# at sea level")
    neovim.type("<CR>")
    neovim.sees("# at sea level")
    neovim.look()
    added = neovim.screen.highlight_at("+    # at sea level")
    removed = neovim.screen.highlight_at("-    return water + 80")
    assert added["foreground"] != removed["foreground"]
    shoot(neovim, "open")


def test_a_path_in_an_answer_opens_the_file_at_its_line(play: Play) -> None:
    neovim = play(answers(*CONVERSATION), files=("README.md",))
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    neovim.type("<C-w>k/kettle.py:3<CR>gf")
    neovim.sees("def pour(cup):")
    neovim.waits_for("vim.fn.expand('%:t')", "kettle.py")
    neovim.waits_for("vim.api.nvim_win_get_cursor(0)[1]", 3)
    assert "It boils now" in neovim.look(), "the chat is still there"


def test_an_edit_is_shown_as_a_diff_split_on_demand(play: Play, shoot: Shoot) -> None:
    neovim = play(answers(*CONVERSATION), files=("kettle.py",))
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    neovim.type("<C-w>k?edit<CR>D")
    neovim.sees("# at sea level")
    neovim.waits_for(
        "#vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_tabpage_list_wins(0))",
        2,
    )
    shoot(neovim, "split")
    neovim.type("q")
    neovim.sees("It boils now")


def test_streamed_text_grows_in_place_and_the_end_settles_it(play: Play) -> None:
    parts = [update(0, piece) for piece in ("One **bo", "ld** word", " and a\n\nsecond paragraph.")]
    whole = "One **bold** word and a\n\nsecond paragraph."
    end = {"type": "message_end", "message": assistant(text_block(whole)), "entryId": "aa"}
    on = {
        "pi/prompt": [
            *begins(),
            *parts,
            end,
            {"type": "settled", "aborted": False, "nextTurnCount": 0},
        ]
    }
    neovim = play(answers(), on)
    neovim.type(":Pi<CR>")
    neovim.sees("Ask pi anything")
    send(neovim)
    neovim.sees("One bold word and a")
    neovim.sees("second paragraph.")
    assert neovim.buffer_text("transcript").count("second paragraph.") == 1


def test_an_open_fence_of_one_answer_does_not_spill_into_the_next(play: Play) -> None:
    neovim = play(
        answers(
            user("show me"),
            assistant(text_block("```\nan unclosed fence"), stop_reason="aborted"),
            user("again"),
            assistant(text_block("Now **plainly** said.")),
        )
    )
    neovim.type(":Pi<CR>")
    neovim.sees("Now plainly said.")
    assert neovim.screen.highlight_at("plainly").get("bold")


def test_a_retry_takes_back_what_had_streamed(play: Play) -> None:
    retry = {
        "type": "retry_start",
        "attempt": 1,
        "maxAttempts": 3,
        "delayMs": 2000,
        "error": "Overloaded.",
    }
    on = {"pi/prompt": [*begins(), update(0, "a false start"), retry]}
    neovim = play(answers(), on)
    neovim.type(":Pi<CR>")
    neovim.sees("Ask pi anything")
    send(neovim)
    neovim.sees("Overloaded. Trying again in 2 s (1 of 3).")
    assert "a false start" not in neovim.look()


def test_folds_are_made_while_the_person_types_in_the_input(play: Play) -> None:
    call = call_block("c1", "read", path="kettle.py")
    message = assistant(text_block("Looking."), call, stop_reason="toolUse")
    run = [
        {"type": "message_end", "message": message, "entryId": "aa"},
        {
            "type": "tool_execution_start",
            "toolCallId": "c1",
            "toolName": "read",
            "args": {"path": "kettle.py"},
        },
        {
            "type": "tool_execution_end",
            "toolCallId": "c1",
            "isError": False,
            "durationMs": 240,
            "result": {"content": [text_block("secret line\n" * 30)]},
        },
    ]
    neovim = play(answers(), {"pi/prompt": [*begins(), *run]})
    neovim.type(":Pi<CR>")
    neovim.sees("Ask pi anything")
    neovim.type("igo on<C-s>and I go on typing")
    neovim.sees("read kettle.py  240 ms")
    screen = neovim.look()
    assert "secret line" not in screen
    assert "and I go on typing" in screen
    assert neovim.screen.mode == "insert"


def test_what_a_command_prints_is_shown_without_escape_codes(play: Play) -> None:
    call = call_block("c1", "bash", command="make")
    message = assistant(call, stop_reason="toolUse")
    run = [
        {"type": "message_end", "message": message, "entryId": "aa"},
        {
            "type": "tool_execution_start",
            "toolCallId": "c1",
            "toolName": "bash",
            "args": {"command": "make"},
        },
        {"type": "tool_execution_update", "toolCallId": "c1", "delta": "\x1b[31mred\x1b[0m\n10%\r"},
        {"type": "tool_execution_update", "toolCallId": "c1", "delta": "100%\nlast\n"},
    ]
    neovim = play(answers(), {"pi/prompt": [*begins(), *run]})
    neovim.type(":Pi<CR>")
    neovim.sees("Ask pi anything")
    send(neovim)
    neovim.sees("bash make")
    neovim.type("<C-w>kG<CR>")
    neovim.sees("last")
    assert "red" in neovim.look()
    assert "[31m" not in neovim.look()


def test_a_gap_in_the_events_makes_it_ask_again(play: Play) -> None:
    on = {"pi/prompt": [*begins(), {"skip": 3}, update(0, "out of step")]}
    neovim = play(answers(*CONVERSATION), on)
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    send(neovim, "a message that the server's answer does not hold")
    neovim.sees_no("a message that the server's answer does not hold")
    neovim.sees("It boils now")


def test_the_view_follows_only_from_the_bottom(play: Play) -> None:
    long = assistant(text_block("\n\n".join(f"paragraph {n}" for n in range(60))))
    on = {"pi/prompt": [*begins("news"), update(0, "\n\n".join(f"fresh {n}" for n in range(40)))]}
    neovim = play(answers(user("tell me"), long), on)
    neovim.type(":Pi<CR>")
    neovim.sees("paragraph 59")
    neovim.type("<C-w>kgg<C-w>j")
    neovim.sees("paragraph 3")
    send(neovim, "news")
    neovim.waits_for("#require('pi.chats').present().transcript.canvas.blocks", 4)
    neovim.waits_for(
        "table.concat(vim.api.nvim_buf_get_lines("
        "require('pi.chats').present().transcript.buf, 0, -1, true)):find('fresh 39') ~= nil"
    )
    screen = neovim.look()
    assert "paragraph 3" in screen
    assert "fresh 39" not in screen
    neovim.type("<C-w>kG")
    neovim.sees("fresh 39")


def test_older_messages_come_when_the_top_is_reached(play: Play) -> None:
    made = entries(*(user(f"question {n}") for n in range(40)))
    newest = {"entries": made[20:], "leafId": made[-1]["id"], "more": True}
    older = {"entries": made[:20], "leafId": made[-1]["id"], "more": False}
    neovim = play({"pi/state": state(), "pi/entries": [newest, older]}, setup="page = 20")
    neovim.type(":Pi<CR>")
    neovim.sees("question 39")
    neovim.type("<C-w>kgg")
    neovim.waits_for("require('pi.chats').present().transcript.more", False)
    neovim.sees("question 20")
    neovim.type("gg")
    neovim.sees("question 0")
    assert neovim.buffer_text("transcript").count("question 20") == 1


def test_a_narrow_window_stays_readable(play: Play, shoot: Shoot) -> None:
    neovim = play(answers(*CONVERSATION), columns=60, rows=24)
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    assert "34 % of 200k" in neovim.look()
    shoot(neovim, "narrow")


@pytest.mark.parametrize("position", ["left", "bottom", "top"])
def test_the_chat_opens_at_any_side(play: Play, shoot: Shoot, position: str) -> None:
    layout = f"layout = {{ position = '{position}' }}"
    neovim = play(answers(*CONVERSATION), setup=layout, files=("kettle.py",))
    neovim.type(":Pi<CR>")
    neovim.sees("It boils now")
    assert "def boil" in neovim.look()
    shoot(neovim, "layout")
    neovim.type(":Pi<CR>")
    neovim.sees_no("It boils now")
