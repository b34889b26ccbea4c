"""One question to a model, asked again when a fault may pass.

Turns and summaries go through here, so that both are retried, stopped and told of alike.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pi_lsp.agent.draft import Draft
from pi_lsp.agent.events import Event, RetryEnd, RetryStart
from pi_lsp.agent.interrupt import Interrupt
from pi_lsp.errors import ProviderError
from pi_lsp.llm.answer import Answer
from pi_lsp.llm.provider import Request
from pi_lsp.llm.providers import Providers
from pi_lsp.messages import AssistantMessage
from pi_lsp.settings import RetrySettings

log = logging.getLogger(__name__)


class ModelCalls:
    """Asks models.

    Attributes:
        draft: the answer that is shown while it streams.
        waiting: the wait for a retry that runs now, if any.
    """

    def __init__(
        self, providers: Providers, emit: Callable[[Event], None], retry: RetrySettings
    ) -> None:
        self.draft = Draft(emit)
        self.waiting: RetryStart | None = None
        self._providers = providers
        self._emit = emit
        self._retry = retry

    def configure(self, providers: Providers, retry: RetrySettings) -> None:
        """Take new settings; they hold from the next question on."""
        self._providers = providers
        self._retry = retry

    async def answer(self, request: Request, interrupt: Interrupt) -> Answer:
        """Ask for the next answer of the conversation; it streams as events.

        Raises:
            ProviderError: the fault that no retry follows; `draft` holds what came.
            Aborted: it was stopped; `draft` holds what came.
        """
        return await self._ask(request, interrupt, self.draft)

    async def aside(self, request: Request, interrupt: Interrupt) -> AssistantMessage:
        """Ask something that is no part of the conversation (a summary); nothing streams.

        Raises:
            ProviderError: the fault that no retry follows.
            Aborted: it was stopped.
        """
        return (await self._ask(request, interrupt, None)).message()

    async def _ask(self, request: Request, interrupt: Interrupt, draft: Draft | None) -> Answer:
        failures = 0
        succeeded = False
        try:
            while True:
                answer = _new_answer(request)
                if draft is not None:
                    draft.begin(answer)
                try:
                    await interrupt.guard(self._stream(request, answer, draft))
                except ProviderError as fault:
                    answer.error = fault.message
                    if not self._may_retry(fault, failures):
                        raise
                    failures += 1
                    await self._wait(fault, failures, interrupt, draft, request)
                    continue
                succeeded = True
                return answer
        finally:
            if failures:
                self._emit(RetryEnd(success=succeeded))

    async def _stream(self, request: Request, answer: Answer, draft: Draft | None) -> None:
        provider = self._providers.get(request.model)
        async for delta in provider.stream(request, answer):
            if draft is not None:
                draft.add(delta)

    def _may_retry(self, fault: ProviderError, failures: int) -> bool:
        return fault.retryable and self._retry.enabled and failures < self._retry.max_retries

    def _delay_ms(self, fault: ProviderError, attempt: int) -> int:
        """Twice as long each time, or as the service says, up to the longest that is allowed."""
        longest = self._retry.max_agent_delay_ms
        if fault.retry_after_ms is not None:
            return min(fault.retry_after_ms, longest)
        return min(self._retry.base_delay_ms * 2 ** (attempt - 1), longest)

    async def _wait(
        self,
        fault: ProviderError,
        attempt: int,
        interrupt: Interrupt,
        draft: Draft | None,
        request: Request,
    ) -> None:
        if draft is not None:
            # What the failed attempt streamed is void: a stop during the wait keeps only why.
            void = _new_answer(request)
            void.error = fault.message
            draft.begin(void)
        delay_ms = self._delay_ms(fault, attempt)
        log.info("attempt %d failed, waiting %d ms: %s", attempt, delay_ms, fault.message)
        self.waiting = RetryStart(
            attempt=attempt,
            max_attempts=self._retry.max_retries,
            delay_ms=delay_ms,
            error=fault.message,
        )
        self._emit(self.waiting)
        try:
            await interrupt.guard(asyncio.sleep(delay_ms / 1000))
        finally:
            self.waiting = None


def _new_answer(request: Request) -> Answer:
    model = request.model
    return Answer(
        api=model.api,
        provider=model.provider,
        model=model.id,
        thinking_level=request.thinking_level,
    )
