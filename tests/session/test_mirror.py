"""A large session file is copied while it is already read, and no longer needed after that."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.session import mirror as module
from pi_lsp.session.mirror import IN_MEMORY_LIMIT, Mirror

LINES = [b"%d " % number + b"x" * 50 for number in range(1000)]
CONTENT = b"".join(line + b"\n" for line in LINES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(CONTENT)
    return path


def take_over(file: Path) -> Mirror:
    mirror = Mirror(IN_MEMORY_LIMIT + 1, file.parent)
    mirror.take_over(file.open("rb", buffering=0), len(CONTENT))
    return mirror


@pytest.fixture
def may_copy(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The copying waits for this."""
    event, copy = threading.Event(), module._copy_bytes

    def copy_late(source: int, target: int, size: int) -> int:
        event.wait()
        return copy(source, target, size)

    monkeypatch.setattr(module, "_copy_bytes", copy_late)
    return event


def test_it_is_read_while_it_is_copied_and_goes_on_growing(
    file: Path, may_copy: threading.Event
) -> None:
    mirror = take_over(file)
    mirror.append(b"more\n")
    assert [line for _, line in mirror.lines()] == [*LINES, b"more"]
    assert mirror.read(len(CONTENT) - 3, 6) == b"xx\nmor"
    may_copy.set()
    mirror.settle()
    assert b"".join(mirror.blocks()) == CONTENT + b"more\n"
    mirror.close()


def test_once_copied_the_original_may_be_cut(file: Path) -> None:
    mirror = take_over(file)
    mirror.settle()
    file.write_bytes(b"")
    assert b"".join(mirror.blocks()) == CONTENT
    mirror.close()


def test_an_original_that_is_cut_while_it_is_copied_is_told(
    file: Path, may_copy: threading.Event
) -> None:
    mirror = take_over(file)
    file.write_bytes(CONTENT[:100])
    may_copy.set()
    with pytest.raises(OSError, match="while it was opened"):
        mirror.settle()
    mirror.close()


@pytest.mark.parametrize("system", ["copies ranges", "copies none", "has no room"])
def test_it_is_whole_however_the_system_copies(
    file: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals: dict[str, Callable[[], None]] = {
        "copies ranges": lambda: None,
        "copies none": lambda: monkeypatch.setattr("os.copy_file_range", refuse, raising=False),
        "has no room": lambda: monkeypatch.setattr(module, "_copy_bytes", refuse),
    }
    refusals[system]()
    mirror = take_over(file)
    mirror.settle()
    mirror.append(b"more\n")
    assert b"".join(mirror.blocks()) == CONTENT + b"more\n"
    mirror.close()


def test_what_is_closed_while_it_is_copied_writes_nowhere_else(
    file: Path, tmp_path: Path, may_copy: threading.Event
) -> None:
    mirror = take_over(file)
    mirror.close()
    others = [(tmp_path / str(number)).open("wb") for number in range(8)]
    may_copy.set()
    mirror.settle()
    for other in others:
        other.close()
        assert Path(other.name).stat().st_size == 0


def refuse(*_arguments: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")
