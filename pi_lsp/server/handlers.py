"""Our own requests: one handler per method, and nothing else.

A handler gets the folder's workspace and the checked params, and gives the result; only that of
`pi/health` gets the server, because it must answer where there is no workspace. What a handler
raises is answered as an error (see `pi_lsp.server.errors`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from pi_lsp.agent.events import WireModel
from pi_lsp.errors import InvalidArgumentError
from pi_lsp.messages import JsonObject
from pi_lsp.server.errors import invalid_params, refuse_params
from pi_lsp.server.json_values import as_object, without_empty_list
from pi_lsp.server.protocol import params as p
from pi_lsp.server.protocol import results as r

if TYPE_CHECKING:
    from pi_lsp.server.server import PiServer
    from pi_lsp.server.workspace import Workspace

P = TypeVar("P", bound=p.Params)
T = TypeVar("T")

Result = Coroutine[Any, Any, WireModel | r.RawResult]
Handler = Callable[["Workspace", P], Result]
ServerHandler = Callable[["PiServer", P], Result]


@dataclass(frozen=True)
class RequestMethod(Generic[P]):
    """A request of ours: what it takes, and who does it."""

    params_type: type[P]
    handle: ServerHandler[P]
    cancellable: bool = False
    only_reads: bool = False

    async def answer(self, server: PiServer, params: object) -> JsonObject:
        """Check the params, do what they ask for, and give the result as JSON."""
        return (await self.handle(server, self._checked(params))).to_wire()

    def _checked(self, params: object) -> P:
        """The params as their type."""
        given = as_object({} if params is None else without_empty_list(params))
        if given is None:
            raise refuse_params("they are no object")
        try:
            return self.params_type.model_validate(given, strict=True, by_name=False)
        except ValidationError as error:
            raise invalid_params(error) from error


METHODS: dict[str, RequestMethod[Any]] = {}


def _method(
    name: str, params_type: type[P], *, cancellable: bool = False, only_reads: bool = False
) -> Callable[[Handler[P]], Handler[P]]:
    """Register the handler of a method (see `pi_lsp.server.rpc.Method`)."""

    def register(handle: Handler[P]) -> Handler[P]:
        async def in_workspace(server: PiServer, params: P) -> WireModel | r.RawResult:
            return await handle(await server.workspaces.ready(params.workspace), params)

        METHODS[name] = RequestMethod(params_type, in_workspace, cancellable, only_reads)
        return handle

    return register


async def _stopped_when_cancelled(workspace: Workspace, operation: Awaitable[T]) -> T:
    """Wait for an operation; when the request is cancelled, stop it, and wait for its end. What
    was done before it could be stopped is done, and told."""
    task = asyncio.ensure_future(operation)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await workspace.harness.stop()
        await asyncio.wait([task])
        return task.result()


# Runs


@_method("pi/prompt", p.PromptParams)
async def prompt(workspace: Workspace, params: p.PromptParams) -> r.PromptResult:
    """Send a message; it starts a run, or is queued."""
    disposition = await workspace.harness.prompt(
        params.as_input(), when_busy=params.when_busy, at=params.at
    )
    return r.PromptResult(
        disposition=disposition,
        session_id=workspace.session.id,
        queues=workspace.harness.queues,
    )


@_method("pi/continue", p.Params)
async def continue_(workspace: Workspace, _params: p.Params) -> r.ContinueResult:
    """Run on from the leaf."""
    await workspace.harness.continue_()
    return r.ContinueResult(disposition="started")


@_method("pi/steer", p.MessageParams)
async def steer(workspace: Workspace, params: p.MessageParams) -> r.QueuedResult:
    """Queue a message for the model's next call."""
    item = await workspace.harness.steer(params.as_input())
    return r.QueuedResult(item=item, queues=workspace.harness.queues)


@_method("pi/followUp", p.MessageParams)
async def follow_up(workspace: Workspace, params: p.MessageParams) -> r.QueuedResult:
    """Queue a message for when the agent would stop."""
    item = await workspace.harness.follow_up(params.as_input())
    return r.QueuedResult(item=item, queues=workspace.harness.queues)


@_method("pi/nextTurn", p.MessageParams)
async def next_turn(workspace: Workspace, params: p.MessageParams) -> r.QueuedResult:
    """Queue a message that goes before the next prompt."""
    item = await workspace.harness.next_turn(params.as_input())
    return r.QueuedResult(item=item, queues=workspace.harness.queues)


@_method("pi/unqueue", p.UnqueueParams)
async def unqueue(workspace: Workspace, params: p.UnqueueParams) -> r.UnqueueResult:
    """Take a queued message back."""
    removed = await workspace.harness.unqueue(params.id)
    return r.UnqueueResult(removed=removed, queues=workspace.harness.queues)


