"""What the agent does in the editor: edits, saves, findings of other servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.messages_api import MessagesApi, Text, ToolCall
from tests.nvim.conftest import StartNeovim
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened

FREE = "settings = { trusted = true, approval = { mode = 'auto' } }"
"""Options of a person who lets the agent do as it likes."""


@pytest.fixture
def editing(start_with_service: StartNeovim) -> Neovim:
    """A Neovim with a file open and the chat beside it, where nothing is asked."""
    return opened(start_with_service(FREE, files=("kettle.py",)))


def edit(old: str, new: str, path: str = "kettle.py") -> ToolCall:
    return ToolCall("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})


def lines(neovim: Neovim, name: str = "kettle.py") -> list[str]:
    return neovim.lua("return vim.fn.getbufline(..., 1, '$')", name)


def has_line(neovim: Neovim, text: str) -> bool:
    return any(line.strip() == text for line in lines(neovim))


def test_folds_marks_and_the_cursor_stay_where_they_are(
    editing: Neovim, service: MessagesApi
) -> None:
    editing.type("<C-w>h:set foldmethod=manual<CR>5Gzfj5Gmaj")
    editing.type("gg<C-w>l")
    service.reply(edit("def boil(water):\n", "def boil(water):\n    # hot\n    # hotter\n"))
    service.reply(Text("Done."))
    ask(editing, "go")
    editing.sees("Done.")
    editing.waits_for("vim.fn.getbufline('kettle.py', 3)[1]", "    # hotter")
    editing.type("<C-w>h")
    assert editing.lua("return vim.fn.foldclosed(7)") == 7
    assert editing.lua('return vim.fn.line("\'a")') == 7
    assert editing.lua("return vim.fn.line('.')") == 1


def test_two_edits_of_one_call_are_one_undo_step_apart_from_the_persons_own(
    editing: Neovim, service: MessagesApi
) -> None:
    editing.type("<C-w>hGoown = 1<Esc>:w<CR><C-w>l")
    edits = [
        {"oldText": "water + 80", "newText": "water + 100"},
        {"oldText": "cup.fill()", "newText": "cup.fill(100)"},
    ]
    service.reply(ToolCall("edit", {"path": "kettle.py", "edits": edits}))
    service.reply(Text("Done."))
    ask(editing, "go")
    editing.sees("Done.")
    assert "    cup.fill(100)" in lines(editing)
    editing.type("<C-w>hu")
    editing.waits_for("vim.fn.getbufline('kettle.py', 6)[1]", "    cup.fill()")
    assert "    return water + 80" in lines(editing)
    assert has_line(editing, "own = 1")


def test_text_of_ones_own_that_is_not_saved_is_left_unsaved(
    editing: Neovim, service: MessagesApi, folder: Path
) -> None:
    editing.type("<C-w>hGomine = True<Esc><C-w>l")
    service.reply(edit("water + 80", "water + 100"))
    service.reply(Text("Done."))
    ask(editing, "go")
    editing.sees("Done.")
    assert "    return water + 100" in lines(editing)
    assert editing.lua("return vim.bo[vim.fn.bufnr('kettle.py')].modified")
    assert "water + 80" in (folder / "kettle.py").read_text()


def test_a_formatter_on_save_is_part_of_what_the_agent_hears(
    editing: Neovim, service: MessagesApi
) -> None:
    editing.lua(
        """
        vim.api.nvim_create_autocmd("BufWritePre", {
          pattern = "kettle.py",
          callback = function() vim.cmd("silent! %s/= *80/= 80  # formatted/e") end,
        })
        """
    )
    service.reply(edit("return water + 80", "heat =80\n    return water + heat"))
    service.reply(Text("Done."))
    ask(editing, "go")
    editing.sees("Done.")
    assert "    heat = 80  # formatted" in lines(editing)
    assert "formatted" in json.dumps(service.requests[1].body["messages"][-1])


def test_a_buffer_that_cannot_be_modified_refuses_with_its_reason(
    editing: Neovim, service: MessagesApi, folder: Path
) -> None:
    editing.type("<C-w>h:set nomodifiable<CR><C-w>l")
    service.reply(edit("water + 80", "water + 100"))
    service.reply(Text("I could not."))
    ask(editing, "go")
    editing.sees("I could not.")
    editing.sees("✗ edit kettle.py")
    assert "cannot be modified" in json.dumps(service.requests[1].body["messages"][-1])
    assert "water + 80" in (folder / "kettle.py").read_text()


def test_findings_of_other_servers_reach_the_agent(editing: Neovim, service: MessagesApi) -> None:
    editing.lua(
        """
        vim.diagnostic.set(vim.api.nvim_create_namespace("other"), vim.fn.bufnr("kettle.py"), {
          { lnum = 1, col = 4, message = "too hot", severity = 1, source = "thermometer" },
        })
        """
    )
    service.reply(ToolCall("diagnostics", {"path": "kettle.py"}))
    service.reply(Text("It is too hot."))
    ask(editing, "what is wrong")
    editing.sees("It is too hot.")
    heard = json.dumps(service.requests[1].body["messages"][-1])
    assert "too hot" in heard
    assert "thermometer" in heard
    assert "2:5" in heard


def test_a_file_with_changes_of_ones_own_is_never_read_over(
    editing: Neovim, service: MessagesApi
) -> None:
    editing.type("<C-w>hGomine = True<Esc><C-w>l")
    service.reply(ToolCall("bash", {"command": "echo other > kettle.py"}))
    service.reply(Text("Done."))
    ask(editing, "go")
    editing.sees("Done.")
    is_idle(editing)
    assert has_line(editing, "mine = True")
