"""What a person does over and over."""

from __future__ import annotations

from tests.nvim.neovim import Neovim

_HAS = (
    "table.concat(vim.api.nvim_buf_get_lines("
    "require('pi.chats').present().transcript.buf, 0, -1, true), ' '):find('{}', 1, true) ~= nil"
)


def opened(neovim: Neovim) -> Neovim:
    """Open an empty chat; the cursor is in its input."""
    neovim.type(":Pi<CR>")
    neovim.sees("Ask pi anything")
    return neovim


def ask(neovim: Neovim, text: str) -> None:
    """Write in the input, which has the cursor, and send."""
    neovim.type(f"i{text}<Esc><CR>")


def is_idle(neovim: Neovim) -> None:
    """Wait until pi has nothing to do."""
    neovim.waits_for("require('pi.chats').present():is_busy()", False)


def transcript_has(neovim: Neovim, text: str, holds: bool = True) -> None:
    """Wait until a text stands, or no longer stands, in the transcript, seen or not."""
    neovim.waits_for(_HAS.format(text), holds)
