"""What the work on one session is done with, and what waits for its next save point."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from pi_lsp.agent.context_use import ContextUse
from pi_lsp.agent.events import CompactionReason, Event
from pi_lsp.agent.model_calls import ModelCalls
from pi_lsp.agent.model_choice import ModelChoice, ModelRef
from pi_lsp.agent.queues import MessageQueues
from pi_lsp.agent.recorder import Recorder
from pi_lsp.agent.tool_calls import ToolCalls
from pi_lsp.messages import ThinkingLevel
from pi_lsp.session import Session
from pi_lsp.settings import Settings


@dataclass
class RunParts:
    """The parts of one session's agent.

    Attributes:
        system_prompt: what the model is told before the conversation.
        auto_compaction: whether a conversation that gets too long is compacted by itself.
        compacting: why a compaction runs now; None while none does.
        pending: entries that were asked for while a run was on; written at its next save point.
        path_model, path_level: what the active path says, None where it says nothing.
    """

    recorder: Recorder
    choice: ModelChoice
    queues: MessageQueues
    calls: ModelCalls
    tools: ToolCalls
    context_use: ContextUse
    emit: Callable[[Event], None]
    settings: Settings
    system_prompt: str
    auto_compaction: bool
    compacting: CompactionReason | None = None
    pending: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    path_model: ModelRef | None = None
    path_level: ThinkingLevel | None = None

    @property
    def session(self) -> Session:
        return self.recorder.session

    def write_choice(self) -> None:
        """Write the model and the thinking level where the path says something else.

        Raises:
            StorageError: they could not be written.
        """
        if self.choice.ref != self.path_model:
            self.recorder.model_change(*self.choice.ref)
            self.path_model = self.choice.ref
        if self.choice.level != self.path_level:
            self.recorder.thinking_level_change(self.choice.level)
            self.path_level = self.choice.level

    async def write_pending(self) -> None:
        """Write all that waits, and wait until it is on the disk.

        Raises:
            StorageError: it could not be written; what was not stays pending.
        """
        self.write_choice()
        while self.pending:
            self.pending[0]()
            del self.pending[0]
        self.write_queues()
        await self.recorder.sync()

    def write_queues(self) -> None:
        """Write what waits, if that has changed; it is on the disk with the next sync.

        Raises:
            StorageError: it could not be written.
        """
        if self.queues.unsaved:
            self.recorder.queues(self.queues.to_json())
            self.queues.unsaved = False

    async def close(self) -> None:
        """Let go of the session's file and lock, and of what counts its tokens."""
        self.context_use.close()
        await asyncio.to_thread(self.session.close)
