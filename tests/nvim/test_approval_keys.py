"""Questions of the agent: each key of the float, and several questions at once."""

from __future__ import annotations

import json
from pathlib import Path

from tests.messages_api import Gate, MessagesApi, Text, ToolCall
from tests.nvim.conftest import Shoot, StartNeovim
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened

DIFF_WINDOWS = (
    "#vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_tabpage_list_wins(0))"
)


def runs(command: str) -> ToolCall:
    return ToolCall("bash", {"command": command})


def looks_at_the_question(neovim: Neovim) -> None:
    """Go to the float that waits, from the input."""
    neovim.sees("pi asks")
    neovim.type("<Esc>ga")
    neovim.sees("a allow")


def test_allowed_for_this_session_the_same_command_is_not_asked_again_but_another_is(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    neovim = opened(start_with_service())
    service.reply(runs("echo once"))
    service.reply(Text("It ran."))
    ask(neovim, "go")
    looks_at_the_question(neovim)
    neovim.type("s")
    neovim.sees("It ran.")
    is_idle(neovim)
    neovim.waits_for("vim.bo.filetype", "pi-input")
    service.reply(runs("echo once"))
    service.reply(runs("echo once more"))
    ask(neovim, "again")
    looks_at_the_question(neovim)
    assert "echo once more" in neovim.look()
    assert len(service.requests) == 4, "the second call of the first command ran unasked"
    neovim.type("q")
    neovim.sees_no("pi asks")


def test_allowed_always_is_a_rule_in_the_persons_settings_and_holds_next_time(
    start_with_service: StartNeovim, service: MessagesApi, tmp_path: Path
) -> None:
    neovim = opened(start_with_service())
    service.reply(runs("echo always"))
    service.reply(Text("It ran."))
    ask(neovim, "go")
    looks_at_the_question(neovim)
    neovim.type("A")
    neovim.sees("It ran.")
    neovim.quit()
    settings = json.loads((tmp_path / "home" / "pi-agent" / "settings.json").read_text("utf-8"))
    (rule,) = settings["approval"]["rules"]
    assert (rule["tool"], rule["pattern"], rule["decision"]) == ("bash", "echo always", "allow")
    again = start_with_service()
    again.type(":Pi<CR>")
    again.sees("It ran.")
    service.reply(runs("echo always"))
    service.reply(Text("It ran unasked."))
    ask(again, "again")
    again.sees("It ran unasked.")


def test_the_diff_of_a_question_shows_both_whole_sides_and_closing_it_decides_nothing(
    start_with_service: StartNeovim, service: MessagesApi, shoot: Shoot, folder: Path
) -> None:
    (folder / "long.py").write_text(
        "first = 1\n" + "\n" * 20 + "heat = 80\n" + "\n" * 20 + "last = 1\n", encoding="utf-8"
    )
    edits = [{"oldText": "heat = 80", "newText": "heat = 100"}]
    service.reply(ToolCall("edit", {"path": "long.py", "edits": edits}))
    service.reply(Text("Hotter."))
    neovim = opened(start_with_service())
    ask(neovim, "hotter, please")
    looks_at_the_question(neovim)
    neovim.type("o")
    neovim.waits_for(DIFF_WINDOWS, 2)
    sides = neovim.lua(
        """
        return vim.tbl_map(function(win)
          return table.concat(
            vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true), " ")
        end, vim.api.nvim_tabpage_list_wins(0))
        """
    )
    assert [side.split() for side in sides] == [
        ["first", "=", "1", "heat", "=", "80", "last", "=", "1"],
        ["first", "=", "1", "heat", "=", "100", "last", "=", "1"],
    ]
    shoot(neovim, "split")
    neovim.type("q")
    neovim.sees("pi asks")
    assert "heat = 80" in (folder / "long.py").read_text("utf-8")
    neovim.command("Pi approve")
    neovim.sees("a allow")
    neovim.type("o")
    neovim.waits_for(DIFF_WINDOWS, 2)
    neovim.type(":tabclose<CR>")
    looks_at_the_question(neovim)
    neovim.type("a")
    neovim.sees("Hotter.")
    assert "heat = 100" in (folder / "long.py").read_text("utf-8")


def test_several_questions_are_counted_and_answered_one_after_the_other(
    start_with_service: StartNeovim, service: MessagesApi, shoot: Shoot
) -> None:
    service.reply(runs("echo un"), runs("echo deux"), runs("echo trois"))
    service.reply(Text("All answered."))
    neovim = opened(start_with_service())
    ask(neovim, "count")
    neovim.sees("pi asks (1 of 3)")
    neovim.sees("? 3 questions")
    shoot(neovim, "three")
    neovim.type("ga")
    neovim.sees("a allow")
    neovim.type("a")
    neovim.sees("pi asks (1 of 2)")
    neovim.sees("a allow")
    neovim.type("d")
    neovim.sees("Why not?")
    neovim.type("not in French<CR>")
    neovim.sees("? 1 question ")
    neovim.sees_no("(1 of")
    neovim.type("a")
    neovim.sees("All answered.")
    neovim.sees_no("pi asks")
    assert "✓ bash echo un" in neovim.look()
    assert "✗ bash echo deux" in neovim.look()
    assert "✓ bash echo trois" in neovim.look()
    assert "not in French" in json.dumps(service.requests[1].body)
    neovim.waits_for("vim.bo.filetype", "pi-input")


def test_a_run_that_is_stopped_takes_its_questions_with_it(
    start_with_service: StartNeovim, service: MessagesApi, folder: Path
) -> None:
    service.reply(runs("touch one"), runs("touch two"))
    neovim = opened(start_with_service())
    ask(neovim, "go")
    neovim.sees("pi asks (1 of 2)")
    neovim.type("<C-c>")
    neovim.sees_no("pi asks")
    is_idle(neovim)
    neovim.command("Pi approve")
    neovim.sees("nothing waits for an answer")
    assert not (folder / "one").exists()
    assert not (folder / "two").exists()


def test_a_question_is_told_to_the_persons_own_configuration_and_in_the_statusline(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(runs("echo hi"))
    service.reply(Text("Said."))
    neovim = start_with_service(files=("kettle.py",))
    neovim.lua(
        """
        vim.api.nvim_create_autocmd("User", {
          pattern = "PiApproval",
          callback = function(args) heard = args.data.question.args.command end,
        })
        """
    )
    opened(neovim)
    ask(neovim, "greet")
    neovim.waits_for("heard", "echo hi")
    neovim.waits_for("require('pi').status():match('^pi asks') ~= nil")
    looks_at_the_question(neovim)
    neovim.type("a")
    neovim.sees("Said.")
    is_idle(neovim)
    assert neovim.lua("return require('pi').status()").startswith("pi · ")


def test_a_reason_that_comes_too_late_does_not_deny_the_next_question(
    start_with_service: StartNeovim, service: MessagesApi, folder: Path
) -> None:
    service.reply(runs("sleep 1"), runs("touch two"))
    neovim = opened(start_with_service())
    ask(neovim, "go")
    neovim.sees("pi asks (1 of 2)")
    neovim.type("ga")
    neovim.sees("a allow")
    neovim.type("d")
    neovim.sees("Why not?")
    neovim.lua(
        """
        local chat = require("pi.chats").present()
        require("pi.approval").answered(chat, chat.questions[1].params.toolCallId)
        """
    )
    service.reply(Text("Done."))
    neovim.type("too late<CR>")
    neovim.sees("? 1 question ")
    neovim.sees("touch two")
    neovim.type("<Esc>ga")
    neovim.sees("a allow")
    neovim.type("a")
    neovim.sees("Done.")
    assert (folder / "two").exists()


def test_a_run_that_is_stopped_from_the_diff_leaves_no_question_behind(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    edits = [{"oldText": "water + 80", "newText": "water + 100"}]
    service.reply(ToolCall("edit", {"path": "kettle.py", "edits": edits}), runs("echo hi"))
    neovim = opened(start_with_service())
    ask(neovim, "go")
    neovim.sees("pi asks (1 of 2)")
    neovim.type("ga")
    neovim.sees("a allow")
    neovim.type("o")
    neovim.waits_for(DIFF_WINDOWS, 2)
    neovim.command("Pi stop")
    neovim.waits_for("#require('pi.chats').present().questions", 0)
    neovim.type("q")
    neovim.sees(":Pi continue goes on from here")
    neovim.sees_no("pi asks")


def test_a_question_that_comes_while_the_person_is_in_another_tab_page_is_there_on_return(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    gate = Gate()
    service.reply(Text("Let me see."), gate, runs("echo hi"))
    neovim = opened(start_with_service())
    ask(neovim, "go")
    neovim.sees("Let me see.")
    neovim.command("tabnew")
    neovim.sees_no("Let me see.")
    gate.open()
    neovim.sees("(:Pi approve)")
    neovim.type("gt")
    neovim.sees("pi asks")
    neovim.waits_for("vim.bo.filetype", "pi-input")
