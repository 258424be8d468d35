"""CICADA's exceptions in one tree. The branch decides how a failure is handled.

CicadaError
├── RequestError            tell the client: the sentence and the code go out as they are
│   ├── InvalidFrameError       not JSON, unknown action, missing or oversized field
│   ├── InvalidFilterError      the knowledge base has no such field, or no such value of it
│   ├── UnknownKnowledgeBaseError   no such knowledge base, or not for this user: indistinguishable
│   ├── RequestConflictError    the requestId was used before with another text
│   ├── RequestNotFoundError    no such request of this user (or another user's: indistinguishable)
│   ├── SessionNotFoundError    no such conversation of this user, or it has been deleted
│   ├── SessionBusyError        an answer of the conversation is under way
│   ├── ShareNotFoundError      no conversation is shared under this id: revoked, foreign or forged, indistinguishable
│   ├── DocumentNotFoundError   no such document, removed, or not for this user: indistinguishable
│   ├── NoEditorError           the user may not change documents
│   ├── DocumentRefusedError    a document cannot have this name, size, kind, or description
│   ├── DocumentExistsError     there is a document of that name
│   ├── DocumentChangedError    somebody else has changed the document meanwhile, or is about to
│   ├── NoAdministratorError    the user may not administer accounts
│   ├── UserNotFoundError       no such account, or of another tenant: indistinguishable
│   ├── UserExistsError         there is an account of that name
│   ├── UserRefusedError        an account cannot be changed so
│   ├── NotConnectedError       the connection is unknown
│   ├── TokenExpiredError       the connection's access token has run out
│   ├── SignedOutError          the user's sign-ins were ended since the token was issued
│   ├── TooManyConnectionsError     a newer connection of the user took this one's place
│   └── LimitExceededError      too many commands; carries the seconds to wait
│       ├── FloodError              the user goes on sending while refused: the connection is closed
│       └── TokenQuotaError         the tenant has used its tokens of the day
├── DependencyError        retry: a service that CICADA calls failed
│   ├── ThrottledError          it asked for fewer calls
│   ├── UnavailableError        it could not be reached or broke in the middle
│   │   ├── OpenCircuitError        it kept failing and is not asked for a while
│   │   ├── SilentModelError        a model or an agent wrote nothing in time
│   │   └── HalfMadeAccountError    a new account was left in part
│   ├── StreamBrokenError       a model's stream ended before its end
│   └── OutOfTimeError          the answer's deadline has passed: no further call is made
├── ConfigurationError     alarm: the deployment is wrong, retrying does not help
│   └── IndexIncompleteError    the index lacks documents that are kept: it must be rebuilt
├── PlanRefusedError       use the rules: a model's plan does not fit the knowledge base
├── DocumentRejectedError       tell the uploader: the file, the place in it and the reason
│   └── ScanError               the file has no text, and a recognition of text may find some
├── ConnectionGoneError         the user left: stop sending, keep storing
└── LeaseLostError              another processor answers this request: stop without a word
"""

from __future__ import annotations


class CicadaError(Exception):
    """Base of the tree. `str(error)` is a sentence that says what to do next and holds nothing secret."""

    code = "internal"
    retryable = False


class RequestError(CicadaError):
    """The client sent something that cannot be served."""

    code = "invalid_request"


class InvalidFrameError(RequestError):
    """The frame is not a command of the protocol."""

    code = "invalid_frame"


class InvalidFilterError(RequestError):
    """A filter cannot be used in the knowledge base; the sentence lists what can."""

    code = "invalid_filter"


class UnknownKnowledgeBaseError(RequestError):
    """The knowledge base does not exist, or the user may not ask it; the sentence names the nearest one."""

    code = "unknown_knowledge_base"


class RequestConflictError(RequestError):
    """The requestId belongs to an earlier message with another text."""

    code = "request_conflict"


class RequestNotFoundError(RequestError):
    """No request with this id belongs to the user."""

    code = "request_not_found"


class SessionNotFoundError(RequestError):
    """The user has no conversation with this id: it never was, was deleted, or has expired."""

    code = "session_not_found"


class SessionBusyError(RequestError):
    """An answer of the conversation is under way, or a question has just come: it cannot be deleted now."""

    code = "session_busy"


class ShareNotFoundError(RequestError):
    """No conversation is shared under this id with the user; nobody is told whether one was."""

    code = "share_not_found"


