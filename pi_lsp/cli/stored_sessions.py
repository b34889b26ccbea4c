"""`pi-lsp sessions`, `tree` and `export`: what lies in a folder, read without the server.

Reading takes no lock, so an editor may be at work on the session meanwhile. Whoever runs these
asks for their own eyes, so the folder need not be trusted; its settings count only when it is.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pi_lsp.cli.terminal import Style, Terminal, shown_path
from pi_lsp.errors import NotFoundError, StorageError
from pi_lsp.session import Session, SessionInfo, SessionStore, TreeNode
from pi_lsp.session.export import ExportFormat, export
from pi_lsp.session.nodes import TreeFilter
from pi_lsp.settings import load_settings
from pi_lsp.trust import TrustFile

_ID_WIDTH = 36
_COUNT_WIDTH = 5
_TEXT_WIDTH = 60


def show_sessions(folder: Path, terminal: Terminal) -> None:
    """List the folder's sessions, last used first.

    Raises:
        PiError: they cannot be read.
    """
    sessions = _store(folder, terminal).list()
    if not sessions:
        terminal.complain(f"There are no sessions in {folder}.", "plain")
        return
    for session in sessions:
        when = _local_time(session.modified)
        count = f"{session.message_count:{_COUNT_WIDTH}}"
        text = session.name or session.first_message or "(nothing was asked yet)"
        marks = _marks(session)
        terminal.raw_line(
            f"{terminal.styled(session.session_id, 'dim')}  {when} {count}  "
            f"{terminal.styled(_cut(text), 'strong' if session.name else 'plain')}"
            f"{terminal.styled(marks, 'warning')}"
        )


def show_tree(folder: Path, session_id: str | None, shown: TreeFilter, terminal: Terminal) -> None:
    """Draw a session's tree; the newest one's when none is named.

    Raises:
        PiError: there is no such session, or it cannot be read.
    """
    with _opened(folder, session_id, terminal) as session:
        terminal.line(f"{session.name or session.id}  {shown_path(session.file, folder)}", "dim")
        for line in tree_lines(session.tree(shown), session.visible_leaf_id, terminal):
            terminal.raw_line(line)


def export_session(
    folder: Path,
    session_id: str | None,
    format: ExportFormat,
    output: Path | None,
    terminal: Terminal,
) -> None:
    """Write a session down for reading, and say where.

    Raises:
        PiError: there is no such session, or it cannot be read or written.
    """
    with _opened(folder, session_id, terminal) as session:
        terminal.line(str(export(session, format, output)))


def tree_lines(nodes: list[TreeNode], leaf_id: str | None, terminal: Terminal) -> list[str]:
    """One line a node. A line of conversation runs straight down; only branches are set in."""
    children: dict[str | None, list[TreeNode]] = {}
    for node in nodes:
        children.setdefault(node.parent_id, []).append(node)
    lines: list[str] = []
    open_nodes = [(node, 0) for node in reversed(children.get(None, []))]
    while open_nodes:
        node, depth = open_nodes.pop()
        lines.append(_node_line(node, depth, node.id == leaf_id, terminal))
        below = children.get(node.id, [])
        inner = depth + 1 if len(below) > 1 else depth
        open_nodes += [(child, inner) for child in reversed(below)]
    return lines


def _node_line(node: TreeNode, depth: int, is_leaf: bool, terminal: Terminal) -> str:
    mark = terminal.symbols.here if is_leaf else "|" if node.on_path else " "
    kind = node.role or node.type
    style: Style = "plain" if node.on_path else "dim"
    label = f"  [{node.label}]" if node.label else ""
    return (
        f"{terminal.styled(node.id, 'dim')} {mark} {'  ' * depth}"
        f"{terminal.styled(f'{kind}: {node.text}', style)}{terminal.styled(label, 'warning')}"
    )


@contextmanager
def _opened(folder: Path, session_id: str | None, terminal: Terminal) -> Generator[Session]:
    """A session to read, closed again afterwards."""
    store = _store(folder, terminal)
    chosen = _chosen(store.list(), session_id, folder)
    session = store.open(chosen.session_id, for_reading=True)
    try:
        for warning in session.warnings:
            terminal.complain(warning, "warning")
        yield session
    finally:
        session.close()


def _chosen(sessions: list[SessionInfo], name: str | None, folder: Path) -> SessionInfo:
    """The newest session, or the one whose id starts or ends so.

    Raises:
        NotFoundError: there is none, or more than one.
    """
    if not sessions:
        raise NotFoundError(f"There are no sessions in {folder}.")
    if name is None:
        return sessions[0]
    found = [
        session
        for session in sessions
        if session.session_id.startswith(name) or session.session_id.endswith(name)
    ]
    if len(found) != 1:
        fault = "Several sessions match" if found else "There is no session"
        raise NotFoundError(f"{fault} “{name}”: pi-lsp sessions lists them.")
    return found[0]


def _store(folder: Path, terminal: Terminal) -> SessionStore:
    try:
        trusted = TrustFile().decision(folder) or False
    except StorageError as error:
        terminal.complain(error.message, "warning")
        trusted = False
    settings = load_settings(folder, trusted=trusted).settings
    return SessionStore(folder, Path(settings.session.dir))


def _marks(session: SessionInfo) -> str:
    marks = [
        word
        for word, holds in (("in use", session.locked), ("read-only", session.read_only))
        if holds
    ]
    return f"  ({', '.join(marks)})" if marks else ""


def _local_time(stamp: str) -> str:
    """ISO 8601 in UTC as local time to the minute; what is no time stays as it is."""
    try:
        when = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    except ValueError:
        return stamp
    return when.astimezone().strftime("%Y-%m-%d %H:%M")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_WIDTH else line[: _TEXT_WIDTH - 1] + "…"
