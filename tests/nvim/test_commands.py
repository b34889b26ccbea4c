"""Subcommands of `:Pi` as they are typed, with a value, without one, and with a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.messages_api import Gate, MessagesApi, Text
from tests.nvim.conftest import StartNeovim
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened, transcript_has


def state_is(neovim: Neovim, member: str, value: str | bool) -> None:
    neovim.waits_for(f"require('pi.chats').present().state.{member}", value)


def test_a_question_is_asked_from_any_window_and_stopped_from_there(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Text("Half an ans"), Gate())
    neovim = start_with_service(files=("kettle.py",))
    neovim.command("Pi ask how hot is it?")
    neovim.sees("Half an ans")
    assert "▌ how hot is it?" in neovim.look()
    neovim.command("Pi stop")
    neovim.sees("! Stopped.")
    neovim.waits_for("vim.fn.expand('%:t')", "kettle.py")


def test_what_stands_in_the_input_is_left_for_the_next_prompt(
    talking: Neovim, service: MessagesApi
) -> None:
    talking.command("Pi next")
    talking.sees("nothing to add")
    talking.type("iin metric units<Esc>")
    talking.command("Pi next")
    talking.sees("next prompt in metric units")
    talking.waits_for("require('pi.chats').present().input:text()", "")
    service.reply(Text("One litre."))
    ask(talking, "how much")
    talking.sees("One litre.")
    assert "in metric units" in str(service.requests[-1].body["messages"])


def test_the_last_message_is_edited_by_command(talking: Neovim, service: MessagesApi) -> None:
    talking.command("Pi edit")
    talking.sees("replaces “first question”")
    service.reply(Text("Another answer."))
    talking.type("Aed anew<Esc><CR>")
    talking.sees("Another answer.")
    transcript_has(talking, "First answer.", False)
    assert "first questioned anew" in talking.look()


def test_a_command_is_run_with_and_without_the_model_knowing(
    talking: Neovim, service: MessagesApi
) -> None:
    talking.command("Pi bash")
    talking.sees("needs a command")
    talking.command("Pi bash echo k''nown")
    talking.sees("known")
    is_idle(talking)
    talking.command("Pi! bash echo hid''den")
    talking.sees("hidden")
    is_idle(talking)
    service.reply(Text("I know."))
    ask(talking, "what did I run")
    talking.sees("I know.")
    told = str(service.requests[-1].body["messages"])
    assert "known" in told
    assert "hidden" not in told


def test_a_name_is_asked_for_when_none_is_given(talking: Neovim) -> None:
    talking.command("Pi rename")
    talking.sees("Name of this session:")
    talking.type("Tea<CR>")
    talking.sees(" Tea ")
    talking.command("Pi rename")
    talking.sees("Name of this session: Tea")
    talking.type(" time<CR>")
    talking.sees(" Tea time ")
    talking.command("Pi new Supper")
    talking.sees(" Supper ")


def test_a_copy_goes_on_and_the_old_session_stays_as_it_was(
    talking: Neovim, service: MessagesApi, folder: Path
) -> None:
    (old,) = (folder / ".pi" / "sessions").glob("*.jsonl")
    before = old.read_bytes()
    talking.command("Pi clone")
    talking.sees("this is a copy now")
    service.reply(Text("Second answer."))
    ask(talking, "second question")
    talking.sees("Second answer.")
    assert old.read_bytes() == before
    talking.command("Pi sessions")
    talking.sees("(this one)")
    assert talking.look().count("first question  ") == 2
    talking.type("q<CR>")


def test_a_lone_session_is_not_deleted(talking: Neovim, folder: Path) -> None:
    talking.command("Pi delete")
    talking.sees("there are no other sessions here")
    assert len(list((folder / ".pi" / "sessions").glob("*.jsonl"))) == 1


def test_the_format_of_an_export_is_chosen_from_a_list(talking: Neovim, folder: Path) -> None:
    talking.command("Pi export")
    talking.sees("Export as")
    talking.type("2<CR>")
    talking.sees("exported to ")
    (written,) = [path for path in folder.rglob("*.md") if path.name != "README.md"]
    assert "First answer." in written.read_text(encoding="utf-8")


def test_model_thinking_and_approvals_are_chosen_from_lists(talking: Neovim) -> None:
    talking.command("Pi model")
    talking.sees("demo/demo")
    number = next(
        line.split(":")[0].strip() for line in talking.look().splitlines() if "demo/demo" in line
    )
    talking.type(f"{number}<CR>")
    talking.sees("the model is demo/demo")
    talking.command("Pi model claude-haiku-4-5")
    talking.sees("the model is anthropic/claude-haiku-4-5")
    talking.command("Pi thinking")
    talking.sees("1: off")
    talking.type("1<CR>")
    talking.sees("thinking is off")
    talking.command("Pi approvals")
    talking.sees("2: edits")
    talking.type("2<CR>")
    talking.sees("edits inside the folder need no question")
    state_is(talking, "approvalMode", "edits")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("thinking deeply", "there is no thinking level deeply; there are: off, minimal,"),
        ("approvals never", "there is no approval mode never; there are: ask, edits, auto,"),
        ("queue steering twice", "there is no queue mode twice; there are: one-at-a-time, all"),
        ("queue up", "there is no queue up; there are: steering, followUp"),
        ("export papyrus", "there is no export format papyrus; there are: html, markdown, jsonl"),
    ],
)
def test_a_wrong_value_is_refused_with_those_there_are(
    start: StartNeovim, line: str, sentence: str
) -> None:
    neovim = opened(start())
    neovim.command(f"Pi {line}")
    neovim.sees(sentence)


def test_the_queue_modes_are_set_by_their_names(talking: Neovim) -> None:
    talking.command("Pi queue steering all")
    talking.sees("steering: all, follow-ups: one-at-a-time")
    talking.command("Pi queue followUp")
    talking.sees("follow-ups: all at once")
    talking.type("2<CR>")
    talking.sees("steering: all, follow-ups: all")
    state_is(talking, "followUpMode", "all")


def test_trust_is_changed_later_and_the_folders_own_words_count_from_then(
    start_with_service: StartNeovim, service: MessagesApi, folder: Path
) -> None:
    (folder / "AGENTS.md").write_text("Always speak of copper.\n", encoding="utf-8")
    neovim = start_with_service("")
    neovim.type(":Pi<CR>")
    neovim.sees("Do you trust the folder")
    neovim.type("2<CR>")
    neovim.sees("Ask pi anything")
    service.reply(Text("Not trusted."))
    neovim.waits_for("vim.bo.filetype", "pi-input")
    ask(neovim, "hello")
    neovim.sees("Not trusted.")
    is_idle(neovim)
    assert "copper" not in str(service.requests[-1].body)
    neovim.command("Pi trust")
    neovim.sees("Do you trust the folder")
    neovim.type("1<CR>")
    state_is(neovim, "trusted", True)
    service.reply(Text("Trusted now."))
    ask(neovim, "hello again")
    neovim.sees("Trusted now.")
    assert "copper" in str(service.requests[-1].body)


def test_what_is_no_picture_is_refused(start: StartNeovim) -> None:
    neovim = opened(start())
    neovim.command("Pi image")
    neovim.sees("needs the path of a picture")
    neovim.command("Pi image kettle.py")
    neovim.sees("pictures are png, jpeg, gif or webp files")
    neovim.command("Pi image missing.png")
    neovim.sees("cannot read missing.png: No such file")


def test_the_figures_go_when_they_are_left(talking: Neovim) -> None:
    talking.command("Pi stats")
    talking.sees("answers           1")
    talking.type("q")
    talking.sees_no("answers           1")


def test_the_server_is_restarted_and_the_conversation_is_still_there(
    talking: Neovim, service: MessagesApi
) -> None:
    talking.command("Pi restart")
    talking.sees("The server was started again.")
    talking.sees("First answer.")
    service.reply(Text("Still here."))
    ask(talking, "second question")
    talking.sees("Still here.")
    assert "first question" in str(service.requests[-1].body["messages"])


def test_a_subcommand_that_does_not_exist_is_told_with_those_that_do(start: StartNeovim) -> None:
    neovim = start()
    neovim.command("Pi dance")
    neovim.sees("there is no `:Pi dance`")
    neovim.sees("approvals")
    neovim.type("<CR>")


def test_a_map_of_ones_own_opens_and_hides_the_chat(start: StartNeovim) -> None:
    neovim = start(files=("kettle.py",))
    neovim.command("nmap gp <Plug>(pi-toggle)")
    neovim.type("gp")
    neovim.sees("Ask pi anything")
    neovim.type("<Esc><C-w>hgp")
    neovim.sees_no("Ask pi anything")