class DocumentNotFoundError(RequestError):
    """The document does not exist, was removed, or may not be read by the user; nobody is told which."""

    code = "document_not_found"


class NoEditorError(RequestError):
    """The user is not in the group whose members may change documents, or the stage has none."""

    code = "no_editor"


class DocumentRefusedError(RequestError):
    """A document cannot have this name, size, kind or description; the sentence says why."""

    code = "document_refused"


class DocumentExistsError(RequestError):
    """There is a document of the name that a new one was to have."""

    code = "document_exists"


class DocumentChangedError(RequestError):
    """Somebody else has changed the document meanwhile, or is about to: nothing was written."""

    code = "document_changed"


class NoAdministratorError(RequestError):
    """The user is not in the group whose members administer accounts, or the stage has none."""

    code = "no_administrator"


class UserNotFoundError(RequestError):
    """The account does not exist, or is of another tenant; nobody is told which."""

    code = "user_not_found"


class UserExistsError(RequestError):
    """There is an account of the name that a new one was to have; names are taken in all tenants."""

    code = "user_exists"


class UserRefusedError(RequestError):
    """An account cannot have this name or this group, or may not be changed so; the sentence says why."""

    code = "user_refused"


class NotConnectedError(RequestError):
    """The connection is not known."""

    code = "unauthorized"
    retryable = True


class TokenExpiredError(RequestError):
    """The access token with which the connection was opened has run out."""

    code = "token_expired"
    retryable = True


class SignedOutError(RequestError):
    """The user's sign-ins were ended, by the user or by an administrator, after the access token was issued."""

    code = "signed_out"


class LimitExceededError(RequestError):
    """The user has too many requests under way, or sent too many commands in a minute."""

    code = "rate_limited"
    retryable = True

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class FloodError(LimitExceededError):
    """The user goes on sending commands although they are refused."""


class TokenQuotaError(LimitExceededError):
    """The user's tenant has used the tokens that it may use in a day."""

    code = "token_quota_reached"
    retryable = False  # by a client at once: the day is not over for hours


class TooManyConnectionsError(RequestError):
    """The user has opened more connections than one may have; the oldest is closed."""

    code = "too_many_connections"


class DependencyError(CicadaError):
    """A service that CICADA calls failed; the same call may succeed later."""

    code = "dependency_failed"
    retryable = True


class ThrottledError(DependencyError):
    """The service refused the call because of its rate."""

    code = "dependency_throttled"


class UnavailableError(DependencyError):
    """The service could not be reached or answered with a failure of its own."""

    code = "dependency_unavailable"


class OpenCircuitError(UnavailableError):
    """The service kept failing, so it was not called; it is tried again after a while."""


class SilentModelError(UnavailableError):
    """A model or an agent wrote nothing in the time that it has for its first text."""


class HalfMadeAccountError(UnavailableError):
    """A new account was created in part only, and could not be removed again."""


class StreamBrokenError(DependencyError):
    """A model's stream ended in the middle: exception event, dropped connection, stall or bad checksum."""

    code = "stream_broken"


class OutOfTimeError(DependencyError):
    """The answer took longer than it may. It is not retried within the same answer."""

    code = "out_of_time"


class ConfigurationError(CicadaError):
    """The deployment is wrong: a setting, a permission or a resource is missing."""

    code = "misconfigured"


class IndexIncompleteError(ConfigurationError):
    """The index lacks most of a knowledge base's documents, so that "nothing found" would be wrong."""

    code = "index_incomplete"


class PlanRefusedError(CicadaError):
    """A model's plan cannot be used. `kind` names the reason for metrics: a word or two joined by `_`."""

    code = "plan_refused"

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class DocumentRejectedError(CicadaError):
    """An uploaded file, or one record of it, cannot be ingested; says where and why.

    `kind` names the reason for metrics: a word or two in lower case, joined by `_`, and never text of the file.
    """

    code = "document_rejected"

    def __init__(self, message: str, kind: str = "unreadable") -> None:
        super().__init__(message)
        self.kind = kind


class ScanError(DocumentRejectedError):
    """A file is readable but has no text on any of its `pages`; a recognition of text may find some."""

    def __init__(self, message: str, pages: int) -> None:
        super().__init__(message, "no_text")
        self.pages = pages


class ConnectionGoneError(CicadaError):
    """The WebSocket connection no longer exists."""

    code = "gone"


class LeaseLostError(CicadaError):
    """Another processor has taken the request over, or the request has ended."""

    code = "lease_lost"
