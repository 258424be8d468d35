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
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from msgspec.json import encode
from msgspec.structs import replace

from cicada.adapters.aws_errors import Retry, dynamo_errors
from cicada.adapters.dynamodb.deletion import delete_partition
from cicada.adapters.dynamodb.pages import batch_read, items
from cicada.adapters.dynamodb.request_items import (
    Item,
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
    session_row_key,
    session_update,
    sessions_of,
    was_deleted,
)
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

# How many titles a search reads, at about 200 bytes each.
_SEARCHED = 1_000
CONFLICTS = Retry(attempts=6, base_seconds=0.02, cap_seconds=0.3)
# The condition that a session's row is there.
_LIVE = "attribute_exists(title) AND expiresAt > :now"


class DynamoRequestLog:
    """`clock` gives epoch seconds. Expired rows are ignored, because DynamoDB deletes them late."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Callable[[], float]) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def create(self, request: NewRequest, accepted: str) -> bool:
        """One transaction: the head, the first event with the question, and the session's row."""
        writes: list[Any] = [
            {"Put": {**self._put(head_item(request)), "ConditionExpression": "attribute_not_exists(pk)"}},
            {"Put": self._put(first_event_item(request, accepted))},
            {"Update": {"TableName": self._table, **session_update(request)}},
        ]
        # Two messages of one session at the same moment both write the session's row.
        return CONFLICTS.call(lambda: self._write_together(writes))

    def _write_together(self, writes: list[Any]) -> bool:
        with dynamo_errors():
            try:
                self._client.transact_write_items(TransactItems=writes)
            except ClientError as error:
                return self._refused(error)
        return True

    def _refused(self, error: ClientError) -> bool:
        reasons = [str(reason.get("Code")) for reason in error.response.get("CancellationReasons", [])]
        if reasons[:1] == ["ConditionalCheckFailed"]:
            return False
        if reasons[2:] == ["ConditionalCheckFailed"]:
            raise SessionNotFoundError("This conversation was deleted: ask in a new one.") from error
        if "TransactionConflict" in reasons:
            raise ThrottledError("Two messages of one session arrived at the same moment; send it again.") from error
        raise error

    def question(self, key: RequestKey) -> Question | None:
        item = self._get(key, event_key(1))
        return read_question(item) if item else None

    def questions(self, keys: Sequence[RequestKey]) -> Mapping[RequestKey, Question]:
        rows: dict[str, RequestKey] = {partition_key(key): key for key in keys}
        wanted = [{"pk": {"S": name}, "sk": {"S": event_key(1)}} for name in rows]
        found = batch_read(self._client, self._table, wanted, consistent=False) if wanted else []
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
        query: dict[str, Any] = {
            "TableName": self._table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
            "ExpressionAttributeValues": {
                ":pk": {"S": partition_key(key)},
                ":first": {"S": event_key(after_seq + 1)},
                ":last": {"S": event_key(last_seq)},
            },
        }
        if after_seq < last_seq:
            yield from map(read_event, items(self._client.query, query))

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
        with dynamo_errors():
            try:
                self._client.put_item(
                    **self._put(event_item(lease, event, self._clock())),
                    ConditionExpression="attribute_not_exists(pk) OR attempt <= :attempt",
                    ExpressionAttributeValues={":attempt": {"N": str(lease.attempt)}},
                )
            except self._client.exceptions.ConditionalCheckFailedException as error:
                raise LeaseLostError("A later attempt has written this event.") from error

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

    def sessions(
        self, principal: Principal, before: float | None, limit: int, words: Sequence[str] = ()
    ) -> list[SessionRow]:
        read = self._history(principal.owner, before, _SEARCHED if words else limit)
        rows = [row for row in map(read_session, read) if row.has_words(words)][:limit]
        whole = self._whole(principal, [row.session_id for row in rows])
        return [_completed(row, whole.get(row.session_id, row)) for row in rows]

    def _whole(self, principal: Principal, session_ids: list[str]) -> dict[str, SessionRow]:
        """The rows themselves: the index lacks attributes of them, and a deployed index cannot be given any."""
        if not session_ids:
            return {}
        keys = [session_row_key(principal, session_id) for session_id in session_ids]
        with dynamo_errors():
            reply = self._client.batch_get_item(RequestItems={self._table: {"Keys": keys, "ConsistentRead": True}})
        found = [item for item in reply["Responses"].get(self._table, []) if not was_deleted(item)]
        return {row.session_id: row for row in map(read_session, found)}

    def session(self, principal: Principal, session_id: str) -> SessionRow | None:
        item = self._item(session_row_key(principal, session_id))
        return read_session(item) if item and not was_deleted(item) else None

    def session_ids(self, principal: Principal) -> Iterator[str]:
        query = {"TableName": self._table, "ConsistentRead": True, **sessions_of(principal)}
        return map(session_id_of, items(self._client.query, query))

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

    def _update_session(
        self, principal: Principal, session_id: str, change: str, condition: str, values: dict[str, Any]
    ) -> bool:
        with dynamo_errors():
            try:
                self._client.update_item(
                    TableName=self._table,
                    Key=session_row_key(principal, session_id),
                    UpdateExpression=change,
                    ConditionExpression=condition,
                    ExpressionAttributeValues=values | {":now": {"N": str(int(self._clock()))}},
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                return False
        return True

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
            delete_partition(self._client, self._table, partition_key(key))

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
        values: dict[str, Any] = {":key": {"S": history_key}, ":now": {"N": str(int(self._clock()))}}
        condition = "historyKey = :key"
        if before is not None:
            condition += " AND historyOrder < :before"
            values[":before"] = number(before)
        query: dict[str, Any] = {
            "TableName": self._table,
            "IndexName": "history",
            "KeyConditionExpression": condition,
            "FilterExpression": "expiresAt > :now",
            "ExpressionAttributeValues": values,
            "ScanIndexForward": False,
            "Limit": limit,
        }
        return list(islice(items(self._client.query, query), limit))

    def _get(self, key: RequestKey, sort_key: str) -> Item | None:
        return self._item({"pk": {"S": partition_key(key)}, "sk": {"S": sort_key}})

    def _item(self, key: Item) -> Item | None:
        with dynamo_errors():
            reply = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        item = reply.get("Item")
        return item if item and int(item["expiresAt"]["N"]) > self._clock() else None

    def _update_existing(self, key: RequestKey, update: str, values: dict[str, Any]) -> Head | None:
        now = {":now": {"N": str(int(self._clock()))}}
        return self._update_head(key, update, "attribute_exists(pk) AND expiresAt > :now", values | now)

    def _update_head(self, key: RequestKey, update: str, condition: str, values: dict[str, Any]) -> Head | None:
        """The head after the update; None if the condition does not hold."""
        names = {"ExpressionAttributeNames": {"#status": "status"}} if "#status" in update + condition else {}
        with dynamo_errors():
            try:
                reply = self._client.update_item(
                    TableName=self._table,
                    Key={"pk": {"S": partition_key(key)}, "sk": {"S": "HEAD"}},
                    UpdateExpression=update,
                    ConditionExpression=condition,
                    ExpressionAttributeValues=values,
                    ReturnValues="ALL_NEW",
                    **names,  # type: ignore[arg-type]
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                return None
        return read_head(reply["Attributes"])

    def _put(self, item: Item) -> dict[str, Any]:
        return {"TableName": self._table, "Item": item}


def _completed(listed: SessionRow, whole: SessionRow) -> SessionRow:
    """A row of the index with what the index lacks."""
    return replace(listed, knowledge_base=whole.knowledge_base, share_id=whole.share_id)
