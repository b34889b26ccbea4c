"""What is attached to a message, as the model gets it."""

from __future__ import annotations

import base64
import os
import sys
from pathlib import Path

import pytest

from pi_lsp.agent.events import Attachment
from pi_lsp.errors import InvalidArgumentError, NotFoundError, StorageError
from pi_lsp.messages import UserBlock
from pi_lsp.server.attachments import Attachments
from pi_lsp.server.open_documents import OpenDocuments

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def documents() -> OpenDocuments:
    return OpenDocuments()


@pytest.fixture
def attachments(tmp_path: Path, documents: OpenDocuments) -> Attachments:
    return Attachments(tmp_path, documents)


def attachment(uri: str, *lines: tuple[int, int]) -> Attachment:
    members: dict[str, object] = {"uri": uri}
    if lines:
        (start, end) = lines
        members["range"] = {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        }
    return Attachment.model_validate(members)


def text(block: UserBlock) -> str:
    assert block["type"] == "text"
    return block["text"]


async def test_a_file_with_its_path(attachments: Attachments, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    file = tmp_path / "src" / "a.py"
    file.write_text("one\ntwo\n")
    assert text(await attachments.render(attachment(file.as_uri()))) == (
        '<file path="src/a.py">\none\ntwo\n</file>'
    )


async def test_the_lines_that_a_selection_touches(attachments: Attachments, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one\ntwo\nthree\nfour\n")
    chosen = await attachments.render(attachment(file.as_uri(), (1, 2), (3, 0)))
    assert text(chosen) == '<file path="a.py" lines="2-3">\ntwo\nthree\n</file>'
    beyond = await attachments.render(attachment(file.as_uri(), (90, 0), (99, 9)))
    assert text(beyond) == '<file path="a.py" lines="5-5">\n\n</file>'


async def test_the_buffer_counts_before_the_disk(
    attachments: Attachments, documents: OpenDocuments, tmp_path: Path
) -> None:
    file = tmp_path / "a.py"
    file.write_text("saved\n")
    documents.open(file.as_uri(), "typed\n", 3)
    assert "typed" in text(await attachments.render(attachment(file.as_uri())))


async def test_a_document_that_is_no_file(
    attachments: Attachments, documents: OpenDocuments
) -> None:
    documents.open("untitled:Untitled-1", "draft", 1)
    assert "draft" in text(await attachments.render(attachment("untitled:Untitled-1")))


async def test_a_picture_goes_as_a_picture(attachments: Attachments, tmp_path: Path) -> None:
    file = tmp_path / "dot.dat"
    file.write_bytes(PIXEL)
    block = await attachments.render(attachment(file.as_uri()))
    assert block["type"] == "image"
    assert block["mimeType"] == "image/png"


async def test_a_long_file_is_cut(attachments: Attachments, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("x\n" * 5000)
    assert "cut after 2000 lines" in text(await attachments.render(attachment(file.as_uri())))


async def test_what_cannot_be_attached_is_said(attachments: Attachments, tmp_path: Path) -> None:
    binary = tmp_path / "a.bin"
    binary.write_bytes(b"a\0b")
    with pytest.raises(InvalidArgumentError):
        await attachments.render(attachment(binary.as_uri()))
    with pytest.raises(NotFoundError):
        await attachments.render(attachment((tmp_path / "none").as_uri()))
    with pytest.raises(NotFoundError):
        await attachments.render(attachment("untitled:closed"))
    with pytest.raises(NotFoundError):
        await attachments.render(attachment("file:///%00"))


async def test_a_file_that_is_too_large_is_left_to_the_agent(
    attachments: Attachments, tmp_path: Path
) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(21 * 1024 * 1024)
    with pytest.raises(InvalidArgumentError, match="too large"):
        await attachments.render(attachment(large.as_uri()))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither in its folders")
async def test_a_pipe_or_a_device_is_refused_and_never_read(
    attachments: Attachments, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        with pytest.raises(StorageError, match="no regular file"):
            await attachments.render(attachment((tmp_path / name).as_uri()))
