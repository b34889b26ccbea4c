"""The tool `grep`: lines that match, in files and in what the editor has not saved yet."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from pydantic import Field

from pi_lsp.tools.arguments import TextArgument
from pi_lsp.tools.globs import Glob
from pi_lsp.tools.grep_results import GrepResults
from pi_lsp.tools.line_search import FileMatches, LineSearch, Query
from pi_lsp.tools.path_tool import LookParameters, LookTool
from pi_lsp.tools.paths import is_inside, locate, shown
from pi_lsp.tools.ripgrep import search_with_ripgrep
from pi_lsp.tools.search_programs import ProgramFailed, ripgrep_for
from pi_lsp.tools.text_file import check_regular
from pi_lsp.tools.threads import StopFlag, in_thread
from pi_lsp.tools.tool import ToolContext, ToolFault, ToolResult
from pi_lsp.tools.walk import is_seen, order_of, walk

DEFAULT_LIMIT = 100
MAX_CONTEXT = 50


class GrepParameters(LookParameters, frozen=True):
    pattern: TextArgument = Field(
        min_length=1, description="A regular expression; matched line by line"
    )
    glob: TextArgument | None = Field(
        default=None, description="Only files that match: `*.py`, `src/**/*.ts`"
    )
    ignore_case: bool | None = Field(default=None, description="Take upper and lower case as equal")
    literal: bool | None = Field(default=None, description="Search for the pattern as it stands")
    context: int | None = Field(
        default=None, ge=0, le=MAX_CONTEXT, description="Lines to show before and after a match"
    )
    limit: int | None = Field(
        default=None, ge=1, description=f"How many matches to give ({DEFAULT_LIMIT} by default)"
    )


class Grep(LookTool[GrepParameters]):
    name = "grep"
    description = (
        "Search file contents, hidden files included, those that .gitignore leaves out not. Gives "
        "path:line: text, of unsaved files as the editor shows them."
    )
    Parameters = GrepParameters

    def deed(self, parameters: GrepParameters) -> str:
        return f"Search {parameters.pattern} in"

    async def run(self, parameters: GrepParameters, context: ToolContext) -> ToolResult:
        search = _Search(parameters, context)
        return ToolResult.of_text(await in_thread(search.run))


class _Search:
    """One search, in a thread."""

    def __init__(self, parameters: GrepParameters, context: ToolContext) -> None:
        self._workspace = context.folder
        self._root = locate(parameters.path or ".", context.folder).real
        self._query = Query(
            parameters.pattern,
            bool(parameters.ignore_case),
            bool(parameters.literal),
            parameters.context or 0,
        )
        self._glob = None if parameters.glob is None else Glob(parameters.glob)
        self._limit = parameters.limit or DEFAULT_LIMIT
        self._may_search = context.may_search
        self._unsaved = {
            one.path: one
            for one in context.editor.documents()
            if one.dirty and is_inside(one.path, self._root)
        }

    def run(self, flag: StopFlag) -> str:
        results = GrepResults(self._workspace, self._limit)
        search = LineSearch(self._query, self._limit + 1)
        with ExitStack() as stack:
            for file in self._files(search, flag, stack):
                if not results.add(file):
                    break
        return results.text()

    def _files(self, search: LineSearch, flag: StopFlag, stack: ExitStack) -> Iterator[FileMatches]:
        """The matches file by file, in the order of their paths."""
        if self._root.is_dir():
            on_disk = stack.enter_context(closing(self._on_disk(search, self._root, "", flag)))
            in_editor = self._in_editor(search, flag)
            return heapq.merge(on_disk, in_editor, key=lambda file: order_of(file.relative))
        name = shown(self._root, self._workspace)
        if not self._may_search(self._root):
            raise ToolFault(f"A rule in the settings keeps {name} from being searched.")
        document = self._unsaved.get(self._root)
        if document is not None:
            lines = search.in_text(document.text, flag)
            return iter([FileMatches(self._root.name, self._root, lines)])
        if check_regular(self._root, name) is None:
            raise ToolFault(f"{name} does not exist.")
        return stack.enter_context(
            closing(self._on_disk(search, self._root.parent, self._root.name, flag))
        )

    def _on_disk(
        self, search: LineSearch, folder: Path, target: str, flag: StopFlag
    ) -> Generator[FileMatches]:
        """The matches in files, but for those that the editor shows otherwise."""
        done: tuple[str, ...] = ()
        try:
            with closing(self._by_ripgrep(folder, target, flag)) as files:
                for file in files:
                    if self._is_wanted(file.relative, file.path):
                        yield file
                    done = order_of(file.relative)
        except ProgramFailed:  # it does not take the pattern, say; our own walk goes on after it
            for file in self._by_walk(search, folder, target, flag):
                if order_of(file.relative) > done and self._is_wanted(file.relative, file.path):
                    yield file

    def _by_ripgrep(self, folder: Path, target: str, flag: StopFlag) -> Generator[FileMatches]:
        """What ripgrep finds.

        Raises:
            ProgramFailed: it is not there, does not take the pattern, or had to be ended.
        """
        program = ripgrep_for(folder, self._workspace)
        if program is None:
            raise ProgramFailed("ripgrep is not there, or would not see the same.")
        with closing(
            search_with_ripgrep(program, self._query, self._limit + 1, folder, target, flag)
        ) as files:
            yield from files

    def _by_walk(
        self, search: LineSearch, folder: Path, target: str, flag: StopFlag
    ) -> Iterator[FileMatches]:
        if target:
            yield FileMatches(target, folder / target, search.in_file(folder / target, flag))
            return
        for found in walk(folder, self._workspace, flag):
            if found.path.is_symlink() or not found.path.is_file():
                continue
            if self._is_wanted(found.relative, found.path):
                lines = search.in_file(found.path, flag)
                yield FileMatches(found.relative, found.path, lines)

    def _in_editor(self, search: LineSearch, flag: StopFlag) -> Iterator[FileMatches]:
        """The matches in unsaved documents, in the order of their paths."""
        documents = [
            (document.path.relative_to(self._root).as_posix(), document)
            for document in self._unsaved.values()
            if is_seen(document.path, self._root, self._workspace)
        ]
        for relative, document in sorted(documents, key=lambda one: order_of(one[0])):
            if self._matches_glob(relative, document.path) and self._may_search(document.path):
                lines = search.in_text(document.text, flag)
                yield FileMatches(relative, document.path, lines)

    def _is_wanted(self, relative: str, path: Path) -> bool:
        return (
            path not in self._unsaved
            and self._matches_glob(relative, path)
            and self._may_search(path)
        )

    def _matches_glob(self, relative: str, path: Path) -> bool:
        """The glob may speak of paths from the searched folder on, or from the workspace on."""
        if self._glob is None:
            return True
        return self._glob.matches(relative) or self._glob.matches(shown(path, self._workspace))
