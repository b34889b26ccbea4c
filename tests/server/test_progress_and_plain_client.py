"""What an editor shows by itself: progress, and without a plugin the answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.request import url2pathname

import pytest

from pi_lsp.agent.events import (
    AgentStart,
    CompactionEnd,
    CompactionStart,
    ErrorEvent,
    MessageEnd,
    Settled,
    ToolExecutionStart,
)
from pi_lsp.messages import JsonObject
from pi_lsp.server.client_abilities import ClientAbilities
from pi_lsp.server.plain_client import PlainClient
from pi_lsp.server.progress import Progress
from pi_lsp.server.text_viewer import TextViewer
from pi_lsp.server.virtual_documents import VirtualDocuments
from tests.server.conftest import FakeEditor


def viewer(editor: FakeEditor) -> TextViewer:
    return TextViewer(editor.client, VirtualDocuments(lambda *_: None))


SETTLED = Settled(aborted=False, next_turn_count=0)


def kinds(editor: FakeEditor) -> list[str]:
    return [params["value"]["kind"] for method, params in editor.told if method == "$/progress"]


async def created(editor: FakeEditor) -> str:
    """Wait until the editor was asked for a progress and had time to begin it."""
    for _ in range(3):
        await asyncio.sleep(0)
    return editor.asked[-1][1]["token"]


async def test_a_run_is_a_progress_that_can_be_stopped(editor: FakeEditor) -> None:
    stopped: list[bool] = []
    editor.answers["window/workDoneProgress/create"] = lambda _: None
    progress = Progress(editor.client, lambda: stopped.append(True))
    progress.take(AgentStart())
    token = await created(editor)
    progress.take(ToolExecutionStart(tool_call_id="c", tool_name="bash", args={}))
    progress.cancel("another")
    assert stopped == []
    progress.cancel(token)
    assert stopped == [True]
    progress.take(SETTLED)
    progress.cancel(token)
    assert stopped == [True]
    assert kinds(editor) == ["begin", "report", "end"]


async def test_a_compaction_between_runs_is_one_too(editor: FakeEditor) -> None:
    editor.answers["window/workDoneProgress/create"] = lambda _: None
    progress = Progress(editor.client, lambda: None)
    progress.take(CompactionStart(reason="manual"))
    await created(editor)
    progress.take(CompactionEnd(reason="manual", aborted=False))
    assert kinds(editor) == ["begin", "end"]


async def test_an_editor_that_refuses_or_cannot_show_progress_sees_none(
    editor: FakeEditor,
) -> None:
    progress = Progress(editor.client, lambda: None)
    progress.take(AgentStart())
    await created(editor)
    progress.take(SETTLED)
    editor.client.abilities = ClientAbilities()
    progress.take(AgentStart())
    progress.take(SETTLED)
    assert kinds(editor) == []
    assert len(editor.asked) == 1


def message(role: str, content: list[JsonObject]) -> MessageEnd:
    return MessageEnd(message={"role": role, "content": content}, entry_id="e")


RUN = [
    AgentStart(),
    message("user", [{"type": "text", "text": "why?\nsay"}, {"type": "text", "text": "<file>"}]),
    message(
        "assistant",
        [
            {"type": "text", "text": "I look."},
            {"type": "toolCall", "name": "read", "arguments": {"path": "a.py"}},
        ],
    ),
    message("toolResult", [{"type": "text", "text": "secret"}]),
    message("assistant", [{"type": "text", "text": "**So**."}]),
    SETTLED,
]
ANSWER = "> why?\n> say\n\nI look.\n\n- `read a.py`\n\n**So**.\n"


async def shown(editor: FakeEditor, plain: PlainClient) -> None:
    for event in RUN:
        plain.take(event)
    await asyncio.gather(*plain._tasks)


async def test_the_answer_is_shown_as_a_document(editor: FakeEditor) -> None:
    editor.is_plain()
    editor.answers["window/showDocument"] = lambda _: {"success": True}
    opening = viewer(editor)
    plain = PlainClient(editor.client, opening)
    await shown(editor, plain)
    path = Path(url2pathname(editor.asked[0][1]["uri"].removeprefix("file://")))
    assert path.read_text() == ANSWER
    assert path.suffix == ".md"
    opening.close()
    assert not path.exists()


async def test_an_editor_that_opens_pi_documents_needs_no_file(editor: FakeEditor) -> None:
    editor.client.abilities = ClientAbilities.of(
        {
            "window": {"showDocument": {"support": True}},
            "workspace": {"textDocumentContent": {}},
        }
    )
    editor.answers["window/showDocument"] = lambda _: {"success": True}
    texts = VirtualDocuments(lambda *_: None)
    await shown(editor, PlainClient(editor.client, TextViewer(editor.client, texts)))
    assert texts.text(editor.asked[0][1]["uri"]) == ANSWER


@pytest.mark.parametrize("can_show", [True, False])
async def test_else_the_answer_is_a_message(editor: FakeEditor, can_show: bool) -> None:
    editor.is_plain()
    if not can_show:
        editor.client.abilities = ClientAbilities()
    plain = PlainClient(editor.client, viewer(editor))
    await shown(editor, plain)
    assert editor.told == [("window/showMessage", {"type": 3, "message": ANSWER})]


async def test_an_error_is_a_message(editor: FakeEditor) -> None:
    editor.is_plain()
    plain = PlainClient(editor.client, viewer(editor))
    plain.take(ErrorEvent(code="auth", message="There is no key."))
    assert editor.told == [("window/showMessage", {"type": 1, "message": "pi: There is no key."})]


async def test_an_editor_with_a_plugin_draws_by_itself(editor: FakeEditor) -> None:
    plain = PlainClient(editor.client, viewer(editor))
    await shown(editor, plain)
    assert editor.asked == editor.told == []
