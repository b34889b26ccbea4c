"""A command that the person runs; the model reads of it with the next request."""

from __future__ import annotations

import asyncio

from pi_lsp.agent.events import BashUpdate
from pi_lsp.agent.interrupt import Aborted, Interrupt
from pi_lsp.agent.parts import RunParts
from pi_lsp.errors import InvalidArgumentError
from pi_lsp.messages import BashExecutionMessage, now_ms
from pi_lsp.tools.shell import CommandResult, run_command
from pi_lsp.tools.tool import ToolFault


async def run_shell_command(
    parts: RunParts, command: str, *, exclude_from_context: bool, interrupt: Interrupt
) -> BashExecutionMessage:
    """Run it in the workspace folder, and record it with what it printed, stopped or not.

    Args:
        exclude_from_context: keep it from the model.

    Raises:
        InvalidArgumentError: the command is empty, or could not be started.
        Aborted: it was stopped; what it printed is recorded.
    """
    if not command.strip():
        raise InvalidArgumentError("There is no command to run.")
    running = asyncio.ensure_future(
        run_command(
            command,
            parts.tools.folder,
            parts.tools.shell,
            on_output=lambda text: parts.emit(BashUpdate(delta=text)),
            stop=interrupt.stop,
        )
    )
    try:
        result = await asyncio.shield(running)
    except asyncio.CancelledError:
        interrupt.request()
        await _record(parts, command, await running, exclude_from_context)
        raise
    except ToolFault as fault:
        raise InvalidArgumentError(fault.message) from fault
    message = await _record(parts, command, result, exclude_from_context)
    if result.cancelled:
        raise Aborted
    return message


async def _record(
    parts: RunParts, command: str, result: CommandResult, exclude_from_context: bool
) -> BashExecutionMessage:
    message: BashExecutionMessage = {
        "role": "bashExecution",
        "command": command,
        "output": result.output,
        "exitCode": result.exit_code,
        "cancelled": result.cancelled,
        "truncated": result.truncated,
        "timestamp": now_ms(),
    }
    if result.full_output_path is not None:
        message["fullOutputPath"] = str(result.full_output_path)
    if exclude_from_context:
        message["excludeFromContext"] = True
    parts.recorder.message(message)
    await parts.recorder.sync()
    parts.context_use.measure_soon()
    return message
