"""The audit trail: what is recorded of connections and answers, of which documents were shown, and of deletions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Literal, Protocol

from msgspec import Struct

from cicada.errors import CicadaError, ConfigurationError, DependencyError
from cicada.identity import Principal

# Records hold ids, names of users, addresses and counts: no text of a question, an answer or a document, and no title.

Outcome = Literal[
    "complete",
    "failed",
    "cancelled",
    "interrupted",
    "replayed",
    "tool",
    "opened",
    "original",
    "suggested",
    "listed",
    "shared",
]


class ShownDocument(Struct, frozen=True, rename="camel"):
    """A document of which a user, or the model that answers the user, was shown something."""

    knowledge_base: str
    document_id: str
    version: str


class _Record(Struct, frozen=True, tag_field="kind", rename="camel", omit_defaults=True):
    """A record of the trail. `at`: epoch seconds."""

    at: float


class _UserRecord(_Record, frozen=True):
    """A record of what a user has done or was shown."""

    tenant: str
    user: str


class Handshake(_Record, frozen=True, tag="connection"):
    """A handshake. `address` and `user_agent`: of the client, as API Gateway saw them.

    `refused`: why the connection was not opened; then nobody is known to have asked for it.
    """

    connection_id: str
    address: str
    user_agent: str = ""
    tenant: str = ""
    user: str = ""
    login: str = ""
    refused: str = ""


class DocumentsShown(_UserRecord, frozen=True, tag="answer"):
    """What one attempt at an answer has shown.

    `outcome`: how the attempt ended. `interrupted`: its processor died, and the next attempt's wrote the record.
    `replayed`: stored events were sent again, by `resume` or a repeated message. `tool`: an agent of Bedrock was given
    the documents by a tool; the record of its answer has the same `request_id` and `attempt`. `opened`: no answer, but
    a page of a document, which `path` names; `request_id` is the command's. `original`: besides, the user was given an
    address of the document's file. `suggested`: no answer, but the title of each document, in a question to begin with.
    `listed`: the user was shown the documents in a list of a base, or in further rows of an answer's list. `shared`: no
    answer to the user, but a page of a conversation that somebody else shares, with answers from the documents.
    `code`: of the error in which the answer ended. `models`: that wrote the answer. `repeated`: another record of the
    same attempt may have been written before.
    """

    request_id: str
    attempt: int
    knowledge_base: str
    outcome: Outcome
    documents: tuple[ShownDocument, ...]
    login: str = ""
    connection_id: str = ""
    intent: str = ""
    path: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    code: str = ""
    repeated: bool = False


class SessionDeleted(_UserRecord, frozen=True, tag="deletion"):
    """A user has deleted a conversation, for good. `requests`: how many questions it had.

    Without a `session_id` the user has deleted everything: `sessions` conversations, and `entries`, which are profiles
    and theories with their earlier states.
    """

    session_id: str
    requests: int
    login: str = ""
    sessions: int = 1
    entries: int = 0


Act = Literal["upload", "replace", "describe", "remove"]


class DocumentEdited(_UserRecord, frozen=True, tag="edit"):
    """A user has changed a document, or was given a form to do so.

    `act`: `upload` and `replace` give a form by which a file may be sent, `describe` writes fields and readers,
    `remove` takes the file away. `readers`: who may read the document by what was written with it.
    """

    request_id: str
    knowledge_base: str
    document_id: str
    act: Act
    readers: tuple[str, ...] = ()
    login: str = ""
    connection_id: str = ""


ShareAct = Literal["share", "unshare", "open"]


class ConversationShared(_UserRecord, frozen=True, tag="share"):
    """A user shares a conversation, has ended that, or has opened one that is shared.

    `owner`, `owner_login`: of whom the conversation `session_id` belongs to. The id by which it is opened is not
    recorded: whoever reads the trail could open it.
    """

    act: ShareAct
    session_id: str
    owner: str
    request_id: str
    login: str = ""
    owner_login: str = ""
    connection_id: str = ""


AccountAct = Literal["list", "add", "disable", "enable", "groups", "use", "feedback", "failures"]


class Administered(_UserRecord, frozen=True, tag="administration"):
    """A user has administered the accounts of the own tenant, or was refused.

    `account`: the name of the account, `groups`: those that it was to have. `refused`: the code of the error in which
    the act ended; by a failure of ours a part of it may have been done.
    """

    request_id: str
    act: AccountAct
    account: str = ""
    groups: tuple[str, ...] = ()
    refused: str = ""
    login: str = ""
    connection_id: str = ""


AuditRecord = Handshake | DocumentsShown | SessionDeleted | DocumentEdited | ConversationShared | Administered


class AuditTrail(Protocol):
    """Records that can be added and read, and not changed."""

    def write(self, records: Sequence[AuditRecord]) -> None:
        """Store the records. Raises `DependencyError` or `ConfigurationError` if any of them may not be stored."""
        ...


class AuditRecorder(Struct, frozen=True):
    """An answer is not lost because its record is. `lost` is called with each record that the trail did not take."""

    trail: AuditTrail
    lost: Callable[[AuditRecord, CicadaError], object]

    def record(self, *records: AuditRecord) -> None:
        try:
            self.trail.write(records)
        except (DependencyError, ConfigurationError) as error:
            for each in records:
                self.lost(each, error)


class ShownDocuments:
    """The documents that an answer shows, each once, in the order in which it was first shown. Thread-safe.

    A document is shown where it is cited or listed, and where an agent's search gives the model a passage of it.

    `request`: which attempt at which request shows them, for tools that run elsewhere; empty if there is none.
    """

    def __init__(self, request: str = "") -> None:
        self.request = request
        self._lock = Lock()
        self._new: dict[ShownDocument, None] = {}
        self._taken: dict[ShownDocument, None] = {}

    def note(self, documents: Iterable[ShownDocument]) -> None:
        with self._lock:
            self._new |= dict.fromkeys(each for each in documents if each not in self._taken)

    def take(self) -> tuple[ShownDocument, ...]:
        """Return what was noted since the last call. Call it for each event that is stored."""
        with self._lock:
            new = tuple(self._new)
            self._taken |= self._new
            self._new = {}
            return new

    @property
    def all(self) -> tuple[ShownDocument, ...]:
        """Everything that was noted."""
        with self._lock:
            return (*self._taken, *self._new)


def shown_to(
    user: Principal,
    request_id: str,
    attempt: int,
    outcome: Outcome,
    documents: tuple[ShownDocument, ...],
    now: float,
    knowledge_base: str = "",
) -> DocumentsShown:
    """The record of what an attempt has shown. `knowledge_base`: the one asked, by default that of the documents."""
    return DocumentsShown(
        at=now,
        tenant=user.tenant,
        user=user.user,
        login=user.login,
        request_id=request_id,
        attempt=attempt,
        knowledge_base=knowledge_base or documents[0].knowledge_base,
        outcome=outcome,
        documents=documents,
    )
