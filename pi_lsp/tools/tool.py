"""What a tool is: its parameters, its run, its result, and what it gets to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from pi_lsp.messages import JsonObject, UserBlock
from pi_lsp.tools.editor import Editor
from pi_lsp.tools.files import FileMemory

P = TypeVar("P", bound=BaseModel)


@dataclass(frozen=True)
class ToolResult:
    """What a call gave: content for the model, details (JSON) for people and programs."""

    content: list[UserBlock]
    details: JsonObject | None = None
    is_error: bool = False

    @classmethod
    def of_text(
        cls, text: str, *, details: JsonObject | None = None, is_error: bool = False
    ) -> ToolResult:
        return cls([{"type": "text", "text": text}], details, is_error)


class ToolFault(Exception):
    """A call that could not be done; the message is told to the model as an error result.

    Args:
        message: what was wrong and what to do instead.
        details: JSON for people and programs.
    """

    def __init__(self, message: str, details: JsonObject | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


@dataclass(frozen=True)
class ShellSettings:
    """How commands run; a folder can never set these."""

    path: str | None = None
    command_prefix: str | None = None


@dataclass(frozen=True)
class ToolContext:
    """What a running call has to work with.

    Attributes:
        folder: the workspace folder, absolute, links resolved; relative paths start here.
        files: what the agent has read and written in this session, and the order on one file.
        on_output: takes text as it is printed (bash), for people to watch.
    """

    folder: Path
    editor: Editor
    files: FileMemory
    shell: ShellSettings = field(default_factory=ShellSettings)
    on_output: Callable[[str], None] = lambda _text: None


class Tool(Generic[P]):
    """One thing that the agent can do.

    A subclass sets the class variables and `run`. `Parameters` is what the model must send; its
    fields' descriptions are told to the model.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    Parameters: ClassVar[type[BaseModel]]

    @classmethod
    def prepare(cls, arguments: JsonObject) -> JsonObject:
        """Arguments as `Parameters` takes them, where what was sent is plain but off the schema."""
        return arguments

    def order_key(self, parameters: P, context: ToolContext) -> Path | None:
        """The real path of the file that this call works on, if it is one.

        Calls of one answer with the same key run in the order of the calls, approval included;
        all others run side by side.
        """
        return None

    async def run(self, parameters: P, context: ToolContext) -> ToolResult:
        """Do it. Cancelling stops it, with all that it started, in under a second.

        Raises:
            ToolFault: it could not be done; told to the model.
        """
        raise NotImplementedError


AnyTool = Tool[Any]
