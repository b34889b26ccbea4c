"""Sessions, models and modes, by the subcommands of `:Pi`."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.messages_api import MessagesApi, Text
from tests.nvim.conftest import Shoot, StartNeovim
from tests.nvim.neovim import Neovim
from tests.nvim.person import ask, is_idle, opened, transcript_has


def test_a_new_session_is_named_and_the_old_one_found_again(talking: Neovim) -> None:
    talking.command("Pi rename Kettle talk")
    talking.sees(" Kettle talk")
    talking.command("Pi new")
    transcript_has(talking, "First answer.", False)
    talking.command("Pi sessions")
    talking.sees("Kettle talk")
    talking.type("2<CR>" if "2: Kettle talk" in talking.look() else "1<CR>")
    talking.sees("First answer.")


def test_a_session_is_deleted_only_after_a_second_thought(talking: Neovim, folder: Path) -> None:
    talking.command("Pi clone")
    talking.sees("the old session is unchanged")
    talking.command("Pi delete")
    talking.sees("Delete which session?")
    talking.type("1<CR>")
    talking.sees("Keep it")
    talking.type("2<CR>")
    talking.sees("pi: deleted")
    assert len(list((folder / ".pi" / "sessions").glob("*.jsonl"))) == 1


def test_a_fork_begins_before_a_message_and_gives_its_text_back(talking: Neovim) -> None:
    talking.command("Pi fork")
    talking.sees("Fork before which message?")
    talking.type("1<CR>")
    talking.sees("the old one is unchanged")
    transcript_has(talking, "First answer.", False)
    assert "first question" in talking.buffer_text("input")


@pytest.mark.parametrize(("style", "sign"), [("markdown", "First answer."), ("html", "<html")])
def test_a_conversation_is_exported(talking: Neovim, tmp_path: Path, style: str, sign: str) -> None:
    target = tmp_path / f"talk.{style}"
    talking.command(f"Pi export {style} {target}")
    talking.sees("exported to")
    assert sign in target.read_text(encoding="utf-8")


def test_the_model_and_its_thinking_are_chosen(talking: Neovim) -> None:
    talking.command("Pi model demo/demo")
    talking.sees("demo · ")
    talking.command("Pi model no-such-model")
    talking.sees("there is no model no-such-model")
    talking.command("Pi model claude-haiku-4-5")
    talking.sees("claude-haiku-4-5")
    talking.command("Pi thinking high")
    talking.waits_for("require('pi.chats').present().state.thinkingLevel", "high")


def test_modes_of_queues_and_approvals_are_chosen_from_a_list(talking: Neovim) -> None:
    talking.command("Pi queue")
    talking.sees("follow-ups: all at once")
    talking.type("4<CR>")
    talking.sees("follow-ups: all")
    talking.command("Pi approvals readonly")
    talking.sees("nothing may be changed")
    talking.waits_for("require('pi.chats').present().state.approvalMode", "readonly")


def test_a_word_for_later_goes_out_with_the_next_prompt(
    talking: Neovim, service: MessagesApi
) -> None:
    talking.command("Pi next and be brief")
    talking.sees("next prompt and be brief")
    service.reply(Text("Short."))
    talking.type("<Esc><C-w>b")
    ask(talking, "second question")
    talking.sees("Short.")
    talking.sees_no("next prompt and be brief")
    sent = str(service.requests[1].body["messages"][-1])
    assert sent.find("be brief") < sent.find("second question")
    assert "be brief" in sent


def test_the_past_is_compacted_with_instructions(
    start_with_service: StartNeovim, service: MessagesApi, shoot: Shoot
) -> None:
    service.reply(Text("First answer. " * 40))
    service.reply(Text("Second answer."))
    for _ in range(2):  # the past, and the first part of the turn that the cut falls into
        service.reply(Text("## Goal\nA **better** kettle.\n\n## Next Steps\nBoil."))
    few = "compaction = { keepRecentTokens = 10 }"
    neovim = opened(start_with_service(f"settings = {{ trusted = true, {few} }}"))
    ask(neovim, "first question")
    neovim.sees("First answer.")
    is_idle(neovim)
    ask(neovim, "second question")
    neovim.sees("Second answer.")
    is_idle(neovim)
    neovim.command("Pi compact look at the kettle")
    neovim.sees("tokens into a summary")
    assert "look at the kettle" in str(service.requests[2].body["messages"])
    neovim.type("<C-w>tG<C-w>l<C-w>k?Compacted<CR>")
    neovim.sees("A better kettle.")
    shoot(neovim, "summary")


def test_a_picture_goes_with_the_message(
    talking: Neovim, service: MessagesApi, tmp_path: Path
) -> None:
    picture = tmp_path / "dot.png"
    picture.write_bytes(
        base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
            "rkJggg=="
        )
    )
    talking.command(f"Pi image {picture}")
    talking.sees("+ dot.png")
    service.reply(Text("A dot."))
    ask(talking, "what is this")
    talking.sees("A dot.")
    talking.sees("[picture, image/png]")
    assert "'image'" in str(service.requests[1].body["messages"][-1])


def test_figures_of_the_session_are_shown(talking: Neovim) -> None:
    talking.command("Pi stats")
    talking.sees("your messages     1")
    talking.sees("cost")
