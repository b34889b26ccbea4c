"""The tool `bash`: a command in the workspace folder."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, field_validator

from pi_lsp.messages import JsonObject
from pi_lsp.tools.arguments import TextArgument
from pi_lsp.tools.shell import CommandResult, run_command
from pi_lsp.tools.tool import Access, Preview, Tool, ToolContext, ToolParameters, ToolResult

MAX_TIMEOUT_S = 24 * 60 * 60
_TITLE_LENGTH = 200


class BashParameters(ToolParameters, frozen=True):
    command: TextArgument = Field(description="The command, for bash")
    timeout: float | None = Field(
        default=None,
        gt=0,
        le=MAX_TIMEOUT_S,
        allow_inf_nan=False,
        description="Seconds after which it is stopped; no limit by default",
    )

    @field_validator("command")
    @classmethod
    def _not_blank(cls, command: str) -> str:
        if not command.strip():
            raise ValueError("the command is empty")
        return command


class Bash(Tool[BashParameters]):
    name = "bash"
    description = (
        "Run a command in the workspace folder. Its output and errors come back, at most the last "
        "2000 lines or 50 KB; longer output is kept in a file that the result names. It has no "
        "input, and ends with all that it started on timeout."
    )
    Parameters = BashParameters

    def access(self, parameters: BashParameters, folder: Path) -> Access:
        return Access("run", command=parameters.command)

    async def preview(self, parameters: BashParameters, context: ToolContext) -> Preview:
        line, *more = parameters.command.strip().splitlines()
        cut = len(line) > _TITLE_LENGTH
        return Preview(f"Run {line[:_TITLE_LENGTH]}{' …' if more or cut else ''}")

    async def run(self, parameters: BashParameters, context: ToolContext) -> ToolResult:
        result = await run_command(
            parameters.command,
            context.folder,
            context.shell,
            timeout=parameters.timeout,
            on_output=context.on_output,
        )
        note = _note(result, parameters)
        text = result.output or ("" if note else "[No output.]")
        if note:
            text = f"{text.rstrip()}\n\n[{note}]".lstrip()
        return ToolResult.of_text(text, details=_details(result), is_error=bool(note))


def _note(result: CommandResult, parameters: BashParameters) -> str:
    """Why the result is an error; empty when it is none."""
    if result.timed_out:
        return f"The command was stopped after {parameters.timeout:g} s (timeout)."
    if result.exit_code:
        return f"The command ended with code {result.exit_code}."
    return ""


def _details(result: CommandResult) -> JsonObject:
    details: JsonObject = {"exitCode": result.exit_code, "truncated": result.truncated}
    if result.full_output_path is not None:
        details["fullOutputPath"] = str(result.full_output_path)
    return details
