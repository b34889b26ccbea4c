"""What a client needs to draw itself again, in the middle of a run too."""

from __future__ import annotations

from typing import Any

from pi_lsp.agent.environment import Environment
from pi_lsp.agent.events import QueueItem, Queues, WireModel
from pi_lsp.agent.open_calls import open_calls
from pi_lsp.agent.parts import RunParts
from pi_lsp.agent.phases import Phase
from pi_lsp.agent.tool_calls import RunningTool
from pi_lsp.llm.provider import Model
from pi_lsp.llm.providers import Providers
from pi_lsp.llm.thinking import levels
from pi_lsp.messages import JsonObject
from pi_lsp.session import Session, SessionStats


class ModelPrices(WireModel, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float


class ModelInfo(WireModel, frozen=True):
    """A model as clients see it; windows in tokens. `available`: its key is there."""

    provider: str
    id: str
    name: str
    context_window: int
    max_tokens: int
    reasoning: bool
    thinking_levels: list[str]
    input: list[str]
    cost: ModelPrices
    available: bool

    @classmethod
    def of(cls, model: Model, providers: Providers) -> ModelInfo:
        cost = model.cost
        return cls(
            provider=model.provider,
            id=model.id,
            name=model.name,
            context_window=model.context_window,
            max_tokens=model.max_tokens,
            reasoning=model.reasoning,
            thinking_levels=list(levels(model)),
            input=list(model.input),
            cost=ModelPrices(
                input=cost.input,
                output=cost.output,
                cache_read=cost.cache_read,
                cache_write=cost.cache_write,
            ),
            available=providers.available(model),
        )


class ContextState(WireModel, frozen=True):
    """Tokens in the context and in the window; percent from 0 to 100."""

    tokens: int | None
    window: int
    percent: float | None


class UsageTotals(WireModel, frozen=True):
    """Tokens and US dollars of all answers and summaries in the file."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0

    @classmethod
    def of(cls, stats: SessionStats) -> UsageTotals:
        return cls(
            input=stats.input,
            output=stats.output,
            cache_read=stats.cache_read,
            cache_write=stats.cache_write,
            cost=stats.cost,
        )


class RecoveredQueues(WireModel, frozen=True):
    """What was queued when the server last died, for the composer."""

    steer: list[QueueItem]
    follow_up: list[QueueItem]


class RetryState(WireModel, frozen=True):
    """The wait for a retry that runs now; ms."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error: str


class CompactionState(WireModel, frozen=True):
    reason: str


class AgentState(WireModel, frozen=True):
    """All of the agent that a client draws; the server adds what is its own."""

    session_id: str
    file: str
    name: str | None = None
    phase: Phase
    leaf_id: str | None
    model: ModelInfo
    thinking_level: str
    queues: Queues
    recovered: RecoveredQueues | None = None
    steering_mode: str
    follow_up_mode: str
    auto_compaction: bool
    approval_mode: str
    context: ContextState
    usage: UsageTotals
    running_tools: list[RunningTool]
    streaming: JsonObject | None = None
    retry: RetryState | None = None
    compaction: CompactionState | None = None
    can_continue: bool
    message_count: int
    read_only: bool


def agent_state(
    parts: RunParts, phase: Phase, environment: Environment, recovered: Queues | None
) -> AgentState:
    """The state now.

    Args:
        recovered: what was queued when the server last died.
    """
    session = parts.session
    figures = parts.context_use.figures()
    now: dict[str, Any] = {}
    if recovered is not None:
        now["recovered"] = RecoveredQueues(steer=recovered.steer, follow_up=recovered.follow_up)
    if (streaming := parts.calls.draft.as_wire()) is not None:
        now["streaming"] = streaming
    if (waiting := parts.calls.waiting) is not None:
        now["retry"] = RetryState.model_validate(waiting.model_dump())
    if parts.compacting is not None:
        now["compaction"] = CompactionState(reason=parts.compacting)
    if session.name is not None:
        now["name"] = session.name
    return AgentState(
        session_id=session.id,
        file=str(session.file),
        phase=phase,
        leaf_id=session.visible_leaf_id,
        model=ModelInfo.of(parts.choice.model, environment.providers),
        thinking_level=parts.choice.level,
        queues=parts.queues.as_wire(),
        steering_mode=parts.queues.steering_mode,
        follow_up_mode=parts.queues.follow_up_mode,
        auto_compaction=parts.auto_compaction,
        approval_mode=environment.approval.mode,
        context=ContextState(tokens=figures.tokens, window=figures.window, percent=figures.percent),
        usage=UsageTotals.of(session.stats()),
        running_tools=parts.tools.running(),
        can_continue=phase == "idle" and can_continue(session),
        message_count=session.message_count,
        read_only=session.read_only,
        **now,
    )


def can_continue(session: Session) -> bool:
    """Whether the agent could run on from the leaf without a new message.

    It could when the last message has no answer, or an answer that failed, was stopped, was cut
    off, or calls tools that never answered.
    """
    messages = [one.message for one in session.context().messages]
    if not messages:
        return False
    last = messages[-1]
    if last["role"] == "assistant":
        return last["stopReason"] != "stop" or bool(open_calls(messages))
    return last["role"] in ("user", "toolResult")
