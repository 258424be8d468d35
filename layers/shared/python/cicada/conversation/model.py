"""Values of the request log: a request, its head, its lease and its events."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from msgspec import Struct, field

from cicada.documents.catalogue import ListedPage
from cicada.documents.model import AnyOf, Condition
from cicada.identity import Principal
from cicada.observability.audit import ShownDocument

EPISODE = "episode_id"
"""The field of a script's documents that names their episode."""


PINNED_SECONDS = 10_000_000_000
"""What a pinned session's order is more than its time: over three centuries, so that no later time overtakes it."""


REMEMBERED_TURNS = 8
"""So many earlier turns of its session are looked at for a question."""


class Status(StrEnum):
    """The status of a request. The last three are final."""

    QUEUED = "queued"
    PROCESSING = "processing"
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        return self in (Status.COMPLETE, Status.FAILED, Status.CANCELLED)


class RequestKey(Struct, frozen=True):
    """Identity of a request. It includes the owner, so a user cannot address another user's request."""

    principal: Principal
    request_id: str


class Question(Struct, frozen=True):
    """What the user asked. `filters`: the client's conditions on documents, typed by the knowledge base's schema.

    `listing`: exactly what to list, where that is not read from the message. `restates`: the message that began this
    list, for what goes on from it: a message that takes a condition away would be read as one more condition.
    """

    message: str
    session_id: str
    knowledge_base: str
    episodes: tuple[str, ...] = ()
    filters: tuple[Condition, ...] = ()
    listing: ListedPage | None = None
    restates: str = ""

    @property
    def scope(self) -> tuple[Condition, ...]:
        """The client's restriction of the search: all of its filters, and one of its episodes."""
        return (*self.filters, *([AnyOf(EPISODE, frozenset(self.episodes))] if self.episodes else []))


class NewRequest(Struct, frozen=True):
    """An accepted message before it is stored. Times are epoch seconds."""

    key: RequestKey
    question: Question
    connection_id: str
    created_at: float
    expires_at: float


class AnswerRecord(Struct, frozen=True):
    """How a request was answered, for operators; of its text at most what a listing was of.

    `path`: the steps taken. `scores`: the quality of the evidence of each search, in order, None where it was not
    judged; more than one means that weak evidence was searched for again. `timings`: milliseconds by phase, with
    `total` and `firstToken`. `code`: of the error that the answer ended in. `listing`: the page of documents that was
    shown, for the next one. `refused_calls`: calls of models that Bedrock throttled or denied. `knowledge_base`: the
    one that the plan chose. `checked_sentences`, `unsupported_sentences`: how many were held against their passages,
    and how many of them these do not carry. `stopped`: why the model ended early. What is not known is empty.
    """

    path: tuple[str, ...] = ()
    scores: tuple[float | None, ...] = ()
    confidence: float | None = None
    timings: Mapping[str, int] = field(default_factory=dict)
    intent: str = ""
    strategy: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    code: str = ""
    listing: ListedPage | None = None
    refused_calls: int = 0
    knowledge_base: str = ""
    checked_sentences: int = 0
    unsupported_sentences: int = 0
    stopped: str = ""


Rating = Literal["good", "bad"]


class AnswerFeedback(Struct, frozen=True, rename="camel"):
    """What a user thinks of an answer. `at`: epoch seconds. `reasons` are the protocol's."""

    rating: Rating
    at: float
    reasons: tuple[str, ...] = ()
    comment: str = ""


class Head(Struct, frozen=True):
    """The request's main row, which every reader and writer uses.

    `last_seq` is the last valid event; rows beyond it are leftovers of a processor that died or lost its lease.
    `forgiven_attempts`: attempts before the last redrive, which no longer count towards the maximum.
    `record`: of the last answer, None before its end. `takeover_until`: until then no other take-over is queued.
    `feedback`: the user's, if there is any.
    """

    status: Status
    session_id: str
    connection_id: str | None
    last_seq: int
    attempt: int
    lease_until: float
    cancel_requested: bool
    created_at: float
    expires_at: float
    forgiven_attempts: int = 0
    record: AnswerRecord | None = None
    takeover_until: float = 0
    feedback: AnswerFeedback | None = None


