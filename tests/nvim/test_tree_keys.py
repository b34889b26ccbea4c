"""The branches as a buffer: what each of its keys does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.messages_api import MessagesApi, Text, ToolCall
from tests.nvim.conftest import Shoot, StartNeovim
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened, transcript_has


@pytest.fixture
def branches(start_with_service: StartNeovim, service: MessagesApi) -> Neovim:
    """A Neovim with two questions, one of them with a tool call, and the cursor in their tree."""
    service.reply(ToolCall("read", {"path": "README.md"}))
    service.reply(Text("Tea takes three minutes."))
    service.reply(Text("Coffee takes four."))
    neovim = opened(start_with_service(rows=44))
    ask(neovim, "how long does tea take")
    neovim.sees("Tea takes three")
    is_idle(neovim)
    ask(neovim, "and coffee")
    neovim.sees("Coffee takes four.")
    is_idle(neovim)
    neovim.command("Pi tree")
    neovim.sees("you       and coffee")
    return neovim


def filter_is(neovim: Neovim, name: str) -> None:
    neovim.sees(f"branches  {name} · ")


def goes_to_the_first_answer(neovim: Neovim) -> None:
    """Show the answers too, and find the first one."""
    neovim.type("<Tab>")
    filter_is(neovim, "default")
    neovim.type("/Tea takes three<CR>")
    neovim.waits_for("vim.fn.getline('.'):find('Tea takes three', 1, true) ~= nil")


def test_a_branch_is_left_with_a_summary_that_the_model_is_told(
    branches: Neovim, service: MessagesApi, shoot: Shoot
) -> None:
    goes_to_the_first_answer(branches)
    service.reply(Text("## Goal\nCoffee was considered."))
    branches.type("s")
    branches.sees("files on disk are as they were")
    branches.sees("◉ summary")
    is_idle(branches)
    branches.sees_no("summarising")
    shoot(branches, "summarised")
    transcript_has(branches, "Coffee takes four.", False)
    service.reply(Text("Tea it is."))
    branches.type("q")
    branches.waits_for("vim.bo.filetype ~= 'pi-tree'")
    branches.command("Pi ask so, tea?")
    branches.sees("Tea it is.")
    assert "Coffee was considered." in str(service.requests[-1].body["messages"])


def test_the_summary_looks_at_what_it_is_told_to(branches: Neovim, service: MessagesApi) -> None:
    goes_to_the_first_answer(branches)
    service.reply(Text("## Goal\nBeans."))
    branches.type("S")
    branches.sees("What should the summary look at?")
    branches.type("mind the beans<CR>")
    branches.sees("◉ summary")
    assert "mind the beans" in str(service.requests[-1].body)


def test_a_message_of_ones_own_is_gone_back_to_and_its_text_can_be_changed(
    branches: Neovim,
) -> None:
    branches.type("/and coffee<CR><CR>")
    branches.sees("files on disk are as they were")
    transcript_has(branches, "Coffee takes four.", False)
    assert branches.buffer_text("input") == "and coffee"


def test_a_fork_begins_before_the_message_under_the_cursor(branches: Neovim, folder: Path) -> None:
    branches.type("/and coffee<CR>f")
    branches.sees("forked into a new session; the old one is unchanged")
    transcript_has(branches, "Tea takes three minutes.")
    transcript_has(branches, "Coffee takes four.", False)
    branches.waits_for("vim.bo.filetype", "pi-input")
    assert branches.buffer_text("input") == "and coffee"
    assert "you       how long" not in branches.look(), "the tree has made way"
    assert len(list((folder / ".pi" / "sessions").glob("*.jsonl"))) == 2


def test_a_label_is_set_found_by_the_filter_and_taken_away(branches: Neovim) -> None:
    branches.type("/how long<CR>m")
    branches.sees("Label (empty takes it away):")
    branches.type("the tea part<CR>")
    branches.sees("how long does tea take  [the tea part]")
    branches.type("<S-Tab><S-Tab>")
    filter_is(branches, "labeled")
    assert branches.buffer_text("tree").count("\n") == 0
    branches.type("m<C-u><CR>")
    branches.sees("Nothing here yet.")
    branches.type("<Tab><Tab>")
    filter_is(branches, "branches")
    branches.sees("you       how long does tea take")
    assert "[the tea part]" not in branches.buffer_text("tree")


def test_each_filter_shows_its_part_and_the_cursor_stays_on_its_entry(branches: Neovim) -> None:
    branches.type("/how long<CR>")
    shown: dict[str, str] = {}
    for name in ("default", "noTools", "user", "labeled", "all", "branches"):
        branches.type("<Tab>")
        filter_is(branches, name)
        shown[name] = branches.buffer_text("tree")
        if name == "user":
            assert "how long" in branches.lua("return vim.fn.getline('.')")
    assert "# Kettle" in shown["default"]
    assert "Tea takes three" in shown["default"]
    assert "tool " not in shown["noTools"]
    assert "Tea takes three" in shown["noTools"]
    assert len(shown["user"].splitlines()) == 2
    assert shown["labeled"] == "Nothing here yet."
    assert len(shown["all"].splitlines()) > len(shown["default"].splitlines())


def test_a_search_goes_from_hit_to_hit_and_a_text_can_be_copied(branches: Neovim) -> None:
    branches.type("<Tab>")
    filter_is(branches, "default")
    branches.type("gg/takes<CR>")
    branches.waits_for("vim.fn.getline('.'):find('Tea takes', 1, true) ~= nil")
    branches.type("n")
    branches.waits_for("vim.fn.getline('.'):find('Coffee takes', 1, true) ~= nil")
    branches.type("Y")
    branches.sees("copied")
    assert branches.lua("return vim.fn.getreg('\"')") == "Coffee takes four."


def test_the_keys_of_the_tree_are_shown_on_request(branches: Neovim) -> None:
    branches.type("g?")
    branches.sees("go there with a summary of what is left")
    branches.type("q")
    branches.sees_no("go there with a summary of what is left")
    branches.type("q")
    branches.sees_no("you       and coffee")
