"""The session store: entries, the file, the tree, the context, and the list of a folder.

    SessionStore    the sessions of one folder: list, create, open, continue the newest, delete
    Session         one conversation: append, switch branch, fork, and everything that is read of it
    Entry           one line of its file
    Context         what the model is sent of a path

A session knows no editor, no provider and no tool. All calls are synchronous, and cheap but for
opening a large file and `Session.sync`. The file's format is docs/session-file.md.
"""

from pi_lsp.session.context import Context, ContextMessage
from pi_lsp.session.entry import Entry
from pi_lsp.session.listing import SessionInfo
from pi_lsp.session.nodes import TreeFilter, TreeNode
from pi_lsp.session.reading import EntryPage
from pi_lsp.session.session import Session
from pi_lsp.session.stats import SessionStats
from pi_lsp.session.store import SessionStore

__all__ = [
    "Context",
    "ContextMessage",
    "Entry",
    "EntryPage",
    "Session",
    "SessionInfo",
    "SessionStats",
    "SessionStore",
    "TreeFilter",
    "TreeNode",
]
