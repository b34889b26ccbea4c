"""What the editor at the other end can do, as far as the server cares."""

from __future__ import annotations

from dataclasses import dataclass, field

from pi_lsp.server.json_values import as_object, member, without_empty_list


@dataclass(frozen=True)
class ClientPi:
    """`capabilities.experimental.pi` of an editor: which of our requests it answers. A value of
    the wrong type promises nothing."""

    approval: bool = False
    diagnostics: bool = False
    save: bool = False

    @classmethod
    def of(cls, value: object) -> ClientPi:
        return cls(
            approval=_is_on(value, "approval"),
            diagnostics=_is_on(value, "diagnostics"),
            save=_is_on(value, "save"),
        )


@dataclass(frozen=True)
class ClientAbilities:
    """Read from the capabilities of `initialize`, which may be of any shape.

    Attributes:
        plain: an editor without a plugin of ours; it knows nothing that is named `pi/…`.
    """

    plain: bool = True
    pi: ClientPi = field(default_factory=ClientPi)
    apply_edit: bool = False
    document_changes: bool = False
    show_document: bool = False
    work_done_progress: bool = False
    text_document_content: bool = False
    code_action_literals: bool = False

    @classmethod
    def of(cls, capabilities: object) -> ClientAbilities:
        pi = without_empty_list(member(capabilities, "experimental", "pi"))
        return cls(
            plain=as_object(pi) is None,
            pi=ClientPi.of(pi),
            apply_edit=_is_on(capabilities, "workspace", "applyEdit"),
            document_changes=_is_on(capabilities, "workspace", "workspaceEdit", "documentChanges"),
            show_document=_is_on(capabilities, "window", "showDocument", "support"),
            work_done_progress=_is_on(capabilities, "window", "workDoneProgress"),
            text_document_content=member(capabilities, "workspace", "textDocumentContent")
            is not None,
            code_action_literals=member(
                capabilities, "textDocument", "codeAction", "codeActionLiteralSupport"
            )
            is not None,
        )


def _is_on(value: object, *path: str) -> bool:
    return member(value, *path) is True