@_method("pi/clearQueue", p.Params)
async def clear_queue(workspace: Workspace, _params: p.Params) -> r.ClearQueueResult:
    """Empty the queues of steers and follow-ups, and give them back."""
    steers, follow_ups = await workspace.harness.clear_queue()
    return r.ClearQueueResult(steer=steers, follow_up=follow_ups)


@_method("pi/abort", p.Params)
async def abort(workspace: Workspace, _params: p.Params) -> r.AbortResult:
    """Stop what runs; answered once nothing does."""
    report = await workspace.harness.abort()
    return r.AbortResult(aborted=report.aborted, steer=report.steer, follow_up=report.follow_up)


@_method("pi/waitForIdle", p.WaitForIdleParams, cancellable=True)
async def wait_for_idle(workspace: Workspace, params: p.WaitForIdleParams) -> r.IdleResult:
    """Wait until nothing runs."""
    return r.IdleResult(phase=await workspace.harness.wait_for_idle(params.timeout_ms))


@_method("pi/bash", p.BashParams, cancellable=True)
async def bash(workspace: Workspace, params: p.BashParams) -> r.BashResult:
    """Run a command for the person."""
    done = await _stopped_when_cancelled(
        workspace,
        workspace.harness.bash(
            params.command, exclude_from_context=params.exclude_from_context or False
        ),
    )
    return r.BashResult.model_validate(done)


# The conversation


@_method("pi/state", p.Params, only_reads=True)
async def state(workspace: Workspace, _params: p.Params) -> r.RawResult:
    """All that a client draws itself from."""
    return r.RawResult(workspace.state())


@_method("pi/messages", p.MessagesParams, only_reads=True)
async def messages(workspace: Workspace, params: p.MessagesParams) -> r.MessagesResult:
    """The model's context."""
    return workspace.reading.messages(params.leaf_id)


@_method("pi/entries", p.EntriesParams, only_reads=True)
async def entries(workspace: Workspace, params: p.EntriesParams) -> r.EntriesResult:
    """Entries as they stand in the file."""
    return workspace.reading.entries(params)


@_method("pi/tree", p.TreeParams, only_reads=True)
async def tree(workspace: Workspace, params: p.TreeParams) -> r.TreeResult:
    """The tree as people see it."""
    return workspace.reading.tree(params.filter or "default")


@_method("pi/stats", p.Params, only_reads=True)
async def stats(workspace: Workspace, _params: p.Params) -> r.RawResult:
    """Counts and costs of the whole file."""
    return workspace.reading.stats()


@_method("pi/navigate", p.NavigateParams, cancellable=True)
async def navigate(workspace: Workspace, params: p.NavigateParams) -> r.NavigateResult:
    """Switch branch."""
    gone = await _stopped_when_cancelled(
        workspace,
        workspace.harness.navigate(
            params.entry_id,
            summarize=params.summarize or False,
            instructions=params.instructions,
            label=params.label,
        ),
    )
    optional = {"editor_text": gone.editor_text, "summary_entry_id": gone.summary_entry_id}
    return r.NavigateResult(leaf_id=gone.leaf_id, **_given(optional))


@_method("pi/label", p.LabelParams)
async def label(workspace: Workspace, params: p.LabelParams) -> r.Empty:
    """Put a label on an entry, or take it away."""
    await workspace.harness.label(params.entry_id, params.label)
    return r.Empty()


@_method("pi/compact", p.CompactParams, cancellable=True)
async def compact(workspace: Workspace, params: p.CompactParams) -> r.CompactResult:
    """Compact the conversation."""
    done = await _stopped_when_cancelled(workspace, workspace.harness.compact(params.instructions))
    return r.CompactResult(
        entry_id=done.entry_id,
        summary=done.summary,
        first_kept_entry_id=done.first_kept_entry_id,
        tokens_before=done.tokens_before,
        estimated_tokens_after=done.estimated_tokens_after,
    )


@_method("pi/export", p.ExportParams)
async def export(workspace: Workspace, params: p.ExportParams) -> r.ExportResult:
    """Write the conversation to a file for people."""
    return r.ExportResult(path=str(await workspace.reading.export(params.format, params.path)))


# Sessions


@_method("pi/fork", p.ForkParams)
async def fork(workspace: Workspace, params: p.ForkParams) -> r.ForkResult:
    """Go on from an entry in a new session."""
    text = await workspace.sessions.fork(params.entry_id, params.position or "before")
    return _forked(workspace, text)


