"""LSP's own messages: one handler per message.

pygls gives a handler its server as `ls`; ours is `ls.pi`. Handlers of notifications are no
coroutines, so that they take effect in the order in which they came.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pi_lsp.agent.events import Position, Range
from pi_lsp.errors import NotFoundError
from pi_lsp.server.json_values import member
from pi_lsp.server.lsp.code_actions import code_actions
from pi_lsp.server.open_documents import DocumentChange
from pi_lsp.server.protocol import COMMAND_PREFIX, METHOD_PREFIX

if TYPE_CHECKING:
    from pi_lsp.server.lsp.language_server import PiLanguageServer


# Documents


def did_open(ls: PiLanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    """Keep the document as the editor shows it."""
    opened = params.text_document
    ls.pi.documents.open(opened.uri, opened.text, opened.version)


def did_change(ls: PiLanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    """Follow what the person types."""
    document = ls.pi.documents.get(params.text_document.uri)
    if document is not None:
        changes = [_document_change(one) for one in params.content_changes]
        document.change(changes, params.text_document.version)


def did_save(ls: PiLanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    """The document is on the disk now."""
    document = ls.pi.documents.get(params.text_document.uri)
    if document is not None:
        document.saved()


def did_close(ls: PiLanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    """The file on the disk counts again."""
    ls.pi.documents.close(params.text_document.uri)


def text_document_content(
    ls: PiLanguageServer, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """Give the text behind a `pi:` URI."""
    return types.TextDocumentContentResult(ls.pi.texts.text(params.uri))


def code_action(
    ls: PiLanguageServer, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """Offer to explain and to fix."""
    workspace = ls.pi.workspaces.containing(params.text_document.uri)
    if workspace is None:
        return []
    literals = ls.pi.client.abilities.code_action_literals
    return code_actions(params, workspace, literals=literals)


# The workspace


def did_change_folders(ls: PiLanguageServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Take up and let go of folders."""
    workspaces = ls.pi.workspaces
    for folder in params.event.removed:
        workspaces.remove(folder.uri)
    for folder in params.event.added:
        workspaces.add(folder.uri)
    workspaces.open_all()


def did_change_configuration(
    ls: PiLanguageServer, params: types.DidChangeConfigurationParams
) -> None:
    """Take over the client's new settings. Some editors send them under our name.

    Editors without a plugin of ours send an empty object after each start, by which they mean
    nothing: what they said in the handshake stays.
    """
    own = member(params.settings, "pi")
    settings: Any = params.settings if own is None else own
    if settings or not ls.pi.client.abilities.plain:
        ls.pi.run_in_background(ls.pi.workspaces.change_settings(settings))


async def execute_command(ls: PiLanguageServer, params: types.ExecuteCommandParams) -> Any:
    """Run a request of ours by its command's name; its params are the first argument."""
    prefix, name = params.command[: len(COMMAND_PREFIX)], params.command[len(COMMAND_PREFIX) :]
    method = ls.pi.rpc.methods.get(METHOD_PREFIX + name)
    if prefix != COMMAND_PREFIX or method is None:
        raise NotFoundError(f"There is no command {params.command}.")
    arguments = params.arguments or [None]
    return await method.answer(ls.pi, arguments[0])


def cancel_progress(ls: PiLanguageServer, params: types.WorkDoneProgressCancelParams) -> None:
    """Stop what the person no longer wants."""
    for workspace in ls.pi.workspaces.opened():
        workspace.progress.cancel(params.token)


def _document_change(change: types.TextDocumentContentChangeEvent) -> DocumentChange:
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return DocumentChange(change.text)
    start, end = (
        Position(line=place.line, character=place.character)
        for place in (change.range.start, change.range.end)
    )
    return DocumentChange(change.text, Range(start=start, end=end))


def register_features(server: PiLanguageServer) -> None:
    """Make all of them known to pygls; some take the place of what it does by itself."""
    for name, replacement in (
        (types.TEXT_DOCUMENT_DID_OPEN, did_open),
        (types.TEXT_DOCUMENT_DID_CHANGE, did_change),
        (types.TEXT_DOCUMENT_DID_CLOSE, did_close),
        (types.WINDOW_WORK_DONE_PROGRESS_CANCEL, cancel_progress),
        (types.WORKSPACE_EXECUTE_COMMAND, execute_command),
    ):
        server.protocol.fm.add_builtin_feature(  # pyright: ignore[reportUnknownMemberType]
            name, partial(replacement, server)
        )
    for name, handler in (
        (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, did_change_folders),
        (types.WORKSPACE_DID_CHANGE_CONFIGURATION, did_change_configuration),
        (types.TEXT_DOCUMENT_DID_SAVE, did_save),
        (types.WORKSPACE_TEXT_DOCUMENT_CONTENT, text_document_content),
    ):
        server.feature(name)(handler)
    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(code_action)
