"""LSP's own messages that the server answers, besides those that pygls does by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pi_lsp.server.code_actions import code_actions

if TYPE_CHECKING:
    from pi_lsp.server.server import PiServer


def register_features(server: PiServer) -> None:
    """Register one handler per message. Those of notifications are no coroutines, so that they
    take effect in the order in which they came."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        """Learn which folders there are."""
        server.begin(params)

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        """Make the agents ahead of the first request."""
        server.workspaces.open_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Take up and let go of folders."""
        for folder in params.event.removed:
            server.workspaces.remove(folder.uri)
        for folder in params.event.added:
            server.workspaces.add(folder.uri)
        server.workspaces.open_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        """Take over the client's new settings."""
        server.run_in_background(server.workspaces.change_settings(_own_section(params.settings)))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        """The document is on the disk now."""
        document = server.documents.get(params.text_document.uri)
        if document is not None:
            document.saved()

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor]
        ),
    )
    def code_action(
        params: types.CodeActionParams,
    ) -> list[types.CodeAction | types.Command]:
        """Offer to explain and to fix."""
        workspace = server.workspaces.containing(params.text_document.uri)
        if workspace is None:
            return []
        literals = server.client.abilities.code_action_literals
        return code_actions(params, workspace, literals=literals)

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    def text_document_content(
        params: types.TextDocumentContentParams,
    ) -> types.TextDocumentContentResult:
        """Give the text behind a `pi:` URI."""
        return types.TextDocumentContentResult(server.texts.text(params.uri))


def _own_section(settings: Any) -> Any:
    """Some editors send all that was asked for, ours under its name."""
    if isinstance(settings, dict) and isinstance(settings.get("pi"), dict):
        return settings["pi"]
    return settings
