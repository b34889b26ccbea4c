"""A person works with pi in Neovim: the real server, the demo model or a scripted service."""

from __future__ import annotations

import json
from pathlib import Path

from tests.messages_api import Gate, HttpError, MessagesApi, Text, Thinking, ToolCall
from tests.nvim.conftest import Shoot, StartNeovim
from tests.nvim.person import ask, is_idle, opened, transcript_has


def session_entries(folder: Path) -> list[dict[str, object]]:
    (file,) = (folder / ".pi" / "sessions").glob("*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_the_demo_model_reads_a_file_and_says_what_it_is(
    start: StartNeovim, shoot: Shoot, folder: Path
) -> None:
    neovim = opened(start(files=("kettle.py",)))
    ask(neovim, "read README.md and say what this is")
    neovim.sees("✓ read README.md")
    neovim.sees("Kettle")
    neovim.sees("1 % of 200k")
    shoot(neovim, "answer")
    kinds = [entry["type"] for entry in session_entries(folder)]
    assert kinds[:4] == ["session", "model_change", "thinking_level_change", "message"]


def test_an_edit_is_approved_changes_the_open_buffer_and_is_one_undo_step(
    start: StartNeovim, shoot: Shoot, folder: Path
) -> None:
    neovim = start(files=("kettle.py",))
    neovim.type("Gzz")
    opened(neovim)
    ask(neovim, "replace 'water + 80' with 'water + 100' in kettle.py")
    neovim.sees("pi asks")
    neovim.sees("+    return water + 100")
    shoot(neovim, "question")
    neovim.type("ga")
    neovim.sees("a allow")
    neovim.type("a")
    neovim.sees("✓ edit kettle.py")
    neovim.waits_for("vim.fn.getbufline('kettle.py', 2)[1]", "    return water + 100")
    neovim.waits_for("vim.bo[vim.fn.bufnr('kettle.py')].modified", False)
    assert "water + 100" in (folder / "kettle.py").read_text()
    neovim.type("<C-w>h")
    assert neovim.lua("return vim.api.nvim_win_get_cursor(0)[1]") == 6, "the cursor has stayed"
    neovim.type("u")
    neovim.waits_for("vim.fn.getbufline('kettle.py', 2)[1]", "    return water + 80")
    neovim.waits_for("#vim.fn.getbufline('kettle.py', 1, '$')", 6)


def test_a_question_waits_while_the_person_types_and_never_takes_the_cursor(
    start: StartNeovim, shoot: Shoot
) -> None:
    neovim = opened(start(files=("kettle.py",)))
    neovim.type("irun `echo hi`<C-s>thinking about the next th")
    neovim.sees("pi asks")
    neovim.type("ing")
    neovim.sees("thinking about the next thing")
    assert neovim.screen.mode == "insert"
    assert "? 1 question" in neovim.look()
    shoot(neovim, "typing")
    neovim.type("<Esc>:Pi<CR>")
    neovim.sees_no("pi asks")
    neovim.type(":Pi<CR>")
    neovim.sees("pi asks")
    neovim.type("gad")
    neovim.sees("Why not?")
    neovim.type("no noise please<CR>")
    neovim.sees("✗ bash echo hi")
    assert "thinking about the next thing" in neovim.buffer_text("input")


def test_steering_following_up_and_taking_back_a_message_while_it_runs(
    start_with_service: StartNeovim, service: MessagesApi, shoot: Shoot
) -> None:
    gate = Gate()
    service.reply(Text("Working on it"), gate, Text(" and done."))
    service.reply(Text("Steered."))
    service.reply(Text("Followed up."))
    neovim = opened(start_with_service())
    ask(neovim, "begin")
    neovim.sees("Working on it")
    ask(neovim, "more to the left")
    neovim.sees("steer       more to the left")
    neovim.type("ithen commit<Esc><M-CR>")
    neovim.sees("follow up   then commit")
    neovim.type("inever mind this<Esc><M-CR>")
    neovim.sees("follow up   never mind this")
    shoot(neovim, "queue")
    neovim.type("<C-w>kGdd")
    neovim.sees_no("follow up   never mind this")
    neovim.waits_for("vim.bo.filetype", "pi-input")
    assert "never mind this" in neovim.buffer_text("input")
    gate.open()
    neovim.sees("Followed up.")
    transcript = neovim.buffer_text("transcript")
    order = ["and done.", "more to the left", "Steered.", "then commit", "Followed up."]
    assert [transcript.find(text) for text in order] == sorted(
        transcript.find(text) for text in order
    )


