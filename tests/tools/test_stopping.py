"""Calls that are cancelled end at once, with all that they started."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import threading
from pathlib import Path

import psutil
import pytest

from pi_lsp.tools import find as find_module
from pi_lsp.tools.threads import StopFlag, Stopped, in_thread
from tests.tools.fake_editor import Call


async def until_written(path: Path) -> str:
    """What another process wrote, once it has."""
    while True:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return text
        await asyncio.sleep(0.01)


@pytest.fixture
def hanging_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An `rg` and an `fd` that never answer; they write their process id into the file given."""
    pid_file = tmp_path / "pid"
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("rg", "fd"):
        script = programs / name
        script.write_text(
            f"#!{sys.executable}\nimport os, sys, time\n"
            "if '--help' in sys.argv: sys.exit(print('--no-require-git'))\n"
            f"print(os.getpid(), file=open({str(pid_file)!r}, 'w'), flush=True)\n"
            "time.sleep(600)\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(programs))
    return pid_file


@pytest.mark.skipif(os.name != "posix", reason="the programs are scripts")
@pytest.mark.parametrize("name", ["grep", "find"])
async def test_a_search_that_hangs_is_ended(call: Call, hanging_programs: Path, name: str):
    searching = asyncio.ensure_future(call(name, pattern="x"))
    process = psutil.Process(int(await until_written(hanging_programs)))
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    await asyncio.to_thread(psutil.wait_procs, [process], 10)
    assert not process.is_running()


async def test_a_walk_that_is_cancelled_stops(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    began, ended = threading.Event(), threading.Event()

    def endless(_root: Path, _workspace: Path, flag: StopFlag):
        began.set()
        try:
            while True:
                flag.check()
        finally:
            ended.set()
        yield  # pragma: no cover

    monkeypatch.setattr(find_module, "fd_for", lambda *_: None)
    monkeypatch.setattr(find_module, "walk", endless)
    searching = asyncio.ensure_future(call("find", pattern="x"))
    await asyncio.to_thread(began.wait)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert ended.is_set()


async def test_work_in_a_thread_gives_its_result_and_its_faults():
    assert await in_thread(lambda _flag: 3) == 3
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda _flag: 1 // 0)


def test_a_flag_that_is_set_already_calls_at_once():
    flag = StopFlag()
    flag.stop()
    called: list[bool] = []
    flag.on_stop(lambda: called.append(True))
    assert called == [True]
    with pytest.raises(Stopped):
        flag.check()
