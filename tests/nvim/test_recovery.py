"""What happens when the server ends, when Neovim ends, and when two want the same session."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil

from tests.messages_api import Gate, MessagesApi, Text
from tests.nvim.conftest import Shoot, StartNeovim
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened, transcript_has


def server_of(neovim: Neovim) -> psutil.Process:
    (server,) = [
        child
        for child in psutil.Process(neovim.process.pid).children(recursive=True)
        if any("pi-lsp" in part for part in child.cmdline())
    ]
    return server


def test_the_server_is_killed_in_mid_answer_and_the_conversation_goes_on(
    start_with_service: StartNeovim, service: MessagesApi, shoot: Shoot
) -> None:
    service.reply(Text("A whole answer."))
    service.reply(Text("Half an ans"), Gate())
    neovim = opened(start_with_service())
    ask(neovim, "first")
    neovim.sees("A whole answer.")
    is_idle(neovim)
    ask(neovim, "second")
    neovim.sees("Half an ans")
    ask(neovim, "a queued word")
    neovim.sees("steer       a queued word")
    os.kill(server_of(neovim).pid, signal.SIGKILL)
    neovim.sees("The server ended (signal 9).")
    transcript_has(neovim, "It was started again.")
    neovim.sees("A whole answer.")
    neovim.waits_for("require('pi.chats').present().input:text()", "a queued word")
    shoot(neovim, "restarted")
    service.reply(Text("The second answer, again."))
    neovim.command("Pi continue")
    neovim.sees("The second answer, again.")


def test_a_server_that_keeps_ending_is_not_started_for_ever(start: StartNeovim) -> None:
    neovim = start("cmd = { 'sh', '-c', 'exit 3' }")
    neovim.type(":Pi<CR>")
    neovim.sees("The server ended (exit code 3).")
    neovim.sees(":Pi restart")


def test_a_missing_server_is_told_with_what_to_do(start: StartNeovim) -> None:
    neovim = start("cmd = { 'no-such-server' }")
    neovim.type(":Pi<CR>")
    neovim.sees("`no-such-server` is not executable")
    neovim.sees(":checkhealth pi")


def test_a_second_neovim_on_the_folder_is_told_of_the_lock(
    start_with_service: StartNeovim, service: MessagesApi, folder: Path, tmp_path: Path
) -> None:
    service.reply(Text("Mine."))
    first = opened(start_with_service())
    ask(first, "hello")
    first.sees("Mine.")
    second = start_with_service(home=tmp_path / "home2")
    second.type(":Pi<CR>")
    second.sees("session")
    second.waits_for("#(require('pi.chats').present().state or { warnings = {} }).warnings > 0")
    assert "Mine." not in second.look()


def test_the_draft_and_the_conversation_survive_neovim(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Text("Remembered."))
    neovim = opened(start_with_service())
    ask(neovim, "remember me")
    neovim.sees("Remembered.")
    neovim.type("ihalf a thought<Esc>")
    neovim.quit()
    again = start_with_service()
    again.type(":Pi<CR>")
    again.sees("Remembered.")
    again.sees("half a thought")


def test_neovim_leaves_at_once_in_mid_answer_and_the_server_ends_with_it(
    start_with_service: StartNeovim, service: MessagesApi
) -> None:
    service.reply(Text("Half an ans"), Gate())
    neovim = opened(start_with_service())
    ask(neovim, "begin")
    neovim.sees("Half an ans")
    server = server_of(neovim)
    neovim.quit()
    server.wait(timeout=20)
    again = start_with_service()
    again.type(":Pi<CR>")
    again.sees("Half an ans")
    again.sees(":Pi continue goes on from here")