@_method("pi/clone", p.Params)
async def clone(workspace: Workspace, _params: p.Params) -> r.ForkResult:
    """Go on from the leaf in a new session."""
    return _forked(workspace, await workspace.sessions.clone())


@_method("pi/sessions", p.Params, only_reads=True)
async def sessions(workspace: Workspace, _params: p.Params) -> r.SessionsResult:
    """The folder's sessions, last used first."""
    return r.SessionsResult(sessions=await workspace.sessions.list())


@_method("pi/newSession", p.NewSessionParams)
async def new_session(workspace: Workspace, params: p.NewSessionParams) -> r.RawResult:
    """Begin a new session."""
    await workspace.sessions.new(params.name)
    return r.RawResult(workspace.state())


@_method("pi/switchSession", p.SessionParams)
async def switch_session(workspace: Workspace, params: p.SessionParams) -> r.RawResult:
    """Go on with another session."""
    await workspace.sessions.switch(params.session_id)
    return r.RawResult(workspace.state())


@_method("pi/renameSession", p.RenameSessionParams)
async def rename_session(workspace: Workspace, params: p.RenameSessionParams) -> r.Empty:
    """Name the current session."""
    await workspace.harness.rename(params.name)
    return r.Empty()


@_method("pi/deleteSession", p.SessionParams)
async def delete_session(workspace: Workspace, params: p.SessionParams) -> r.Empty:
    """Put a session into the trash."""
    await workspace.sessions.delete(params.session_id)
    return r.Empty()


# Choices


@_method("pi/models", p.Params, only_reads=True)
async def models(workspace: Workspace, _params: p.Params) -> r.ModelsResult:
    """All models that can be chosen."""
    return r.ModelsResult(models=workspace.models())


@_method("pi/setModel", p.SetModelParams)
async def set_model(workspace: Workspace, params: p.SetModelParams) -> r.ModelResult:
    """Choose the model."""
    chosen = await workspace.harness.set_model(params.provider, params.model_id)
    return r.ModelResult(model=chosen.to_wire())


@_method("pi/setThinkingLevel", p.SetThinkingLevelParams)
async def set_thinking_level(
    workspace: Workspace, params: p.SetThinkingLevelParams
) -> r.LevelResult:
    """Choose how long the model thinks."""
    return r.LevelResult(level=await workspace.harness.set_thinking_level(params.level))


@_method("pi/setQueueMode", p.SetQueueModeParams)
async def set_queue_mode(workspace: Workspace, params: p.SetQueueModeParams) -> r.QueueModesResult:
    """Set how many queued messages are taken at once."""
    steering, follow = workspace.harness.set_queue_modes(params.steering, params.follow_up)
    return r.QueueModesResult(steering=steering, follow_up=follow)


@_method("pi/setAutoCompaction", p.SetAutoCompactionParams)
async def set_auto_compaction(
    workspace: Workspace, params: p.SetAutoCompactionParams
) -> r.AutoCompactionResult:
    """Set whether a long conversation is compacted by itself."""
    return r.AutoCompactionResult(enabled=workspace.harness.set_auto_compaction(params.enabled))


@_method("pi/setApprovalMode", p.SetApprovalModeParams)
async def set_approval_mode(
    workspace: Workspace, params: p.SetApprovalModeParams
) -> r.ApprovalModeResult:
    """Set what runs without asking."""
    return r.ApprovalModeResult(mode=workspace.harness.set_approval_mode(params.mode))


@_method("pi/setApiKey", p.SetApiKeyParams)
async def set_api_key(workspace: Workspace, params: p.SetApiKeyParams) -> r.Empty:
    """Use a key until the server ends."""
    if not params.provider:
        raise InvalidArgumentError("Say which provider the key is for.")
    await workspace.set_api_key(params.provider, params.key)
    return r.Empty()


@_method("pi/setTrust", p.SetTrustParams)
async def set_trust(workspace: Workspace, params: p.SetTrustParams) -> r.TrustResult:
    """Keep whether the person trusts the folder."""
    await workspace.set_trust(params.trusted)
    return r.TrustResult(trusted=workspace.trusted)


async def health(server: PiServer, params: p.Params) -> r.HealthResult:
    """What works, what does not, and what to do about it."""
    return await server.workspaces.health(params.workspace)


METHODS["pi/health"] = RequestMethod(p.Params, health, only_reads=True)


def _forked(workspace: Workspace, editor_text: str | None) -> r.ForkResult:
    session = workspace.session
    return r.ForkResult(
        session_id=session.id,
        file=str(session.file),
        **_given({"editor_text": editor_text}),
    )


def _given(optional: dict[str, str | None]) -> dict[str, str]:
    """Those that there are; on the wire the others are left out."""
    return {name: value for name, value in optional.items() if value is not None}
