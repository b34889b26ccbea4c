"""Which files a part of a conversation read and changed: told with its summary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pi_lsp.messages import JsonObject, Message, ToolCallBlock, tool_calls

MOST_LISTED = 200
"""Files of one kind that a summary names; the entry's details hold all."""

_LISTS_AT_END = re.compile(r"(?:\s*<(read-files|modified-files)>[^<]*</\1>)+\s*\Z")


@dataclass(frozen=True)
class FileLists:
    """Paths as the calls named them, in the order of first use; a file that was changed is not
    among the ones that were read."""

    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()

    def details(self) -> JsonObject:
        """As they stand in an entry's `details`."""
        return {"readFiles": list(self.read), "modifiedFiles": list(self.modified)}

    def text(self) -> str:
        """As they stand at the end of a summary; empty when there is no file."""
        lists = (_listed("read-files", self.read), _listed("modified-files", self.modified))
        return "\n\n".join(text for text in lists if text)


def file_lists(messages: Iterable[Message], earlier: Iterable[JsonObject]) -> FileLists:
    """The files of some messages, after those of the entries that they build on.

    Args:
        earlier: the `details` of earlier compactions and branch summaries; of any shape, since
            other programs write them too.
    """
    read: dict[str, None] = {}
    modified: dict[str, None] = {}
    for details in earlier:
        read.update(dict.fromkeys(_paths(details.get("readFiles"))))
        modified.update(dict.fromkeys(_paths(details.get("modifiedFiles"))))
    for call in _calls_that_worked(list(messages)):
        path = call["arguments"].get("path")
        if not isinstance(path, str) or not path:
            continue
        if call["name"] == "read":
            read[path] = None
        elif call["name"] in ("write", "edit"):
            modified[path] = None
    return FileLists(tuple(path for path in read if path not in modified), tuple(modified))


def without_lists(summary: str) -> str:
    """A summary without the lists at its end, which are written anew each time."""
    return _LISTS_AT_END.sub("", summary)


def _calls_that_worked(messages: list[Message]) -> list[ToolCallBlock]:
    failed = {
        message["toolCallId"]
        for message in messages
        if message["role"] == "toolResult" and message["isError"]
    }
    return [
        call
        for message in messages
        if message["role"] == "assistant"
        for call in tool_calls(message)
        if call["id"] not in failed
    ]


def _paths(value: object) -> list[str]:
    if not isinstance(value, list):
        return []
    paths: list[object] = value  # pyright: ignore[reportUnknownVariableType]
    return [path for path in paths if isinstance(path, str) and path]


def _listed(tag: str, paths: tuple[str, ...]) -> str:
    if not paths:
        return ""
    lines = [" ".join(path.splitlines()) for path in paths[-MOST_LISTED:]]
    if len(paths) > MOST_LISTED:
        lines.insert(0, f"({len(paths) - MOST_LISTED} more before these)")
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))
