"""Puts the parts of an agent together for a session, and keeps what outlives the session.

The chosen model, the queue modes, the calibration of the token counts and whether compaction is
automatic belong to the folder; queues, counts and totals belong to one session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_lsp.agent.context_use import ContextUse
from pi_lsp.agent.environment import Environment
from pi_lsp.agent.events import Event, Queues, QueueUpdate
from pi_lsp.agent.measured import measured_context
from pi_lsp.agent.model_calls import ModelCalls
from pi_lsp.agent.model_choice import ModelChoice
from pi_lsp.agent.parts import RunParts
from pi_lsp.agent.queues import MessageQueues
from pi_lsp.agent.recorder import Recorder
from pi_lsp.agent.system_prompt import system_prompt
from pi_lsp.agent.tool_calls import ToolCalls
from pi_lsp.compaction.calibration import Calibration
from pi_lsp.compaction.context_size import ContextMeter
from pi_lsp.compaction.tokens import TokenCounter
from pi_lsp.session import Session
from pi_lsp.settings import QueueMode, Settings
from pi_lsp.tools.tool import KEY_VARIABLES, ShellSettings


class Assembly:
    """Makes `RunParts`.

    Attributes:
        choice: the model and thinking level of the next request.
        recovered: what was queued when the server last died; None when nothing was.
        warning: what a person should know of the session's model, if anything.
    """

    def __init__(self, environment: Environment, emit: Callable[[Event], None]) -> None:
        settings = environment.settings
        self.choice = ModelChoice(environment.providers, settings)
        self.recovered: Queues | None = None
        self.warning: str | None = None
        self._environment = environment
        self._emit = emit
        self._calibration = Calibration()
        self._auto_compaction = settings.compaction.enabled
        self._steering_mode: QueueMode = settings.steering_mode
        self._follow_up_mode: QueueMode = settings.follow_up_mode

    async def parts_for(self, session: Session) -> RunParts:
        """The parts for a session that was just opened; its queues are taken up."""
        queues = MessageQueues(
            lambda: self._emit(QueueUpdate(queues=queues.as_wire())),
            self._steering_mode,
            self._follow_up_mode,
        )
        attach = self._environment.attach
        recovered = await queues.restore(session.queues(), session.delivered(), attach)
        self.recovered = recovered if recovered.steer or recovered.follow_up else None
        # Both read much of a large file the first time, and keep what they read.
        await asyncio.to_thread(session.stats)
        await asyncio.to_thread(session.context)
        parts = self._made(session, queues)
        self.follow_path(parts)
        return parts

    def follow_path(self, parts: RunParts) -> None:
        """Take the model and the thinking level that the active path says."""
        context = parts.session.context()
        parts.path_model, parts.path_level = context.model, context.thinking_level
        self.warning = self.choice.follow(context.model, context.thinking_level)

    def configure(self, environment: Environment, parts: RunParts | None) -> None:
        """Take new settings. What a person has set since then by hand stays, unless its own
        setting is another one now."""
        before, self._environment = self._environment.settings, environment
        settings = environment.settings
        self.choice.configure(environment.providers, settings)
        if settings.compaction.enabled != before.compaction.enabled:
            self._auto_compaction = settings.compaction.enabled
        self._steering_mode = _changed(
            before.steering_mode, settings.steering_mode, self._steering_mode
        )
        self._follow_up_mode = _changed(
            before.follow_up_mode, settings.follow_up_mode, self._follow_up_mode
        )
        if parts is not None:
            self._apply(parts, settings)

    def set_queue_modes(
        self, parts: RunParts, steering: QueueMode | None, follow_up: QueueMode | None
    ) -> None:
        """Set by hand how many messages are taken at once; None leaves a mode as it is."""
        self._steering_mode = steering or self._steering_mode
        self._follow_up_mode = follow_up or self._follow_up_mode
        self._apply(parts, parts.settings)

    def set_auto_compaction(self, parts: RunParts, enabled: bool) -> None:
        """Set by hand whether a conversation that gets too long is compacted by itself."""
        self._auto_compaction = enabled
        self._apply(parts, parts.settings)

    def _made(self, session: Session, queues: MessageQueues) -> RunParts:
        environment, emit = self._environment, self._emit
        context_use = ContextUse(
            ContextMeter(TokenCounter(), self._calibration),
            lambda: measured_context(parts),
            lambda: session.stats().cost,
            emit,
        )
        parts = RunParts(
            recorder=Recorder(session, emit),
            choice=self.choice,
            queues=queues,
            calls=ModelCalls(environment.providers, emit, environment.settings.retry),
            tools=ToolCalls(
                folder=environment.folder,
                toolset=environment.toolset,
                approval=environment.approval,
                editor=environment.editor,
                shell=_shell(environment.settings, environment.key_variables),
                emit=emit,
            ),
            context_use=context_use,
            emit=emit,
            settings=environment.settings,
            system_prompt=_system_prompt(environment),
            auto_compaction=self._auto_compaction,
        )
        return parts

    def _apply(self, parts: RunParts, settings: Settings) -> None:
        environment = self._environment
        parts.settings = settings
        parts.auto_compaction = self._auto_compaction
        parts.queues.steering_mode = self._steering_mode
        parts.queues.follow_up_mode = self._follow_up_mode
        parts.calls.configure(environment.providers, settings.retry)
        parts.tools.toolset = environment.toolset
        parts.tools.approval = environment.approval
        parts.tools.shell = _shell(settings, environment.key_variables)
        parts.system_prompt = _system_prompt(environment)


def _changed(before: QueueMode, now: QueueMode, current: QueueMode) -> QueueMode:
    return current if now == before else now


def _shell(settings: Settings, key_variables: frozenset[str]) -> ShellSettings:
    hidden = KEY_VARIABLES | key_variables
    return ShellSettings(settings.shell_path, settings.shell_command_prefix, hidden)


def _system_prompt(environment: Environment) -> str:
    names = [tool.name for tool in environment.toolset.specs()]
    return system_prompt(environment.folder, names, environment.context_files)
