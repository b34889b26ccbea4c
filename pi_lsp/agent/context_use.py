"""How much of the model's window the conversation takes, kept current for clients."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from pi_lsp.agent.events import ContextChanged, Event
from pi_lsp.compaction.context_size import ContextMeter, MeasuredContext
from pi_lsp.llm.provider import Model
from pi_lsp.messages import AssistantMessage

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ContextFigures:
    """Tokens of a window; `percent` from 0 to 100. None while nothing can be said."""

    tokens: int | None
    window: int
    percent: float | None

    @classmethod
    def of(cls, tokens: int | None, model: Model) -> ContextFigures:
        window = model.context_window
        percent = None if tokens is None else round(100 * tokens / window, 2)
        return cls(tokens, window, percent)


class ContextUse:
    """Measures after each step that changes the context, and tells when the figure changed.

    Args:
        measured: gives the context as it is now.
        cost: gives the session's cost so far, in US dollars.
    """

    def __init__(
        self,
        meter: ContextMeter,
        measured: Callable[[], MeasuredContext],
        cost: Callable[[], float],
        emit: Callable[[Event], None],
    ) -> None:
        self.meter = meter
        self._measured = measured
        self._cost = cost
        self._emit = emit
        self._background: set[asyncio.Future[object]] = set()
        self._told: tuple[ContextFigures, float] | None = None

    def figures(self) -> ContextFigures:
        """The figures now, without waiting, for who shows them: they are told by that. What was
        not counted yet is guessed."""
        context = self._measured()
        figures = ContextFigures.of(self.meter.at_hand(context), context.model)
        self._told = (figures, self._cost())
        return figures

    def learn(self, context: MeasuredContext, answer: AssistantMessage) -> None:
        """Learn in the background, from an answer's usage, how the model counts."""
        self._do_in_background(self.meter.learn(context, answer))

    def measure_soon(self) -> None:
        """Measure in the background: the first count of all loads the encoding."""
        self._do_in_background(self.measure())

    async def measure(self) -> int:
        """Count, tell if it changed, and give the tokens."""
        context = self._measured()
        tokens = await self.meter.measure(context)
        self._tell(ContextFigures.of(tokens, context.model))
        return tokens

    def close(self) -> None:
        """Stop what is done in the background, and let go of the counter's thread."""
        for task in self._background:
            task.cancel()
        self.meter.counter.close()

    def _do_in_background(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[object]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            log.error("the context could not be measured", exc_info=fault)

    def _tell(self, figures: ContextFigures) -> None:
        told = (figures, self._cost())
        if told == self._told:
            return
        self._told = told
        self._emit(
            ContextChanged(
                tokens=figures.tokens,
                window=figures.window,
                percent=figures.percent,
                cost=told[1],
            )
        )
