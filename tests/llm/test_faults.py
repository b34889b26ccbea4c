"""What goes wrong between us and the service, in words that a person can act on."""

from __future__ import annotations

import socket
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from pi_lsp.errors import AuthError, ProviderError
from pi_lsp.llm.anthropic.faults import retry_after_ms
from pi_lsp.llm.anthropic.provider import AnthropicProvider
from tests.llm.conftest import KEY
from tests.llm.words import answer_of, new_answer, request, user
from tests.messages_api import Cut, ErrorEvent, Event, HttpError, MessagesApi, Text

HI = request(user("hi"))


async def fault_of(provider: AnthropicProvider) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await answer_of(provider, HI)
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "error",
    [
        HttpError(408, "timeout_error", "Request timed out"),
        HttpError(409, "conflict_error", "Conflict"),
        HttpError(429, "rate_limit_error", "Number of request tokens has exceeded your limit"),
        HttpError(500, "api_error", "Internal server error"),
        HttpError(502, body="<html><h1>Bad Gateway</h1></html>"),
        HttpError(503, body=""),
        HttpError(520, body="unknown error"),
        HttpError(524, body="a timeout occurred"),
        HttpError(529, "overloaded_error", "Overloaded"),
    ],
)
async def test_what_may_pass_is_worth_a_retry(
    api: MessagesApi, provider: AnthropicProvider, error: HttpError
) -> None:
    api.reply(error)
    fault = await fault_of(provider)
    assert fault.retryable
    assert not fault.overflow
    assert "<" not in fault.message
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (HttpError(400, "invalid_request_error", "tools.0: bad"), "tools.0: bad"),
        (HttpError(403, "permission_error", "no access"), "another model or key"),
        (HttpError(404, "not_found_error", "model: claude-x"), "does not know this model"),
        (HttpError(413, "request_too_large", "Request too large"), "images or attached files"),
        (HttpError(402, "billing_error", "Pay"), "credit"),
        (HttpError(400, "invalid_request_error", "Your credit balance is too low"), "credit"),
        (HttpError(429, "rate_limit_error", "You exceeded your current quota"), "credit"),
        (HttpError(429, "rate_limit_error", "check your billing details"), "credit"),
        (HttpError(422, "invalid_request_error", "no"), "422"),
        (HttpError(302, headers={"location": "http://elsewhere"}, body=""), "302"),
    ],
)
async def test_what_will_not_pass_says_what_to_do(
    api: MessagesApi, provider: AnthropicProvider, error: HttpError, words: str
) -> None:
    api.reply(error)
    fault = await fault_of(provider)
    assert not fault.retryable
    assert not fault.overflow
    assert words in fault.message


async def test_a_refused_key_says_how_to_set_one(api: MessagesApi) -> None:
    provider = AnthropicProvider("sk-ant-wrong", api.url)
    with pytest.raises(AuthError, match="ANTHROPIC_API_KEY"):
        await answer_of(provider, HI)
    await provider.close()


@pytest.mark.parametrize(
    "error",
    [
        HttpError(
            400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
        ),
        HttpError(
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
        ),
        HttpError(
            400,
            "exceed_context_size_error",
            "the request exceeds the available context size, try increasing it",
        ),
        HttpError(413, "request_too_large", "Prompt is too long"),
        HttpError(500, body='{"error": "context length exceeded"}'),
        HttpError(500, "api_error", "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"),
        HttpError(
            500,
            "api_error",
            "Trying to keep the first 9000 tokens when context the overflows. However, the model "
            "is loaded with context length of only 8192 tokens, which is not enough.",
        ),
    ],
)
async def test_a_request_that_is_too_long_for_the_model_is_known(
    api: MessagesApi, provider: AnthropicProvider, error: HttpError
) -> None:
    api.reply(error)
    fault = await fault_of(provider)
    assert fault.overflow
    assert not fault.retryable
    assert "Compact" in fault.message


