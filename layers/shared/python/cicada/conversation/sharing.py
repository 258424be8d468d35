"""Sessions that their owners share with all of their tenant: who opens one reads what that user may read of it.

An answer is shown to others only if all that it rests on is known, and the reader may read it today: its documents, and
those of the earlier answers that a model was given with its question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from cicada.conversation.history import answer_text, beginning, moment_of, status_of, time_text
from cicada.conversation.limits import TURN, UsageLimits
from cicada.conversation.model import (
    REMEMBERED_TURNS,
    Connection,
    RequestKey,
    SessionRow,
    Share,
    Status,
    StoredEvent,
    TurnRow,
)
from cicada.conversation.ports import RequestLog, ShareTable
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    AnyEventBody,
    ListedDocument,
    Listing,
    OpenShared,
    SessionShared,
    SharedPage,
    SharedTurn,
    ShareSession,
    Source,
    SourcesFound,
    StatusChanged,
    UnshareSession,
    answer_events,
    first_that_fit,
    known_event,
)
from cicada.conversation.sessions import no_such_session
from cicada.conversation.withholding import WITHHELD_FROM_OTHERS, Documents, Withholding, documents_shown
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ShareNotFoundError
from cicada.identity import Principal
from cicada.observability.audit import AuditRecord, ConversationShared, ShareAct, ShownDocument, shown_to

# Steps of answers that were made with the earlier turns in view.
_WITH_EARLIER = ("generate", "follow_up", "plan:model")
_CLARIFIED = "clarify"
_MESSAGE_LIMIT_BYTES = 10 * 1024
_ANSWER_LIMIT_BYTES = 12 * 1024
# The title and the owner's name stand in a frame beside its turns.
_ROOM_BYTES = FRAME_LIMIT_BYTES - 1024

T = TypeVar("T")


class _Answer(Struct, frozen=True):
    """A turn as whoever may read all of it is shown it.

    `documents`: what the answer rests on, `shown` the same with versions. `own`: it may rest on more than is known, so
    that it is for its owner alone. `has_earlier`: it was made with the earlier turns in view.
    """

    turn: SharedTurn
    documents: Documents
    shown: tuple[ShownDocument, ...]
    own: bool
    has_earlier: bool

    @property
    def says(self) -> bool:
        """Whether there is anything to withhold. An answer that was stopped may have sources and no text."""
        return bool(self.turn.answer or self.turn.sources or self.turn.documents)


class Sharing(Struct, frozen=True):
    """`record`: takes audit records; it does not fail. `new_id` makes an id that nobody guesses."""

    log: RequestLog
    shares: ShareTable
    withholding: Withholding
    limits: UsageLimits
    record: Callable[..., object]
    clock: Callable[[], float]
    new_id: Callable[[], str]

    def share(self, command: ShareSession, connection: Connection) -> SessionShared:
        """Share the session, or say under which id it is shared. Raises `SessionNotFoundError`."""
        owner = connection.principal
        share_id = self.shares.share(owner, command.session_id, self.new_id())
        if share_id is None:
            raise no_such_session()
        self.record(self._record("share", command, connection, Share(owner, command.session_id)))
        return SessionShared(command.session_id, share_id)

    def unshare(self, command: UnshareSession, connection: Connection) -> SessionShared:
        """Stop sharing the session. Raises `SessionNotFoundError`."""
        owner = connection.principal
        if not self.shares.end(owner, command.session_id):
            raise no_such_session()
        self.record(self._record("unshare", command, connection, Share(owner, command.session_id)))
        return SessionShared(command.session_id)

    def open(self, command: OpenShared, connection: Connection) -> SharedPage:
        """A page of the turns, newest first, as the user may read them today.

        Raises `ShareNotFoundError` for every id that is not of a session shared in the user's tenant now, and
        `LimitExceededError`.
        """
        before, reader = moment_of(command.before), connection.principal
        share, session = self._shared(command.share_id, reader)
        rows = self.log.turns(share.owner, share.session_id, before, command.limit + REMEMBERED_TURNS)
        if rows:
            self.limits.spend(reader, TURN * len(rows))
        answers = [_answer(RequestKey(share.owner, row.request_id), row, self.log) for row in rows]
        gone = self.withholding.withheld(reader, frozenset().union(*(each.documents for each in answers)))
        shown = list(_shown(answers, gone))[: command.limit]
        turns = first_that_fit((_cut(each.turn) for each in shown), _ROOM_BYTES)
        more = len(turns) < len(rows)
        self._record_opening(command, connection, share, shown[: len(turns)])
        end = turns[-1].created_at if turns and more else None
        return SharedPage(share.owner.login or share.owner.user, session.title, tuple(turns), end)

    def _shared(self, share_id: str, reader: Principal) -> tuple[Share, SessionRow]:
        """Two reads, whatever is wrong with the id: the time of a refusal tells nothing either."""
        share = self.shares.find(reader.tenant, share_id)
        session = self.log.session(share.owner if share else reader, share.session_id if share else share_id)
        if share is None or session is None or session.share_id != share_id:
            raise ShareNotFoundError(
                "There is no such shared conversation: the link is not whole, or it is not shared any more."
            )
        return share, session

    def _record_opening(
        self, command: OpenShared, connection: Connection, share: Share, shown: Sequence[_Answer]
    ) -> None:
        records: list[AuditRecord] = [self._record("open", command, connection, share)]
        if documents := tuple(dict.fromkeys(found for each in shown for found in each.shown)):
            page = shown_to(connection.principal, command.request_id, 0, "shared", documents, self.clock())
            records.append(replace(page, connection_id=connection.connection_id))
        self.record(*records)

    def _record(
        self, act: ShareAct, command: ShareSession | UnshareSession | OpenShared, connection: Connection, share: Share
    ) -> ConversationShared:
        user, owner = connection.principal, share.owner
        return ConversationShared(
            at=self.clock(),
            tenant=user.tenant,
            user=user.user,
            act=act,
            session_id=share.session_id,
            owner=owner.user,
            request_id=command.request_id,
            login=user.login,
            owner_login=owner.login,
            connection_id=connection.connection_id,
        )


def _answer(key: RequestKey, row: TurnRow, log: RequestLog) -> _Answer:
    """The turn of a request. An answer that is not whole yet is not shown: it does not say yet what it rests on."""
    head, question = log.head(key), log.question(key)
    events = list(log.events(key, 0, head.last_seq)) if head and head.status.final else []
    shown = tuple(document for stored in events if stored.shown for document in stored.shown.documents)
    documents = documents_shown(key.principal, events) | {_key(key.principal, each) for each in shown}
    path = head.record.path if head and head.record and head.status is Status.COMPLETE else None
    turn = SharedTurn(
        request_id=row.request_id,
        created_at=time_text(row.created_at),
        status=status_of(head),
        message=question.message if question else "",
        answer=answer_text(events),
    )
    turn, total = _with_rows(turn, answer_events(events))
    is_counted = total > len(turn.documents)
    own = is_counted or _is_agents(events) or (_CLARIFIED in (path or ()) and not documents)
    return _Answer(turn, documents, shown, own, path is None or _has_earlier(path))


def _has_earlier(path: Iterable[str]) -> bool:
    return any(step.startswith(_WITH_EARLIER) for step in path)


def _is_agents(events: Iterable[StoredEvent]) -> bool:
    """Whether an agent has answered, from profiles and theories: nobody knows what these rest on."""
    found = (known_event(each.body) for each in events)
    return any(isinstance(each, StatusChanged) and each.stage == "agent" for each in found)


def _with_rows(turn: SharedTurn, events: Iterable[AnyEventBody]) -> tuple[SharedTurn, int]:
    """The turn with its sources and documents, and of how many documents its lists say something, listed or not.

    A relevance was measured among what the owner may read: it is left out.
    """
    sources: dict[int, Source] = {}
    documents: list[ListedDocument] = []
    base, total = None, 0
    for event in events:
        if isinstance(event, SourcesFound):
            base = event.knowledge_base
            sources |= {each.n: replace(each, relevance=None) for each in event.sources}
        elif isinstance(event, Listing):
            base, total = event.knowledge_base or base, event.total
            documents += (replace(each, relevance=None) for each in event.documents)
    in_order = tuple(sources[n] for n in sorted(sources))
    return replace(turn, knowledge_base=base, sources=in_order, documents=tuple(documents)), total


def _key(principal: Principal, document: ShownDocument) -> DocumentKey:
    return DocumentKey(KnowledgeBaseKey(principal.tenant, document.knowledge_base), document.document_id)


def _shown(answers: Sequence[_Answer], gone: Documents) -> Iterator[_Answer]:
    """The turns as a user is shown them who may not read the documents `gone`; all are given newest first."""
    is_withheld: list[bool] = []
    for each in reversed(answers):
        follows = each.has_earlier and any(is_withheld[-REMEMBERED_TURNS:])
        is_withheld.append(each.says and (each.own or follows or bool(each.documents & gone)))
    for each, withheld in zip(answers, reversed(is_withheld), strict=True):
        yield _withheld(each) if withheld else each


def _withheld(answer: _Answer) -> _Answer:
    turn, _ = _with_rows(replace(answer.turn, answer=WITHHELD_FROM_OTHERS, withheld=True), ())
    return replace(answer, turn=turn, shown=())


def _cut(turn: SharedTurn) -> SharedTurn:
    """The turn as far as it fits into a frame by itself."""
    text = beginning(turn.message, _MESSAGE_LIMIT_BYTES), beginning(turn.answer, _ANSWER_LIMIT_BYTES)
    cut = replace(turn, message=text[0], answer=text[1], sources=(), documents=())
    cut = replace(cut, sources=_beginning(turn.sources, cut))
    cut = replace(cut, documents=_beginning(turn.documents, cut))
    return replace(cut, truncated=cut != turn)


def _beginning(rows: Sequence[T], turn: SharedTurn) -> tuple[T, ...]:
    """The first rows, as many as fit beside the turn."""
    beside = len(encode(replace(turn, truncated=False))) + len(",")
    return tuple(first_that_fit(rows, _ROOM_BYTES - beside))
