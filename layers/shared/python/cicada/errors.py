"""Every failure that CICADA names, in one tree; what to do about it is decided by the branch.

CicadaError
├── ClientError            tell the client: the sentence and the code go out as they are
│   ├── InvalidFrame       not JSON, unknown action, missing or oversized field
│   ├── RequestConflict    the requestId was used before with another text
│   ├── RequestNotFound    no such request of this user (or another user's: indistinguishable)
│   ├── NotConnected       the connection is unknown
│   ├── TokenExpired       the connection's access token has run out
│   └── LimitExceeded      too many requests; carries the seconds to wait
├── DependencyError        retry: a service that CICADA calls failed
│   ├── Throttled          it asked for fewer calls
│   ├── Unavailable        it could not be reached or broke in the middle
│   └── StreamBroken       a model's stream ended before its end
├── ConfigurationError     alarm: the deployment is wrong, retrying does not help
├── DocumentRejected       tell the uploader: the file, the place in it and the reason
├── ConnectionGone         the reader left: stop sending, keep storing
└── LeaseLost              another processor answers this request: stop without a word
"""

from __future__ import annotations


class CicadaError(Exception):
    """Base of the tree. `str(error)` is a sentence that says what to do next and holds nothing secret."""

    code = "internal"
    retryable = False


class ClientError(CicadaError):
    """The client sent something that cannot be served."""

    code = "invalid_request"


class InvalidFrame(ClientError):
    """The frame is not a command of the protocol."""

    code = "invalid_frame"


class RequestConflict(ClientError):
    """The requestId belongs to an earlier message with another text."""

    code = "request_conflict"


class RequestNotFound(ClientError):
    """No request with this id belongs to the user."""

    code = "request_not_found"


class NotConnected(ClientError):
    """The connection is not known."""

    code = "unauthorized"
    retryable = True


class TokenExpired(ClientError):
    """The access token with which the connection was opened has run out."""

    code = "token_expired"
    retryable = True


class LimitExceeded(ClientError):
    """The user has too many requests under way, or sent too many in a minute."""

    code = "rate_limited"
    retryable = True

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class DependencyError(CicadaError):
    """A service that CICADA calls failed; the same call may succeed later."""

    code = "dependency_failed"
    retryable = True


class Throttled(DependencyError):
    """The service refused the call because of its rate."""

    code = "dependency_throttled"


class Unavailable(DependencyError):
    """The service could not be reached or answered with a failure of its own."""

    code = "dependency_unavailable"


class StreamBroken(DependencyError):
    """A model's stream ended in the middle: exception event, dropped connection, stall or bad checksum."""

    code = "stream_broken"


class ConfigurationError(CicadaError):
    """The deployment is wrong: a setting, a permission or a resource is missing."""

    code = "misconfigured"


class DocumentRejected(CicadaError):
    """An uploaded file, or one record of it, cannot be ingested; says where and why.

    `kind` names the reason for metrics: a word or two in lower case, joined by `_`, and never text of the file.
    """

    code = "document_rejected"

    def __init__(self, message: str, kind: str = "unreadable") -> None:
        super().__init__(message)
        self.kind = kind


class ConnectionGone(CicadaError):
    """The WebSocket connection no longer exists."""

    code = "gone"


class LeaseLost(CicadaError):
    """Another processor has taken the request over, or the request has ended."""

    code = "lease_lost"
