"""One abort stops what is guarded, and nothing else."""

from __future__ import annotations

import asyncio

import pytest

from pi_lsp.agent.interrupt import Aborted, Interrupt


async def endless(begun: asyncio.Event) -> None:
    begun.set()
    await asyncio.Event().wait()


async def guarded(interrupt: Interrupt) -> asyncio.Future[None]:
    """Endless work that has begun."""
    begun = asyncio.Event()
    work = asyncio.ensure_future(interrupt.guard(endless(begun)))
    await begun.wait()
    return work


async def test_an_abort_cuts_guarded_work() -> None:
    interrupt = Interrupt()
    work = await guarded(interrupt)

    interrupt.request()

    with pytest.raises(Aborted):
        await work


async def test_nothing_guarded_begins_after_an_abort() -> None:
    interrupt = Interrupt()
    interrupt.request()
    begun: list[bool] = []

    async def work() -> None:
        begun.append(True)

    with pytest.raises(Aborted):
        await interrupt.guard(work())
    assert begun == []


async def test_a_cancelled_request_is_not_taken_for_an_abort() -> None:
    work = await guarded(Interrupt())

    work.cancel()

    with pytest.raises(asyncio.CancelledError):
        await work


async def test_nested_guards_end_together() -> None:
    interrupt = Interrupt()
    begun = asyncio.Event()

    async def outer() -> None:
        await interrupt.guard(endless(begun))

    work = asyncio.ensure_future(interrupt.guard(outer()))
    await begun.wait()
    interrupt.request()

    with pytest.raises(Aborted):
        await work
