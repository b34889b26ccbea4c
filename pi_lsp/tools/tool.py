"""What a tool is: its parameters, its run, its result, and what it gets to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from pi_lsp.messages import JsonObject, UserBlock
from pi_lsp.tools.characters import without_lone_surrogates
from pi_lsp.tools.editor import Editor
from pi_lsp.tools.files import FileMemory

P = TypeVar("P", bound=BaseModel)


class ToolParameters(BaseModel, frozen=True):
    """What a model sends; members that we do not know are ignored, null counts as left out."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        extra="ignore",
        defer_build=True,
    )


@dataclass(frozen=True)
class Access:
    """What a call would touch: what approval judges.

    Attributes:
        kind: whether it reads files, changes one, or runs a command.
        named: the path as the model named it, absolute, links not resolved; None for a command.
        real: the same with all links resolved.
        command: for `run`.
    """

    kind: Literal["read", "write", "run"]
    named: Path | None = None
    real: Path | None = None
    command: str | None = None


@dataclass(frozen=True)
class Preview:
    """What a call would do, for the person who is asked; `before` and `after`: the file's text."""

    title: str
    before: str | None = None
    after: str | None = None
    diff: str | None = None


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
        """A result of text; what is no Unicode in it (names of files, say) is replaced."""
        return cls([{"type": "text", "text": without_lone_surrogates(text)}], details, is_error)


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


KEY_VARIABLES = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_OAUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
    }
)
"""Variables that hold a key of a model's service."""


@dataclass(frozen=True)
class ShellSettings:
    """How commands run; a folder can never set these.

    Attributes:
        path: the shell; None for bash, or sh where there is none.
        command_prefix: a line that is put before every command.
        hidden_variables: what commands do not get from the server's environment: keys.
    """

    path: str | None = None
    command_prefix: str | None = None
    hidden_variables: frozenset[str] = KEY_VARIABLES


@dataclass(frozen=True)
class ToolContext:
    """What a running call has to work with.

    Attributes:
        folder: the workspace folder, absolute, links resolved; relative paths start here.
        files: what the agent has read and written in this session.
        on_output: takes text as it is printed (bash), for people to watch.
        may_search: whether a search may look into a file, by its real path.
    """

    folder: Path
    editor: Editor
    files: FileMemory
    shell: ShellSettings = field(default_factory=ShellSettings)
    on_output: Callable[[str], None] = lambda _text: None
    may_search: Callable[[Path], bool] = lambda _path: True


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

    def access(self, parameters: P, folder: Path) -> Access:
        """What the call would touch.

        Raises:
            ToolFault: what was sent is no path.
        """
        raise NotImplementedError

    async def preview(self, parameters: P, context: ToolContext) -> Preview:
        """What the call would do, made by the same code that would do it.

        Raises:
            ToolFault: it cannot be done, so there is nothing to ask.
        """
        raise NotImplementedError

    async def run(self, parameters: P, context: ToolContext) -> ToolResult:
        """Do it. Cancelling stops it, with all that it started, in under a second.

        Raises:
            ToolFault: it could not be done; told to the model.
        """
        raise NotImplementedError


AnyTool = Tool[Any]
