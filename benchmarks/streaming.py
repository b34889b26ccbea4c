"""What reading a long answer costs: 20,000 deltas from a local server in another process.

    python -m benchmarks.streaming [--deltas 20000] [--rounds 3]

Processor time of this process, best of the rounds. "lines" only reads the response, without
looking at it: nothing that goes through the SDK's HTTP library can be quicker. "helper" is the
SDK's `messages.stream`, for comparison.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.quick_provider import quick_provider
from pi_lsp.llm.answer import Answer
from pi_lsp.llm.anthropic.provider import AnthropicProvider
from pi_lsp.llm.anthropic.request import build
from pi_lsp.llm.anthropic.sdk import new_client, warm_up
from pi_lsp.llm.catalogue import Catalogue
from pi_lsp.llm.provider import Request

MODEL = Catalogue().default(lambda _model: True)
REQUEST = Request(MODEL, "Be long.", [{"role": "user", "content": "go", "timestamp": 0}])


async def read_lines(client: Any) -> None:
    async with await client.messages.create(**build(REQUEST), stream=True) as stream:
        async for _ in stream.response.aiter_lines():
            pass


async def read_by_helper(client: Any) -> None:
    async with client.messages.stream(**build(REQUEST)) as stream:
        async for _ in stream:
            pass


async def read_here(provider: AnthropicProvider) -> None:
    answer = Answer(MODEL.api, MODEL.provider, MODEL.id)
    async for _ in provider.stream(REQUEST, answer):
        pass
    answer.message()


async def best_of(rounds: int, work: Callable[[], Awaitable[None]]) -> float:
    """The least processor time of the rounds, in ms."""
    times: list[float] = []
    for _ in range(rounds):
        begun = time.process_time()
        await work()
        times.append(time.process_time() - begun)
    return min(times) * 1000


async def measure(url: str, rounds: int) -> None:
    warm_up()
    client = new_client("key", url)
    provider = AnthropicProvider("key", url)
    for name, work in (
        ("lines", lambda: read_lines(client)),
        ("pi-lsp", lambda: read_here(provider)),
        ("helper", lambda: read_by_helper(client)),
    ):
        print(f"  {name:8}{await best_of(rounds, work):8.0f}")
    await provider.close()
    await client.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deltas", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{arguments.deltas} deltas, ms of processor time")
    with quick_provider(arguments.deltas) as url:
        asyncio.run(measure(url, arguments.rounds))


if __name__ == "__main__":
    main()
