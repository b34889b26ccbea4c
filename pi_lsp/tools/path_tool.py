"""What tools on one file, and tools that look around in a folder, have in common."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import Field

from pi_lsp.tools.arguments import PathArgument
from pi_lsp.tools.paths import locate, shown
from pi_lsp.tools.tool import Access, Preview, Tool, ToolContext, ToolParameters


class FileParameters(ToolParameters, frozen=True):
    path: PathArgument = Field(
        description="The file: relative to the workspace folder, or absolute"
    )


class LookParameters(ToolParameters, frozen=True):
    path: PathArgument | None = Field(
        default=None, description="Where to look; the workspace folder by default"
    )


F = TypeVar("F", bound=FileParameters)
L = TypeVar("L", bound=LookParameters)


class FileTool(Tool[F]):
    """A tool that works on one file; calls on the same file run in their order."""

    kind: ClassVar[Literal["read", "write"]]

    def order_key(self, parameters: F, context: ToolContext) -> Path:
        return locate(parameters.path, context.folder).real

    def access(self, parameters: F, folder: Path) -> Access:
        place = locate(parameters.path, folder)
        return Access(self.kind, place.named, place.real)


class LookTool(Tool[L]):
    """A tool that looks at what is in a folder, or at one file."""

    def access(self, parameters: L, folder: Path) -> Access:
        place = locate(parameters.path or ".", folder)
        return Access("read", place.named, place.real)

    async def preview(self, parameters: L, context: ToolContext) -> Preview:
        place = locate(parameters.path or ".", context.folder)
        return Preview(f"{self.deed(parameters)} {shown(place.real, context.folder)}")

    def deed(self, parameters: L) -> str:
        """What the call does, before the name of the place: "Search x in"."""
        raise NotImplementedError
