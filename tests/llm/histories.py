"""Histories of any kind, for property tests: cut, forked, doubled, of several models, damaged."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.llm.words import OLDER, image, png

_WORDS = st.one_of(
    st.sampled_from(["hello", "", " \n", "a\ud83d", "\ude00b", "\x00", "…", "x" * 300]),
    st.text(alphabet=st.characters(), max_size=12),
)
_IDS = st.sampled_from(["1", "2", "3", "", "call|ü", "call|û", "toolu_01", "y" * 80, "y" * 81])
_NAMES = st.sampled_from(["read", "bash", "mcp.read file", "", "n" * 100])
_TIMES = st.integers(min_value=1, max_value=50)
_IMAGES = st.sampled_from(
    [
        image(),
        image(mime_type="image/jpeg"),
        image(b"no image at all"),
        {"type": "image", "data": "!!", "mimeType": "image/png"},
        image(png(9000, 2)),
        image(png(3000, 2)),
    ]
)
_TEXT = st.builds(lambda words: {"type": "text", "text": words}, _WORDS)
_USER_CONTENT = st.one_of(_WORDS, st.lists(st.one_of(_TEXT, _IMAGES), max_size=4))
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), _WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_WORDS, inner, max_size=3)
    ),
    max_leaves=6,
)
_ARGUMENTS = st.one_of(st.dictionaries(_WORDS, _JSON, max_size=3), st.none(), _WORDS)
_CALL = st.builds(
    lambda i, name, arguments: {
        "type": "toolCall",
        "id": i,
        "name": name,
        "arguments": arguments,
    },
    _IDS,
    _NAMES,
    _ARGUMENTS,
)
_THINKING = st.builds(
    lambda words, signature, redacted: {
        "type": "thinking",
        "thinking": words,
        **({"thinkingSignature": signature} if signature is not None else {}),
        **({"redacted": True} if redacted else {}),
    },
    _WORDS,
    st.sampled_from([None, "", "signed"]),
    st.booleans(),
)


def _message(role: str, **members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"role": st.just(role), "timestamp": _TIMES, **members})


_ASSISTANT = _message(
    "assistant",
    content=st.lists(st.one_of(_TEXT, _CALL, _THINKING), min_size=1, max_size=4),
    api=st.just("anthropic-messages"),
    provider=st.sampled_from(["anthropic", "anthropic", "other"]),
    model=st.sampled_from(["claude-sonnet-5-5", OLDER]),
    stopReason=st.sampled_from(["stop", "toolUse", "length", "error", "aborted"]),
)
_RESULT_CONTENT = st.lists(st.one_of(_TEXT, _IMAGES), max_size=3)
_OTHERS = st.one_of(
    _message("user", content=_USER_CONTENT),
    _message(
        "toolResult",
        toolCallId=_IDS,
        toolName=_NAMES,
        content=_RESULT_CONTENT,
        isError=st.booleans(),
    ),
    _message(
        "bashExecution",
        command=_WORDS,
        output=_WORDS,
        exitCode=st.sampled_from([None, 0, 3]),
        cancelled=st.booleans(),
        truncated=st.booleans(),
        excludeFromContext=st.booleans(),
    ),
    _message("custom", customType=_WORDS, content=_USER_CONTENT, display=st.booleans()),
    _message("compactionSummary", summary=_WORDS, tokensBefore=st.just(1)),
    _message("branchSummary", summary=_WORDS, fromId=st.just("root")),
)


@st.composite
def _turn(draw: st.DrawFn) -> list[Any]:
    """An answer with the results of some of its calls, in any order."""
    answer = draw(_ASSISTANT)
    results = [
        {
            "role": "toolResult",
            "toolCallId": block["id"],
            "toolName": block["name"],
            "content": draw(_RESULT_CONTENT),
            "isError": draw(st.booleans()),
            "timestamp": draw(_TIMES),
        }
        for block in answer["content"]
        if block["type"] == "toolCall" and draw(st.integers(0, 4))
    ]
    return [answer, *draw(st.permutations(results))]


HISTORIES = st.lists(
    st.one_of(_turn(), _turn(), _OTHERS.map(lambda message: [message])), max_size=9
).map(lambda parts: [message for part in parts for message in part])
