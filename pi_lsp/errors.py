"""What can go wrong, one class per error code of the wire.

    PiError
    ├── BusyError               busy                 another operation runs
    ├── InvalidStateError       invalid_state        nothing there to do this with
    ├── NotFoundError           not_found            no such entry, session, model, file
    ├── InvalidArgumentError    invalid_argument     a value that cannot be used
    ├── SessionLockedError      session_locked       another program writes this session
    ├── SessionInvalidError     session_invalid      the file is no session, or cannot be read
    ├── NothingToCompactError   nothing_to_compact
    ├── NoModelError            no_model             no model can be used
    ├── ProviderError           provider             the model's service answered with a fault
    │   └── AuthError           auth                 no key, or one that was refused
    ├── StorageError            io                   the disk refused
    ├── ReadOnlyError           read_only            the session can only be read
    └── UntrustedError          untrusted            the folder is not trusted

The message is one sentence for a person: what happened and what to do. It never holds a key.
How a code travels to an editor is the server's business (`pi_lsp.server.protocol`).
"""

from __future__ import annotations

from typing import ClassVar


class PiError(Exception):
    """A fault that a person can act on.

    Args:
        message: one sentence that says what happened and what to do.
    """

    code: ClassVar[str] = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BusyError(PiError):
    code = "busy"


class InvalidStateError(PiError):
    code = "invalid_state"


class NotFoundError(PiError):
    code = "not_found"


class InvalidArgumentError(PiError):
    code = "invalid_argument"


class SessionLockedError(PiError):
    code = "session_locked"


class SessionInvalidError(PiError):
    code = "session_invalid"


class NothingToCompactError(PiError):
    code = "nothing_to_compact"


class NoModelError(PiError):
    code = "no_model"


class ProviderError(PiError):
    """The model's service answered with a fault, or did not answer.

    Args:
        message: one sentence for a person.
        retryable: the same request may succeed a little later.
        retry_after_ms: how long the service asked to wait, in ms; None when it did not say.
        overflow: the request was longer than the model's context window.
    """

    code = "provider"

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after_ms: int | None = None,
        overflow: bool = False,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.overflow = overflow


class AuthError(ProviderError):
    code = "auth"


class StorageError(PiError):
    code = "io"


class ReadOnlyError(PiError):
    code = "read_only"


class UntrustedError(PiError):
    code = "untrusted"
