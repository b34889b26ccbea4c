"""`pi-lsp doctor`: the server's own checks, shown in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pi_lsp.cli.client import Client, Launch, RequestFailedError, ServerGoneError
from pi_lsp.cli.exit_codes import ExitCode
from pi_lsp.cli.terminal import Style, Terminal

_STATUS: Mapping[str, tuple[str, Style]] = {
    "ok": ("ok", "good"),
    "warn": ("warn", "warning"),
    "error": ("error", "bad"),
}


async def run_doctor(
    folder: Path, terminal: Terminal, server_arguments: Sequence[str] = ()
) -> ExitCode:
    """Start the server in the folder, ask it how it is, and show what it says."""
    launch = Launch(folder, {"session": {"startup": "new"}}, server_arguments)
    try:
        async with Client(
            launch,
            on_event=lambda event: None,
            on_message=lambda kind, text: None,
            answers={},
        ) as client:
            health = await client.request("pi/health")
    except (RequestFailedError, ServerGoneError) as error:
        terminal.complain(str(error))
        return ExitCode.FAILED
    terminal.line(f"pi-lsp {health['version']} in {folder}", "strong")
    width = max(len(check["name"]) for check in health["checks"])
    for check in health["checks"]:
        word, style = _STATUS[check["status"]]
        status = terminal.styled(f"{word:5}", style)
        terminal.raw_line(f"{status}  {check['name']:{width}}  {check['message']}")
        if check.get("hint"):
            terminal.line(f"{'':{width + 9}}{check['hint']}", "dim")
    failed = any(check["status"] == "error" for check in health["checks"])
    return ExitCode.FAILED if failed else ExitCode.OK
