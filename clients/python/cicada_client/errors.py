"""What can go wrong for a client, in one tree; `str(error)` is a sentence for a person.

CicadaClientError
├── UnauthorizedError      the access token was refused, and a fresh one too: sign in again
│   └── SignedOutError          the user was signed out on all devices
├── RefusedError           the server will not serve this command; `code` says why
└── ConnectionLostError    no news for longer than the patience allows; `follow` continues where it stopped

Every class that is raised ends in `Error` and derives from `CicadaClientError`, so that no name is taken for one of
botocore or of the server. A failed answer is an event, `Failed`, and no exception.
"""

from __future__ import annotations


class CicadaClientError(Exception):
    """Base of the tree."""


class UnauthorizedError(CicadaClientError):
    """The server refuses the access token."""


class SignedOutError(UnauthorizedError):
    """The user's sign-ins were ended, by the user or by an administrator."""


class RefusedError(CicadaClientError):
    """The server refused a command; `retry_after_seconds` is set when it said how long to wait."""

    def __init__(self, message: str, *, code: str, retryable: bool, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds


class ConnectionLostError(CicadaClientError):
    """The server cannot be reached, or a request had no news for longer than the patience allows."""
