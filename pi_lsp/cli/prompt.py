"""`pi-lsp prompt`: one prompt, run by the real server as an editor would have it run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from pi_lsp.cli.approval import Approver
from pi_lsp.cli.client import Client, Launch, RequestFailedError, ServerGoneError
from pi_lsp.cli.exit_codes import ExitCode
from pi_lsp.cli.interrupts import on_ctrl_c
from pi_lsp.cli.run_display import RunDisplay
from pi_lsp.cli.terminal import Terminal, shown_path
from pi_lsp.messages import JsonObject

_WARNING = 2
"""`window/showMessage` types from 1 (error) to this one are shown."""


@dataclass(frozen=True)
class PromptOptions:
    """What the command line said.

    Attributes:
        model: `provider/id`, or an id alone; None for the session's own.
        startup: `continue` or `new`; None for the settings' own.
        trust: trust the folder for this once.
        quiet: show only the answer.
        server_arguments: for the server's command line.
    """

    text: str
    folder: Path
    model: str | None = None
    thinking: str | None = None
    approval: str | None = None
    startup: str | None = None
    session: str | None = None
    trust: bool = False
    quiet: bool = False
    server_arguments: Sequence[str] = ()

    def settings(self) -> JsonObject:
        """As the settings of a client."""
        settings: JsonObject = {}
        if self.approval:
            settings["approval"] = {"mode": self.approval}
        if self.startup:
            settings["session"] = {"startup": self.startup}
        if self.trust:
            settings["trusted"] = True
        return settings


async def run_prompt(options: PromptOptions, terminal: Terminal) -> ExitCode:
    """Run it, show it, and say how it ended."""
    run = _PromptRun(options, terminal)
    try:
        with on_ctrl_c(run.interrupt):
            return await run.run()
    except asyncio.CancelledError:
        return ExitCode.INTERRUPTED
    except (RequestFailedError, ServerGoneError) as error:
        terminal.complain(str(error))
        return ExitCode.FAILED


class _PromptRun:
    def __init__(self, options: PromptOptions, terminal: Terminal) -> None:
        self._options = options
        self._terminal = terminal
        self._display = RunDisplay(terminal, quiet=options.quiet)
        self._settled: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._task = asyncio.current_task()
        self._running: Client | None = None
        self._stopping: asyncio.Task[None] | None = None

    async def run(self) -> ExitCode:
        options = self._options
        launch = Launch(options.folder, options.settings(), options.server_arguments)
        async with Client(
            launch,
            on_event=self._on_event,
            on_message=self._on_message,
            answers={"pi/approve": Approver(self._terminal)},
        ) as client:
            await self._prepare(client)
            await client.request("pi/prompt", {"text": options.text})
            self._running = client
            settled = await self._until_settled(client)
            self._show_end(await client.request("pi/state"))
            return self._exit_code(settled)

    def interrupt(self) -> None:
        """Ctrl-C: a run is asked to stop; a second one, or one without a run, ends all at once."""
        if self._running is not None and self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(self._running))
        elif self._task is not None:
            self._task.cancel()

    async def _prepare(self, client: Client) -> None:
        """Take the session, the model and the thinking level that were asked for."""
        options = self._options
        if options.session:
            await client.request("pi/switchSession", {"sessionId": options.session})
        state = await client.request("pi/state")
        if not state["trusted"] and not options.quiet:
            self._terminal.complain(
                "This folder is not trusted: its settings, instructions and earlier sessions are "
                "not read (--trust reads them for this once).",
                "warning",
            )
        for warning in state["warnings"]:
            self._terminal.complain(warning, "warning")
        if options.model:
            await client.request("pi/setModel", await _find_model(client, options.model))
        if options.thinking:
            await client.request("pi/setThinkingLevel", {"level": options.thinking})

    async def _until_settled(self, client: Client) -> JsonObject:
        """The `settled` event."""
        gone = asyncio.create_task(client.gone())
        try:
            await asyncio.wait({self._settled, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                gone.result()
        finally:
            gone.cancel()
        if not self._settled.done():
            raise ServerGoneError("The server ended in the middle of the run; its log says why.")
        return self._settled.result()

    async def _stop(self, client: Client) -> None:
        self._terminal.complain("Stopping… (Ctrl-C again to end at once)", "warning")
        with contextlib.suppress(ServerGoneError):  # then there is nothing left to stop
            await client.request("pi/abort")

    def _on_event(self, event: JsonObject) -> None:
        self._display.show(event)
        if event["type"] == "settled" and not self._settled.done():
            self._settled.set_result(event)

    def _on_message(self, kind: int, text: str) -> None:
        if kind <= _WARNING:
            self._terminal.complain(text, "warning")

    def _show_end(self, state: JsonObject) -> None:
        """Where the conversation stands now."""
        self._terminal.end_line()
        if self._options.quiet:
            return
        model, context = state["model"], state["context"]
        self._terminal.line()
        self._terminal.line(
            f"session  {shown_path(Path(state['file']), self._options.folder)}", "dim"
        )
        thinking = f", thinking {state['thinkingLevel']}" if model["reasoning"] else ""
        self._terminal.line(f"model    {model['provider']}/{model['id']}{thinking}", "dim")
        if context["tokens"] is not None:
            self._terminal.line(
                f"context  {context['tokens']:,} of {context['window']:,} tokens "
                f"({context['percent']:.0f} %), ${state['usage']['cost']:.4f}",
                "dim",
            )

    def _exit_code(self, settled: JsonObject) -> ExitCode:
        if settled["aborted"]:
            self._terminal.complain("Stopped.", "warning")
            return ExitCode.INTERRUPTED
        if settled.get("error"):
            self._terminal.complain(settled["error"])
            return ExitCode.FAILED
        return ExitCode.OK


async def _find_model(client: Client, name: str) -> JsonObject:
    """The params of `pi/setModel` for a name on the command line.

    Raises:
        click.UsageError: there is no such model, or several.
    """
    models = (await client.request("pi/models"))["models"]
    found = [
        model for model in models if name in (model["id"], f"{model['provider']}/{model['id']}")
    ]
    if len(found) != 1:
        known = ", ".join(f"{model['provider']}/{model['id']}" for model in found or models)
        fault = "There are several models" if found else "There is no model"
        raise click.UsageError(f"{fault} “{name}”: {known}.")
    return {"provider": found[0]["provider"], "modelId": found[0]["id"]}
