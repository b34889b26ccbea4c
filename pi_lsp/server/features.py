"""LSP's own messages: one handler per message.

Those of notifications are no coroutines, so that they take effect in the order in which they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pi_lsp.errors import NotFoundError
from pi_lsp.server.code_actions import code_actions
from pi_lsp.server.json_values import member
from pi_lsp.server.protocol import COMMAND_PREFIX, METHOD_PREFIX

if TYPE_CHECKING:
    from pi_lsp.server.server import PiServer


class Features:
    """Answers LSP's messages for a server."""

    def __init__(self, server: PiServer) -> None:
        self._server = server

    def register(self) -> None:
        """Make them known to pygls: the first take the place of what it does by itself."""
        manager = self._server.protocol.fm
        for name, replacement in (
            (types.SHUTDOWN, self.shutdown),
            (types.EXIT, self.exit),
            (types.TEXT_DOCUMENT_DID_OPEN, self.did_open),
            (types.TEXT_DOCUMENT_DID_CHANGE, self.did_change),
            (types.TEXT_DOCUMENT_DID_CLOSE, self.did_close),
            (types.WINDOW_WORK_DONE_PROGRESS_CANCEL, self.cancel_progress),
            (types.WORKSPACE_EXECUTE_COMMAND, self.execute_command),
        ):
            manager.add_builtin_feature(name, replacement)  # pyright: ignore[reportUnknownMemberType]
        for name, handler in (
            (types.INITIALIZE, self.initialize),
            (types.INITIALIZED, self.initialized),
            (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self.did_change_folders),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self.did_change_configuration),
            (types.TEXT_DOCUMENT_DID_SAVE, self.did_save),
            (types.WORKSPACE_TEXT_DOCUMENT_CONTENT, self.text_document_content),
        ):
            self._server.feature(name)(handler)
        kinds = types.CodeActionOptions(
            [types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor]
        )
        self._server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(self.code_action)

    # Beginning and end

    def initialize(self, params: types.InitializeParams) -> None:
        """Learn which folders there are."""
        self._server.begin(params)

    def initialized(self, _params: types.InitializedParams) -> None:
        """Make the agents ahead of the first request."""
        self._server.workspaces.open_all()

    async def shutdown(self, _params: None = None) -> None:
        """Stop what runs, write it down, let go of the sessions."""
        self._server.protocol.shut_down()
        await self._server.close_workspaces()

    def exit(self, _params: None = None) -> None:
        """End the process; without a shutdown before it, that is a fault of the editor."""
        self._server.end(0 if self._server.protocol.is_shut_down else 1)

    # Documents

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Keep the document as the editor shows it."""
        opened = params.text_document
        self._server.documents.open(opened.uri, opened.text, opened.version)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Follow what the person types."""
        document = self._server.documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version)

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """The document is on the disk now."""
        document = self._server.documents.get(params.text_document.uri)
        if document is not None:
            document.saved()

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """The file on the disk counts again."""
        self._server.documents.close(params.text_document.uri)

    def text_document_content(
        self, params: types.TextDocumentContentParams
    ) -> types.TextDocumentContentResult:
        """Give the text behind a `pi:` URI."""
        return types.TextDocumentContentResult(self._server.texts.text(params.uri))

    def code_action(self, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        """Offer to explain and to fix."""
        workspace = self._server.workspaces.containing(params.text_document.uri)
        if workspace is None:
            return []
        literals = self._server.client.abilities.code_action_literals
        return code_actions(params, workspace, literals=literals)

    # The workspace

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Take up and let go of folders."""
        workspaces = self._server.workspaces
        for folder in params.event.removed:
            workspaces.remove(folder.uri)
        for folder in params.event.added:
            workspaces.add(folder.uri)
        workspaces.open_all()

    def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """Take over the client's new settings. Some editors send them under our name."""
        settings: Any = params.settings
        own = member(settings, "pi")
        change = self._server.workspaces.change_settings(settings if own is None else own)
        self._server.run_in_background(change)

    async def execute_command(self, params: types.ExecuteCommandParams) -> Any:
        """Run a request of ours by its command's name; its params are the first argument."""
        prefix, name = params.command[: len(COMMAND_PREFIX)], params.command[len(COMMAND_PREFIX) :]
        method = self._server.protocol.methods.get(METHOD_PREFIX + name)
        if prefix != COMMAND_PREFIX or method is None:
            raise NotFoundError(f"There is no command {params.command}.")
        arguments = params.arguments or [None]
        return await method.answer(self._server, arguments[0])

    def cancel_progress(self, params: types.WorkDoneProgressCancelParams) -> None:
        """Stop what the person no longer wants."""
        for workspace in self._server.workspaces.opened():
            workspace.progress.cancel(params.token)
