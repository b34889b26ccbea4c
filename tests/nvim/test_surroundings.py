"""What stands around the chat: help, health, trust, keys, the statusline, autocommands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.messages_api import Gate, MessagesApi, Text
from tests.nvim.conftest import Shoot, StartNeovim
from tests.nvim.person import ask, is_idle, opened


def test_nothing_is_loaded_before_it_is_used(start: StartNeovim) -> None:
    neovim = start(files=("kettle.py",))
    assert neovim.lua("return package.loaded['pi.chat']") is None
    assert neovim.lua("return #vim.lsp.get_clients()") == 0


def test_every_subcommand_completes_and_is_in_the_help(start: StartNeovim) -> None:
    neovim = start()
    names = neovim.lua("return vim.fn.getcompletion('Pi ', 'cmdline')")
    assert {"ask", "tree", "approvals", "image", "log", "continue"} <= set(names)
    plugin = Path(__file__).parents[2] / "editors" / "nvim"
    help_text = (plugin / "doc" / "pi.txt").read_text(encoding="utf-8")
    missing = [name for name in names if f"*:Pi-{name}*" not in help_text]
    assert missing == []
    assert neovim.lua("return vim.fn.getcompletion('Pi thinking h', 'cmdline')") == ["high"]


def test_health_tells_of_neovim_the_server_and_the_folder(start: StartNeovim, shoot: Shoot) -> None:
    neovim = start(rows=60)
    neovim.command("checkhealth pi")
    neovim.sees("Neovim 0.11")
    neovim.sees("pi-lsp")
    neovim.sees("log of Neovim's client")
    shoot(neovim, "health")


def test_trust_is_asked_once_per_folder(start: StartNeovim, tmp_path: Path) -> None:
    neovim = start("")
    neovim.type(":Pi<CR>")
    neovim.sees("Do you trust the folder")
    neovim.type("1<CR>")
    neovim.waits_for("require('pi.chats').present().state.trusted", True)
    trust = json.loads((tmp_path / "home" / "pi-agent" / "trust.json").read_text())
    assert list(trust.values()) == [True]
    neovim.quit()
    again = opened(start(""))
    again.waits_for("require('pi.chats').present().state.trusted", True)
    assert "Do you trust" not in again.look()


def test_a_key_is_typed_unseen_and_kept_in_memory(
    start: StartNeovim, service: MessagesApi, tmp_path: Path
) -> None:
    service.reply(Text("With a key."))
    setup = (
        "settings = { trusted = true, providers = { anthropic = { baseUrl = '"
        + service.url
        + "' } } }"
    )
    neovim = opened(start(setup))
    neovim.command("Pi key")
    neovim.sees("API key for anthropic:")
    neovim.type("sk-ant-secret<CR>")
    neovim.sees("the key for anthropic is set")
    assert "sk-ant-secret" not in neovim.look()
    neovim.command("Pi model claude-haiku-4-5")
    neovim.sees("claude-haiku-4-5")
    neovim.type("<C-w>b")
    ask(neovim, "hello")
    neovim.sees("With a key.")
    written = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not any(b"sk-ant-secret" in path.read_bytes() for path in written)


def test_the_statusline_and_autocommands_follow_a_run(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Text("Done."))
    neovim = start_with_service()
    assert neovim.lua("return require('pi').status()") == ""
    neovim.lua(
        """
        heard = {}
        for _, name in ipairs({ "PiTurnStart", "PiTurnEnd", "PiRunEnd" }) do
          vim.api.nvim_create_autocmd("User", {
            pattern = name,
            callback = function() heard[#heard + 1] = name end,
          })
        end
        """
    )
    opened(neovim)
    ask(neovim, "hello")
    neovim.sees("Done.")
    is_idle(neovim)
    assert neovim.lua("return heard") == ["PiTurnStart", "PiTurnEnd", "PiRunEnd"]
    assert neovim.lua("return require('pi').status()").startswith("pi · ")


def test_the_end_of_a_run_is_told_while_the_chat_is_hidden(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    gate = Gate()
    service.reply(Text("Slowly"), gate, Text(" done."))
    neovim = opened(start_with_service(files=("kettle.py",)))
    ask(neovim, "take your time")
    neovim.sees("Slowly")
    neovim.type("q")
    neovim.sees_no("Slowly")
    gate.open()
    neovim.sees("pi: Done.")


@pytest.mark.parametrize("background", ["dark", "light"])
def test_colours_follow_the_scheme(start: StartNeovim, shoot: Shoot, background: str) -> None:
    neovim = start()
    neovim.command(f"set background={background}")
    opened(neovim)
    ask(neovim, "read README.md")
    neovim.sees("✓ read README.md")
    is_idle(neovim)
    shoot(neovim, "colours")


def test_keys_are_shown_on_request_and_closing_one_window_closes_the_chat(
    start: StartNeovim, shoot: Shoot
) -> None:
    neovim = opened(start(files=("kettle.py",)))
    neovim.type("<C-w>kg?")
    neovim.sees("edit this message of yours and send it anew")
    shoot(neovim, "keys")
    neovim.type("q")
    neovim.sees_no("edit this message of yours")
    neovim.type(":q<CR>")
    neovim.waits_for("#vim.api.nvim_tabpage_list_wins(0)", 1)


def test_hiding_the_chat_as_the_last_windows_leaves_an_empty_one(start: StartNeovim) -> None:
    neovim = opened(start(files=("kettle.py",)))
    neovim.type("<C-w>h:q<CR>")
    neovim.waits_for("#vim.api.nvim_tabpage_list_wins(0)", 2)
    neovim.type("q")
    neovim.waits_for("#vim.api.nvim_tabpage_list_wins(0)", 1)
    neovim.waits_for("vim.bo.buftype", "")
    neovim.type(":Pi<CR>")
    neovim.sees("Ask pi anything")
    neovim.waits_for("#vim.api.nvim_tabpage_list_wins(0)", 3)


def test_the_log_opens_beside_the_chat(start: StartNeovim) -> None:
    neovim = opened(start(files=("kettle.py",)))
    neovim.command("Pi log")
    neovim.waits_for("vim.fn.expand('%:e')", "log")
    assert "Ask pi anything" in neovim.look()
