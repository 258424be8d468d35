"""The request log in one DynamoDB table.

    pk                              sk              what
    <tenant>#<user>#<requestId>     HEAD            the request's head: small, as every event updates it
    <tenant>#<user>#<requestId>     E#<seq>         an event; the first also holds the question
    <tenant>#<user>                 SESSION#<id>    a session of the user, or the mark of a deleted one
    <tenant>#<user>                 USAGE           the user's recent usage (`usage_table`)
    <tenant>                        SHARE#<id>      whose session is shared under this id (`share_table`)
    <tenant>                        TOKENS#<day>    the tokens of the tenant's day (`token_counter`)

The index `history` lists sessions (historyKey = owner) and a session's requests (historyKey = owner and session). The
index `noted` lists the heads of a tenant that were rated or have failed (`noted_requests`): others have no `notedFor`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.json import encode
from msgspec.structs import replace

from cicada.adapters.aws_errors import dynamo_errors
from cicada.adapters.dynamodb.request_items import (
    event_item,
    event_key,
    first_event_item,
    head_item,
    number,
    partition_key,
    read_event,
    read_head,
    read_question,
    read_session,
    record_text,
    session_history_key,
    session_id_of,
    session_keys,
    session_row_key,
    session_update,
    was_deleted,
)
from cicada.adapters.dynamodb.table import CONFLICTS, FAILED, CancelledError, Item, Table, delete_partition
from cicada.conversation.model import (
    PINNED_SECONDS,
    AnswerFeedback,
    AnswerRecord,
    Head,
    Lease,
    NewRequest,
    Question,
    RequestKey,
    SessionRow,
    Status,
    StoredEvent,
    TurnRow,
)
from cicada.errors import LeaseLostError, SessionNotFoundError, ThrottledError
from cicada.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# The condition that a session's row is there.
_LIVE = "attribute_exists(title) AND expiresAt > :now"


class DynamoRequestLog:
    """`clock` gives epoch seconds. Expired rows are ignored, because DynamoDB deletes them late."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Callable[[], float]) -> None:
        self._table = Table(client, table)
        self._clock = clock

    def create(self, request: NewRequest, accepted: str) -> bool:
        """One transaction: the head, the first event with the question, and the session's row."""
        session = session_row_key(request.key.principal, request.question.session_id)
        writes = [
            {"Put": self._table.put_of(head_item(request), "attribute_not_exists(pk)")},
            {"Put": self._table.put_of(first_event_item(request, accepted))},
            {"Update": self._table.update_of(session, *session_update(request))},
        ]
        # Two messages of one session at the same moment both write the session's row.
        return CONFLICTS.call(lambda: self._write_together(writes))

    def _write_together(self, writes: list[Item]) -> bool:
        try:
            self._table.transact(writes)
        except CancelledError as error:
            head, _, session = error.reasons
            if head == FAILED:
                return False
            if session == FAILED:
                raise SessionNotFoundError("This conversation was deleted: ask in a new one.") from error
            raise ThrottledError("Two messages of one session arrived at the same moment; send it again.") from error
        return True

    def question(self, key: RequestKey) -> Question | None:
        item = self._get(key, event_key(1))
        return read_question(item) if item else None

    def questions(self, keys: Sequence[RequestKey]) -> Mapping[RequestKey, Question]:
        rows: dict[str, RequestKey] = {partition_key(key): key for key in keys}
        wanted = [{"pk": {"S": name}, "sk": {"S": event_key(1)}} for name in rows]
        found = self._table.batch(wanted, consistent=False)
        live = [item for item in found if int(item["expiresAt"]["N"]) > self._clock()]
        return {rows[item["pk"]["S"]]: read_question(item) for item in live}

    def head(self, key: RequestKey) -> Head | None:
        item = self._get(key, "HEAD")
        return read_head(item) if item else None

    def attach(self, key: RequestKey, connection_id: str) -> Head | None:
        return self._update_existing(key, "SET connectionId = :value", {":value": {"S": connection_id}})

    def request_cancel(self, key: RequestKey) -> Head | None:
        return self._update_existing(key, "SET cancelRequested = :value", {":value": {"BOOL": True}})

    def rate(self, key: RequestKey, feedback: AnswerFeedback | None) -> Head | None:
        if feedback is None:
            return self._update_existing(key, "REMOVE feedback", {})
        values = {":value": {"S": encode(feedback).decode()}, ":tenant": {"S": key.principal.tenant}}
        return self._update_existing(key, "SET feedback = :value, notedFor = :tenant", values)

    def forget_connection(self, key: RequestKey, connection_id: str) -> None:
        self._update_head(
            key, "REMOVE connectionId", "connectionId = :connection", {":connection": {"S": connection_id}}
        )

    def events(self, key: RequestKey, after_seq: int, last_seq: int) -> Iterator[StoredEvent]:
        values = {
            ":pk": {"S": partition_key(key)},
            ":first": {"S": event_key(after_seq + 1)},
            ":last": {"S": event_key(last_seq)},
        }
        if after_seq < last_seq:
            rows = self._table.query("pk = :pk AND sk BETWEEN :first AND :last", values, ConsistentRead=True)
            yield from map(read_event, rows)

    def take_lease(self, key: RequestKey, now: float, until: float) -> Lease | None:
        head = self._update_head(
            key,
            "SET #status = :processing, leaseUntil = :until ADD attempt :one",
            "#status = :queued OR (#status = :processing AND leaseUntil < :now)",
            {
                ":processing": {"S": Status.PROCESSING},
                ":queued": {"S": Status.QUEUED},
                ":now": number(now),
                ":until": number(until),
                ":one": {"N": "1"},
            },
        )
        return Lease(key, head.attempt, head.last_seq, head.expires_at, head.forgiven_attempts) if head else None

    def claim_takeover(self, key: RequestKey, attempt: int, now: float, until: float) -> bool:
        head = self._update_head(
            key,
            "SET takeoverUntil = :until",
            "attempt = :attempt AND (attribute_not_exists(takeoverUntil) OR takeoverUntil < :now)",
            {":until": number(until), ":now": number(now), ":attempt": {"N": str(attempt)}},
        )
        return head is not None

    def store(self, lease: Lease, event: StoredEvent) -> None:
        """Overwrites a row of an earlier attempt; a row of a later attempt rejects the write."""
        item, attempt = event_item(lease, event, self._clock()), {":attempt": {"N": str(lease.attempt)}}
        if not self._table.put(item, "attribute_not_exists(pk) OR attempt <= :attempt", attempt):
            raise LeaseLostError("A later attempt has written this event.")

    def advance(self, lease: Lease, seq: int, until: float, status: Status, record: AnswerRecord | None = None) -> Head:
        kept = {":record": {"S": record_text(record)}} if record else {}
        also = ", answerRecord = :record" if record else ""
        if status is Status.FAILED:
            kept |= {":tenant": {"S": lease.key.principal.tenant}, ":code": {"S": record.code if record else ""}}
            also += ", notedFor = :tenant, failure = :code"
        head = self._update_head(
            lease.key,
            f"SET lastSeq = :seq, leaseUntil = :until, #status = :status{also}",
            # The second half accepts a repeat of the same final update: the SDK repeats it after a lost reply.
            "attempt = :attempt AND (#status = :processing OR (#status = :status AND lastSeq = :seq))",
            {
                ":seq": {"N": str(seq)},
                ":until": number(until),
                ":status": {"S": status},
                ":attempt": {"N": str(lease.attempt)},
                ":processing": {"S": Status.PROCESSING},
                **kept,
            },
        )
        if head is None:
            raise LeaseLostError("The request has ended, or another processor has taken it over.")
        return head

    def sessions(self, principal: Principal, before: float | None, limit: int) -> list[SessionRow]:
        rows = [read_session(item) for item in self._history(principal.owner, before, limit)]
        kept = self._kept(principal, [row.session_id for row in rows])
        pairs = ((row, kept.get(row.session_id, row)) for row in rows)
        return [replace(row, knowledge_base=own.knowledge_base, share_id=own.share_id) for row, own in pairs]

    def _kept(self, principal: Principal, session_ids: list[str]) -> dict[str, SessionRow]:
        """The rows themselves: the index lacks attributes of them, and a deployed index cannot be given any."""
        if not session_ids:
            return {}
        keys = [session_row_key(principal, session_id) for session_id in session_ids]
        request = {self._table.name: {"Keys": keys, "ConsistentRead": True}}
        with dynamo_errors():
            reply = self._table.client.batch_get_item(RequestItems=request)
        found = [item for item in reply["Responses"].get(self._table.name, []) if not was_deleted(item)]
        return {row.session_id: row for row in map(read_session, found)}

    def session(self, principal: Principal, session_id: str) -> SessionRow | None:
        item = self._table.get_live(session_row_key(principal, session_id), self._clock())
        return read_session(item) if item and not was_deleted(item) else None

    def session_ids(self, principal: Principal) -> Iterator[str]:
        """The sessions that are there, and those that are not deleted with all of their requests."""
        wanted = "attribute_exists(title) OR attribute_exists(unfinished)"
        rows = self._table.query(
            *session_keys(principal), FilterExpression=wanted, ProjectionExpression="sk", ConsistentRead=True
        )
        return map(session_id_of, rows)

    def name_session(self, principal: Principal, session_id: str, title: str) -> bool:
        return self._update_session(principal, session_id, "SET title = :title", _LIVE, {":title": {"S": title}})

    def pin_session(self, principal: Principal, session_id: str, *, pinned: bool) -> None:
        change, condition = (
            ("SET pinnedBy = :by, historyOrder = historyOrder + :by", "attribute_not_exists(pinnedBy)")
            if pinned
            else ("SET historyOrder = historyOrder - :by REMOVE pinnedBy", "attribute_exists(pinnedBy)")
        )
        by = {":by": {"N": str(PINNED_SECONDS)}}
        self._update_session(principal, session_id, change, f"{_LIVE} AND {condition}", by)

    def _update_session(self, principal: Principal, session_id: str, change: str, condition: str, values: Item) -> bool:
        key = session_row_key(principal, session_id)
        return self._table.update(key, change, condition, values | self._now()) is not None

    def delete_session(self, principal: Principal, session: SessionRow) -> bool:
        return self._update_session(
            principal,
            session.session_id,
            "SET deletedAt = :now, unfinished = :now "
            "REMOVE title, knowledgeBase, historyKey, historyOrder, pinnedBy, shareId",
            "attribute_exists(pk) AND (attribute_exists(deletedAt) OR historyOrder = :order)",
            {":order": number(session.order)},
        )

    def session_deleted(self, principal: Principal, session_id: str) -> None:
        self._update_session(principal, session_id, "REMOVE unfinished", "deletedAt <= :now", {})

    def delete_requests(self, keys: Sequence[RequestKey]) -> None:
        for key in keys:
            delete_partition(self._table.client, self._table.name, partition_key(key))

    def turns(self, principal: Principal, session_id: str, before: float | None, limit: int) -> list[TurnRow]:
        return [
            TurnRow(item["pk"]["S"].rpartition("#")[2], float(item["historyOrder"]["N"]))
            for item in self._history(session_history_key(principal, session_id), before, limit)
        ]

    def _history(self, history_key: str, before: float | None, limit: int) -> list[Item]:
        """The first rows that have not expired, at most `limit`.

        Expired ones are left out of a page after it was cut, and those of pinned sessions come first: one page may have
        too few.
        """
        values = {":key": {"S": history_key}, **self._now()}
        condition = "historyKey = :key"
        if before is not None:
            condition += " AND historyOrder < :before"
            values[":before"] = number(before)
        rows = self._table.query(
            condition,
            values,
            IndexName="history",
            FilterExpression="expiresAt > :now",
            ScanIndexForward=False,
            Limit=limit,
        )
        return list(islice(rows, limit))

    def _get(self, key: RequestKey, sort_key: str) -> Item | None:
        return self._table.get_live({"pk": {"S": partition_key(key)}, "sk": {"S": sort_key}}, self._clock())

    def _update_existing(self, key: RequestKey, update: str, values: Item) -> Head | None:
        return self._update_head(key, update, "attribute_exists(pk) AND expiresAt > :now", values | self._now())

    def _update_head(self, key: RequestKey, update: str, condition: str, values: Item) -> Head | None:
        """The head after the update; None if the condition does not hold."""
        head = {"pk": {"S": partition_key(key)}, "sk": {"S": "HEAD"}}
        reply = self._table.update(head, update, condition, values, ReturnValues="ALL_NEW")
        return read_head(reply["Attributes"]) if reply else None

    def _now(self) -> Item:
        return {":now": {"N": str(int(self._clock()))}}