async def test_a_limit_that_speaks_of_tokens_is_no_overflow(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(
        HttpError(429, "rate_limit_error", "prompt is too long for your tokens per minute limit")
    )
    fault = await fault_of(provider)
    assert fault.retryable
    assert not fault.overflow


@pytest.mark.parametrize(
    ("event", "retryable", "overflow"),
    [
        (ErrorEvent("overloaded_error", "Overloaded"), True, False),
        (ErrorEvent("api_error", "Internal server error, check billing"), True, False),
        (ErrorEvent("invalid_request_error", "prompt is too long: 9 > 8"), False, True),
        (ErrorEvent("invalid_request_error", "no"), False, False),
        (Event("error", {"type": "error"}), False, False),
    ],
)
async def test_an_error_in_the_middle_of_a_stream_is_a_fault(
    api: MessagesApi,
    provider: AnthropicProvider,
    event: ErrorEvent,
    retryable: bool,
    overflow: bool,
) -> None:
    api.reply(Text("half an"), event)
    fault = await fault_of(provider)
    assert (fault.retryable, fault.overflow) == (retryable, overflow)


async def test_a_stream_that_ends_too_early_is_worth_a_retry(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(Text("half an"), message_stop=False)
    fault = await fault_of(provider)
    assert fault.retryable
    assert "before it was complete" in fault.message


async def test_a_connection_that_breaks_off_is_worth_a_retry_and_what_came_is_kept(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(Text("half an"), Cut())
    answer = new_answer(HI)
    with pytest.raises(ProviderError) as caught:
        async for _ in provider.stream(HI, answer):
            pass
    assert caught.value.retryable
    assert answer.stop_reason is None


async def test_nobody_there_is_worth_a_retry_and_names_the_place() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        provider = AnthropicProvider(KEY, url.replace("//", "//someone:pass@") + "?token=1")
        fault = await fault_of(provider)
        await provider.close()
    assert fault.retryable
    assert url in fault.message
    assert "someone" not in fault.message
    assert "token" not in fault.message


async def test_a_proxy_that_cannot_be_used_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:70")
    fault = await fault_of(AnthropicProvider(KEY))
    assert not fault.retryable
    assert "proxy" in fault.message


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://127.0.0.1"])
async def test_a_place_that_is_no_url_says_so(url: str) -> None:
    provider = AnthropicProvider(KEY, url)
    fault = await fault_of(provider)
    await provider.close()
    assert not fault.retryable
    assert "base URL" in fault.message


@pytest.mark.parametrize("key", ["sk-ünicode", "sk-a\nb", " ", "sk-\x00"])
async def test_a_key_that_no_header_can_hold_is_refused_without_naming_it(key: str) -> None:
    with pytest.raises(AuthError) as caught:
        await answer_of(AnthropicProvider(key, "http://127.0.0.1:1"), HI)
    assert key.strip() == "" or key not in str(caught.value)


async def test_a_service_that_repeats_the_key_does_not_get_it_into_our_words(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(HttpError(400, "invalid_request_error", f"the key {KEY} may not do this"))
    fault = await fault_of(provider)
    assert "[key]" in fault.message


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7000),
        ({"retry-after": "0.5"}, 500),
        ({"retry-after": "7", "retry-after-ms": "20"}, 20),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0),
        ({"retry-after": "86400"}, 86_400_000),
    ],
)
def test_how_long_to_wait_is_understood_or_left_to_us(
    headers: dict[str, str], expected: int | None
) -> None:
    assert retry_after_ms(headers) == expected


def test_a_date_to_wait_for_is_understood() -> None:
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=60), usegmt=True)
    wait = retry_after_ms({"retry-after": date})
    assert wait is not None
    assert 0 < wait <= 60_000


async def test_the_wait_that_the_service_asks_for_is_told(
    api: MessagesApi, provider: AnthropicProvider
) -> None:
    api.reply(HttpError(429, "rate_limit_error", "Slow down", headers={"retry-after": "3"}))
    assert (await fault_of(provider)).retry_after_ms == 3000
