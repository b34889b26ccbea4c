"""Exports: what a person reads, safe whatever the conversation holds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.errors import InvalidArgumentError, StorageError
from pi_lsp.session import Session, SessionStore
from pi_lsp.session.export import export, html_of, markdown_of
from tests.session.conversation import answer, call, result, user

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "![](https://elsewhere.example/pixel.png)",
    '"><svg onload=alert(1)>',
    "</style><script>alert(1)</script>",
    "</pre></details></section><iframe src=//elsewhere.example></iframe>",
    "<a href='https://x' style='position:fixed' onclick='x()'>x</a>",
    '[x](https://elsewhere.example "title\\" onmouseover=alert(1)")',
]


class Page(HTMLParser):
    """What a browser would find in the page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def attributes(self, name: str) -> list[str]:
        return [
            value or ""
            for _, attributes in self.tags
            for key, value in attributes.items()
            if key == name
        ]


@pytest.fixture
def told(session: Session) -> Session:
    """A conversation with thinking, an edit that failed, a command, a compaction and a label."""
    reply = call("c1", "edit", {"path": "a.py", "edits": [{"oldText": "a", "newText": "b"}]})
    reply["content"].insert(0, {"type": "thinking", "thinking": "hmm"})
    reply["content"].insert(1, {"type": "text", "text": "I **edit**:\n\n```python\nx = '<b>'\n```"})
    asked = session.append_message(reply)
    session.append_label(asked.id, "important")
    edited = result("c1", "edited") | {"details": {"diff": "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b"}}
    session.append_message(edited)  # type: ignore[arg-type]
    session.append_message(result("nobody", "asked") | {"isError": True})  # type: ignore[arg-type]
    command: Any = {
        "role": "bashExecution",
        "command": "make",
        "output": "ok",
        "exitCode": 2,
        "cancelled": False,
        "truncated": False,
        "excludeFromContext": True,
        "timestamp": 1,
    }
    session.append_message(command)
    session.append_compaction(summary="# Goal", first_kept_entry_id=None, tokens_before=12345)
    session.append_message(answer("half") | {"stopReason": "aborted"})  # type: ignore[arg-type]
    session.append_name("All of it")
    return session


def test_markdown_tells_the_whole_path(told: Session) -> None:
    text = markdown_of(told)
    assert text.startswith("# All of it\n\n- Session: ")
    for part in (
        "## You\n\nfirst",
        "## pi `sonnet` (label: important)\n\n**Thinking**\n\nhmm\n\nI **edit**",
        "## edit `a.py`\n\n**Arguments**\n\n```json\n{",
        "```diff\n--- a\n+++ b",
        "## read (failed)\n\n**Error**\n\n```\nasked\n```",
        "## Your command `exit code 2` (failed)\n\n```sh\nmake\n```",
        "## Compaction `of 12,345 tokens`\n\n# Goal",
        "The answer was stopped.",
    ):
        assert part in text


def test_fences_and_ticks_outlast_what_they_hold(session: Session) -> None:
    session.append_message(call("c1", "bash", {"command": "echo `x`"}))
    session.append_message(result("c1", "````\nnot the end\n````"))
    text = markdown_of(session)
    assert "## bash `` echo `x` ``" in text
    assert "`````\n````\nnot the end\n````\n`````" in text