class RatedRequest(Struct, frozen=True):
    """A request whose user has said what the answer is worth. `asked_at`: epoch seconds.

    `knowledge_base`: the one that was asked; empty if it is not known.
    """

    request_id: str
    asked_at: float
    knowledge_base: str
    feedback: AnswerFeedback


class FailedRequest(Struct, frozen=True):
    """A request that ended in the error of this code. `asked_at`, `knowledge_base`: as of a rated one."""

    request_id: str
    asked_at: float
    knowledge_base: str
    code: str


class TokensUsed(Struct, frozen=True):
    """The tokens that models read and wrote."""

    read: int
    written: int

    @property
    def total(self) -> int:
        return self.read + self.written


class DayOfTokens(Struct, frozen=True):
    """The tokens of a tenant's day. `parts`: how many were read and written, None where that is not known."""

    total: int
    parts: TokensUsed | None = None


class Lease(Struct, frozen=True):
    """The right to answer a request. `attempt` is its fencing token: a later lease invalidates all earlier ones."""

    key: RequestKey
    attempt: int
    last_seq: int
    expires_at: float
    forgiven_attempts: int = 0

    @property
    def tries(self) -> int:
        """Attempts at the request, including this one, since it was queued or last redriven."""
        return self.attempt - self.forgiven_attempts


class Shown(Struct, frozen=True):
    """The documents that an attempt at an answer has shown with one of its events."""

    attempt: int
    documents: tuple[ShownDocument, ...]


class StoredEvent(Struct, frozen=True):
    """An event of a request. `body` is the JSON object without `requestId` and `seq`.

    `shown`: documents that no earlier event of the attempt has shown; None if there is none. No client gets it.
    """

    seq: int
    body: str
    shown: Shown | None = None


class Connection(Struct, frozen=True):
    """An open WebSocket and its user. Times are epoch seconds."""

    connection_id: str
    principal: Principal
    token_expires_at: float
    token_issued_at: float
    connected_at: float = 0


class Usage(Struct, frozen=True):
    """A user's row. Times are epoch seconds.

    `theoretical_arrival` is the only state of the user's token bucket, the GCRA's: when the commands so far would be
    used up at the permitted rate. `admitted`: the latest requests and the time of each admission; `version` counts its
    changes. `revoked_before`: access tokens that were issued earlier are revoked.
    """

    version: int = 0
    theoretical_arrival: float = 0
    admitted: Mapping[str, float] = field(default_factory=dict)
    revoked_before: float = 0


class Charge(Struct, frozen=True):
    """Moves a theoretical arrival on by `seconds`, from `now` at the earliest; refused if it came after `latest`."""

    seconds: float
    now: float
    latest: float

    def paid_by(self, usage: Usage) -> float | None:
        """The arrival after the charge; None if it is refused."""
        arrival = max(usage.theoretical_arrival, self.now) + self.seconds
        return arrival if arrival <= self.latest else None


class Charged(Struct, frozen=True):
    """`usage`: the row after a charge that was paid, or the unchanged row after one that was refused."""

    paid: bool
    usage: Usage


class SessionRow(Struct, frozen=True):
    """A session in the user's list. `title`: made from its first message, or given by the user.

    `knowledge_base`: the one that the session began with; empty if it is not known. `share_id`: the id under which
    others of the tenant may read it, empty if they may not.
    """

    session_id: str
    title: str
    last_at: float
    knowledge_base: str = ""
    pinned: bool = False
    share_id: str = ""

    @property
    def order(self) -> float:
        """The place in the user's list, whose highest comes first: pinned sessions are before all others."""
        return self.last_at + (PINNED_SECONDS if self.pinned else 0)


class Share(Struct, frozen=True):
    """Where an id of a shared session leads: whose session it is, and which.

    It may outlive the sharing: the session's row alone says whether the session is shared, and under which id.
    """

    owner: Principal
    session_id: str


class TurnRow(Struct, frozen=True):
    """A request in a session's list."""

    request_id: str
    created_at: float
