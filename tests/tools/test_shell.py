"""Commands: what they print, how they end, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from pi_lsp.tools import command_output
from pi_lsp.tools.command_output import CommandOutput, is_command_output
from pi_lsp.tools.shell import CommandResult, run_command
from pi_lsp.tools.tool import ShellSettings, ToolFault
from pi_lsp.tools.truncation import MAX_BYTES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the commands are for POSIX shells")

HANG = f'"{sys.executable}" -c "import time; time.sleep(600)"'
"""A command that never ends; it is a program of its own, not the shell."""


@pytest.fixture
def run(folder: Path):
    async def run(
        command: str,
        settings: ShellSettings | None = None,
        timeout: float | None = None,
        stop: asyncio.Event | None = None,
        printed: list[str] | None = None,
    ) -> CommandResult:
        return await run_command(
            command,
            folder,
            settings or ShellSettings(),
            timeout=timeout,
            stop=stop,
            on_output=(printed if printed is not None else []).append,
        )

    return run


async def gone(pid_file: Path) -> bool:
    """Whether the process that wrote its id ends; its parent may still have to notice."""
    pid = int(pid_file.read_text())
    for _ in range(500):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        await asyncio.sleep(0.01)
    return False


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    while True:
        if condition():
            return
        await asyncio.sleep(0.01)


def written(path: Path) -> bool:
    """Whether a command has written a line to a file."""
    return path.exists() and path.read_text().endswith("\n")


async def test_output_and_errors_come_in_their_order(run):
    result = await run("echo one; echo two >&2; echo three; exit 4")
    assert (result.output, result.exit_code) == ("one\ntwo\nthree\n", 4)
    assert not result.truncated


async def test_it_runs_in_the_folder(run, folder: Path):
    assert (await run("pwd -P")).output == f"{folder}\n"


async def test_a_signal_is_128_and_its_number(run):
    assert (await run("kill -9 $$")).exit_code == 137
    assert (await run("bash -c 'kill -15 $$'")).exit_code == 143


async def test_there_is_nothing_to_read(run):
    assert (await run("cat; echo done")).output == "done\n"


async def test_a_background_child_that_holds_the_pipe_is_not_waited_for(run, folder: Path):
    result = await asyncio.wait_for(run(f"{HANG} & echo $! > pid; echo started"), 10)
    assert result.output == "started\n"
    child = psutil.Process(int((folder / "pid").read_text()))
    assert child.is_running()
    child.kill()


async def test_a_timeout_kills_all_and_keeps_what_was_printed(run, folder: Path):
    script = f"echo before; trap '' TERM; ({HANG} & echo $! > pid; wait); echo after"
    result = await run(script, timeout=0.5)
    assert result.timed_out
    assert result.exit_code is None
    assert result.output == "before\n"
    assert await gone(folder / "pid")


async def test_a_child_in_a_session_of_its_own_is_killed_too(run, folder: Path):
    (folder / "own.py").write_text(
        "import os, time\nos.setsid()\nprint(os.getpid(), file=open('pid', 'w'), flush=True)\n"
        "time.sleep(600)\n"
    )
    stop = asyncio.Event()
    running = asyncio.ensure_future(run(f'"{sys.executable}" own.py; true', stop=stop))
    await until(lambda: written(folder / "pid"))
    stop.set()
    assert (await running).cancelled
    assert await gone(folder / "pid")


async def test_an_orphan_whose_parent_has_ended_is_killed_too(run, folder: Path):
    assert (await run(f"(({HANG}) & echo $! > pid) ; {HANG}", timeout=0.5)).timed_out
    assert await gone(folder / "pid")


async def test_cancelling_kills_all_and_starts_nothing_more(run, folder: Path):
    running = asyncio.ensure_future(run(f"echo $$ > pid; {HANG}; touch next"))
    await until(lambda: written(folder / "pid"))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await gone(folder / "pid")
    assert not (folder / "next").exists()


async def test_stopping_gives_what_was_printed(run, folder: Path):
    stop = asyncio.Event()
    running = asyncio.ensure_future(run(f"echo so far; echo $$ > pid; {HANG}", stop=stop))
    await until(lambda: written(folder / "pid"))
    stop.set()
    result = await running
    assert result.cancelled
    assert not result.timed_out
    assert result.output == "so far\n"
    assert await gone(folder / "pid")


async def test_output_is_shown_while_it_runs(run, folder: Path):
    printed: list[str] = []
    running = asyncio.ensure_future(
        run("echo one; until [ -e go ]; do sleep 0.02; done; printf 'ü%.0s' 1 2 3", printed=printed)
    )
    await until(lambda: "".join(printed) == "one\n")
    (folder / "go").touch()
    await running
    assert "".join(printed) == "one\nüüü"


async def test_a_flood_is_shown_in_pieces_that_can_be_read(run):
    printed: list[str] = []
    result = await run("seq 1 200000", printed=printed)
    shown = "".join(printed)
    assert "characters are not shown here" in shown
    assert shown.endswith("199999\n200000\n")
    assert max(map(len, printed)) < 20_000
    assert result.truncated


async def test_long_output_keeps_its_end_and_names_the_file_with_all_of_it(run):
    result = await run("seq 1 5000")
    shown, note = result.output.split("\n\n")
    assert shown.split("\n") == [str(n) for n in range(3001, 5001)]
    assert result.full_output_path is not None
    assert note == (f"[Lines 3001-5000 of 5000 are shown. Full output: {result.full_output_path}]")
    assert result.full_output_path.read_text() == "".join(f"{n}\n" for n in range(1, 5001))
    assert result.full_output_path.stat().st_mode & 0o777 == 0o600
    assert result.full_output_path.parent.stat().st_mode & 0o777 == 0o700
    assert is_command_output(result.full_output_path)


async def test_output_of_just_2000_lines_is_not_cut(run):
    result = await run("seq 1 2000")
    assert not result.truncated
    assert result.output.startswith("1\n")


async def test_one_endless_line_gives_its_end(run):
    result = await run("head -c 300000 /dev/zero | tr '\\0' x; printf end")
    shown, note = result.output.split("\n\n")
    assert shown.endswith("xend")
    assert len(shown) == MAX_BYTES
    assert "last 50 KB of line 1" in note


async def test_characters_that_are_split_between_reads_are_joined(run):
    result = await run("printf '\\303'; sleep 0.1; printf '\\274\\n'")
    assert result.output == "ü\n"


async def test_what_is_no_text_is_replaced(run):
    assert (await run("printf 'a\\377b\\000c'")).output == "a\ufffdb\ufffdc"


async def test_colours_are_taken_away(run):
    assert (await run("printf '\\033[1;31mred\\033[0m\\r\\n'")).output == "red\n"


async def test_a_full_disk_does_not_stop_the_command(run, monkeypatch: pytest.MonkeyPatch):
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(command_output, "_new_file", full)
    result = await run("seq 1 5000; exit 3")
    assert result.exit_code == 3
    assert "could not be kept: [Errno 28]" in result.output


def test_a_command_that_never_stops_fills_no_disk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(command_output, "MAX_FILE_BYTES", 1_000_000)
    output = CommandOutput(lambda _text: None)
    for _ in range(200):
        output.add(b"y\n" * 10_000)
    output.close()
    assert output.full_path is not None
    assert output.full_path.stat().st_size <= 1_100_000
    assert "The first 0 MB" in output.tail()


async def test_commands_do_not_see_keys(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("MY_KEY", "also-secret")
    monkeypatch.setenv("HARMLESS", "seen")
    settings = ShellSettings(hidden_variables=ShellSettings().hidden_variables | {"MY_KEY"})
    output = (await run("env", settings)).output
    assert "secret" not in output
    assert "HARMLESS=seen" in output


async def test_the_shell_and_a_prefix_can_be_set(run):
    settings = ShellSettings(path="/bin/sh", command_prefix="greeting=hello")
    assert (await run('echo "$greeting $0"', settings)).output == "hello /bin/sh\n"


async def test_a_missing_shell_or_folder_is_a_clear_error(run, folder: Path):
    with pytest.raises(ToolFault, match="shellPath"):
        await run("true", ShellSettings(path="/no/such/shell"))
    folder.rmdir()
    with pytest.raises(ToolFault, match="does not exist"):
        await run("true")


def test_a_server_that_ends_leaves_nothing_running(folder: Path):
    script = f"""
import asyncio
from pathlib import Path
from pi_lsp.tools.shell import run_command
from pi_lsp.tools.tool import ShellSettings

async def main():
    await run_command({HANG!r} + " & echo $! > left-behind", Path("."), ShellSettings())
    asyncio.ensure_future(
        run_command("echo $$ > running; " + {HANG!r}, Path("."), ShellSettings())
    )
    while not Path("running").exists():
        await asyncio.sleep(0.01)

asyncio.run(main())
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True, env=environment)
    assert asyncio.run(gone_both(folder))


async def gone_both(folder: Path) -> bool:
    return await gone(folder / "left-behind") and await gone(folder / "running")