def test_stopping_gives_queued_texts_back_and_continue_goes_on(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    gate = Gate()
    service.reply(Text("Half an ans"), gate, Text("wer"))
    service.reply(Text("The rest of it."))
    neovim = opened(start_with_service())
    ask(neovim, "begin")
    neovim.sees("Half an ans")
    ask(neovim, "and mind the gap")
    neovim.sees("○ steer")  # it waits; the hint below speaks of steers from the start
    neovim.type("<C-c>")
    neovim.sees("! Stopped.")
    neovim.sees(":Pi continue goes on from here")
    neovim.sees("and mind the gap")
    assert "and mind the gap" in neovim.buffer_text("input")
    neovim.command("Pi continue")
    neovim.sees("The rest of it.")
    neovim.sees_no("goes on from here")


def test_an_old_message_is_edited_and_sent_anew(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Text("Tea takes three minutes."))
    service.reply(Text("Coffee takes four."))
    neovim = opened(start_with_service())
    ask(neovim, "how long does tea take")
    neovim.sees("Tea takes three")
    is_idle(neovim)
    neovim.type("<C-w>k?how long<CR>e")
    neovim.sees("replaces “how long does tea take”")
    neovim.type("<C-c>")
    neovim.sees_no("replaces “how long")
    neovim.type("<C-w>k?how long<CR>e")
    neovim.sees("replaces “how long does tea take”")
    neovim.type("V<Esc>:s/tea/coffee/<CR><CR>")
    neovim.sees("Coffee takes four.")
    neovim.sees_no("Tea takes three")
    assert "replaces" not in neovim.look()


def test_branches_are_listed_and_switched_and_it_says_that_files_stay(
    start_with_service: StartNeovim, service: MessagesApi, shoot: Shoot
) -> None:
    service.reply(Text("First answer."))
    service.reply(Text("Second answer."))
    neovim = opened(start_with_service(rows=44))
    ask(neovim, "first question")
    neovim.sees("First answer.")
    is_idle(neovim)
    ask(neovim, "second question")
    neovim.sees("Second answer.")
    is_idle(neovim)
    neovim.command("Pi tree")
    neovim.sees("you       second question")
    neovim.type("mgood one<CR>")
    neovim.sees("[good one]")
    neovim.type("/first question<CR><Tab>")
    neovim.sees("pi        First answer.")
    shoot(neovim, "tree")
    neovim.type("/First answer<CR><CR>")
    neovim.sees("files on disk are as they were")
    transcript_has(neovim, "Second answer.", False)
    service.reply(Text("Another way."))
    neovim.type("q")
    neovim.waits_for("vim.bo.filetype", "pi-transcript")
    neovim.type("i")
    neovim.type("third question<Esc><CR>")
    neovim.sees("Another way.")
    is_idle(neovim)
    neovim.command("Pi tree")
    neovim.sees("├─○ you       second question  [good one]")
    shoot(neovim, "branched")


def test_thinking_is_folded_and_an_error_says_what_to_do(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Thinking("The person greets me."), Text("Hello there."))
    service.reply(HttpError(401, "authentication_error", "invalid x-api-key"))
    neovim = opened(start_with_service())
    ask(neovim, "hi")
    neovim.sees("Hello there.")
    neovim.sees("∙ thought  4 words")
    assert "greets me" not in neovim.look()
    ask(neovim, "again")
    neovim.sees("key")
    neovim.sees(":Pi continue goes on from here")


def test_a_new_file_that_the_agent_wrote_to_disk_is_read_again(
    start: StartNeovim, folder: Path
) -> None:
    neovim = opened(
        start("settings = { trusted = true, approval = { mode = 'auto' } }", files=("notes.txt",))
    )
    ask(neovim, "run `echo fresh > notes.txt`")
    neovim.sees("✓ bash echo fresh")
    neovim.waits_for("vim.fn.getbufline('notes.txt', 1)[1]", "fresh")
    assert (folder / "notes.txt").read_text() == "fresh\n"


def test_a_command_of_ones_own(start: StartNeovim) -> None:
    neovim = opened(start())
    ask(neovim, "!echo from me")
    neovim.sees("$ echo from me")
    is_idle(neovim)
    neovim.sees("from me")
    ask(neovim, "!!exit 3")
    neovim.sees("exit code 3")
    neovim.sees("not told to the model")


def test_a_command_of_ones_own_is_stopped(start: StartNeovim) -> None:
    neovim = opened(start())
    ask(neovim, "!echo be''gun; sleep 60")
    neovim.sees("begun")
    neovim.type("<C-c>")
    is_idle(neovim)
    neovim.sees("stopped")


def test_a_selection_is_asked_about(start_with_service: StartNeovim, service: MessagesApi) -> None:
    service.reply(Text("It adds eighty."))
    service.reply(Text("It fills a cup."))
    neovim = start_with_service(files=("kettle.py",))
    neovim.type("ggVj:Pi ask what does this do<CR>")
    neovim.sees("It adds eighty.")
    neovim.waits_for("vim.fn.expand('%:t')", "kettle.py")
    first = json.dumps(service.requests[0].body)
    assert "water + 80" in first
    assert "cup.fill" not in first
    neovim.type("GVk:Pi ask<CR>")
    neovim.sees("+ kettle.py:5-6")
    neovim.type("and this?<C-s>")
    neovim.sees("It fills a cup.")
    assert "cup.fill" in json.dumps(service.requests[1].body["messages"][-1])


def test_a_code_action_starts_a_run_that_is_shown(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Text("It adds eighty degrees."))
    neovim = opened(start_with_service(files=("kettle.py",)))
    neovim.command("Pi")
    neovim.sees_no("Ask pi anything")
    neovim.type("ggVjgra")
    neovim.sees("Explain with pi")
    neovim.type("1<CR>")
    neovim.sees("It adds eighty degrees.")
    neovim.waits_for("vim.fn.expand('%:t')", "kettle.py")


def test_text_that_is_not_saved_is_what_the_agent_reads(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(ToolCall("read", {"path": "kettle.py"}))
    service.reply(Text("I see."))
    neovim = start_with_service(files=("kettle.py",))
    neovim.type("ggOunsaved = True<Esc>")
    opened(neovim)
    ask(neovim, "read it")
    neovim.sees("I see.")
    assert "unsaved = True" in json.dumps(service.requests[1].body)