def test_the_page_is_one_file_that_loads_nothing(told: Session) -> None:
    html = html_of(told)
    page = Page(html)
    tags = {tag for tag, _ in page.tags}
    assert tags.isdisjoint({"script", "link", "iframe", "object", "embed", "img", "form", "base"})
    [policy] = [one.get("content") or "" for tag, one in page.tags if "http-equiv" in one]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "prefers-color-scheme: dark" in html
    assert 'class="added"' in html
    assert "<strong>edit</strong>" in html
    for text in ("All of it", "important", "12,345 tokens", "x = '<b>'", "exit code 2", "failed"):
        assert text in page.text


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_a_conversation_runs_or_loads(session: Session, attack: str) -> None:
    session.append_message(user(attack))
    session.append_message(answer(attack, model=attack))
    reply = call(attack, attack, {"path": attack, attack: attack})
    reply["errorMessage"] = attack
    reply["stopReason"] = "error"
    session.append_message(reply)
    session.append_message(result(attack, attack) | {"details": {"diff": attack}})  # type: ignore[arg-type]
    session.append_branch_summary(from_id=None, summary=attack)
    session.append_label(session.path()[2].id, attack)
    session.append_name(attack)
    page = Page(html_of(session))
    tags = {tag for tag, _ in page.tags}
    assert tags.isdisjoint({"script", "iframe", "svg", "img"})
    assert sum(tag == "style" for tag, _ in page.tags) == 1
    names = {key for _, attributes in page.tags for key in attributes}
    assert not any(name.startswith("on") or name in {"style", "src"} for name in names)
    assert all(re.match(r"https?:|mailto:", link) for link in page.attributes("href"))


def test_pictures_are_in_the_page_only_if_they_are_pictures(session: Session) -> None:
    def picture(data: str, kind: str) -> Any:
        return {"type": "image", "data": data, "mimeType": kind}

    message = user("look")
    message["content"] = [
        picture("iVBORw0KGgo=", "image/png"),
        picture("PHN2Zz4=", "image/svg+xml"),
        picture('x" onerror="alert(1)', "image/png"),
    ]
    session.append_message(message)
    assert Page(html_of(session)).attributes("src") == ["data:image/png;base64,iVBORw0KGgo="]
    assert "![image](data:image/png;base64,iVBORw0KGgo=)" in markdown_of(session)


def test_jsonl_is_the_file_as_it_stands(session: Session, tmp_path: Path) -> None:
    with session.file.open("ab") as file:
        file.write(b"damaged\n")
    session.append_message(answer("x"))
    assert export(session, "jsonl", tmp_path / "x.jsonl").read_bytes() == session.file.read_bytes()


def test_without_a_path_a_new_file_in_the_workspace_is_written(
    session: Session, folder: Path
) -> None:
    file = export(session, "markdown")
    assert file.parent == folder
    assert file.suffix == ".md"
    assert export(session, "html").suffix == ".html"


def test_a_path_is_relative_to_the_workspace_and_folders_are_made(
    session: Session, folder: Path
) -> None:
    assert export(session, "html", Path("out/talk.html")) == folder / "out" / "talk.html"
    before = (folder / "out" / "talk.html").read_text()
    session.append_message(answer("more"))
    export(session, "html", Path("out/talk.html"))
    assert (folder / "out" / "talk.html").read_text() != before


def test_an_export_never_takes_the_place_of_a_session(
    session: Session, store: SessionStore, folder: Path
) -> None:
    before = session.file.read_bytes()
    for path in (session.file, Path(".pi/sessions/new.jsonl")):
        with pytest.raises(InvalidArgumentError, match="among the sessions"):
            export(session, "jsonl", path)
    with pytest.raises(InvalidArgumentError, match="is a folder"):
        export(session, "html", Path())
    (folder / "file").write_text("x")
    with pytest.raises(StorageError):
        export(session, "html", Path("file/x.html"))
    assert session.file.read_bytes() == before


def test_a_session_without_a_file_can_be_exported(store: SessionStore, tmp_path: Path) -> None:
    session = store.create()
    session.append_model_change("demo", "demo")
    assert "*Model: demo/demo*" in markdown_of(session)
    assert export(session, "jsonl", tmp_path / "x.jsonl").read_bytes().count(b"\n") == 2


@pytest.mark.parametrize("path", ["y" * 300, "~nobody-of-this-name/x.html", "a\0b", "a\ud800"])
def test_a_path_that_no_system_takes_is_refused(session: Session, path: str) -> None:
    with pytest.raises(InvalidArgumentError):
        export(session, "html", Path(path))
