"""A local HTTP server that speaks the Anthropic Messages API, scripted by a test.

    with MessagesApi() as api:
        gate = Gate()
        api.reply(Text("Let me look."), ToolCall("read", {"path": "a.txt"}))
        api.reply(Text("It says"), gate, Text(" hello."))
        api.reply(HttpError(529, "overloaded_error", "Overloaded"))
        ...                                     # drive a client with base URL `api.url`
        await gate.reached()                    # the server stands at the gate
        gate.open()
        assert api.requests[1].tool_results()[0]["content"] == ...

Each request takes the next reply. Every request is first checked against the rules of the real
API (`rules.py`): one that breaks a rule is answered with 400, as the real one does, and leaving
the `with` block then fails the test. A reply is made of parts, sent one after the other; see
`parts.py` for all of them. From another process: `python -m tests.messages_api --help`.
"""

from tests.messages_api.parts import (
    Comment,
    Cut,
    Delay,
    ErrorEvent,
    Event,
    Gate,
    HttpError,
    Ping,
    Raw,
    Redacted,
    Reply,
    Text,
    Thinking,
    ToolCall,
    Wire,
)
from tests.messages_api.requests import ApiRequest
from tests.messages_api.rules import problems_of
from tests.messages_api.server import MessagesApi

__all__ = [
    "ApiRequest",
    "Comment",
    "Cut",
    "Delay",
    "ErrorEvent",
    "Event",
    "Gate",
    "HttpError",
    "MessagesApi",
    "Ping",
    "Raw",
    "Redacted",
    "Reply",
    "Text",
    "Thinking",
    "ToolCall",
    "Wire",
    "problems_of",
]
