"""The dead-letter queue of the requests, and another chance for those in it (docs/operations.md)."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError
from msgspec import Struct

from cicada.adapters.aws_errors import dynamo_errors, sqs_errors
from cicada.adapters.dynamodb.request_items import event_item, number, partition_key
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.sqs import read_request_message, request_message
from cicada.conversation.model import Head, Lease, RequestKey, Status, StoredEvent
from cicada.conversation.ports import RequestLog
from cicada.conversation.protocol import Reset, event_body
from cicada.errors import InvalidFrameError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

_RESET = Reset(reason="The answer failed and is being generated again.")
_BATCH = 10
# Longer than an operator's run. After a run that died, its letters become visible again.
_HIDDEN_SECONDS = 300


class DeadLetter(Struct, frozen=True):
    """A message in the dead-letter queue. `handle` is the queue's own name for it.

    `key` is None if the body names no request. `reason` is the failure's code; None if SQS moved the message because
    no processor finished it within the permitted deliveries.
    """

    handle: str
    key: RequestKey | None
    reason: str | None
    sent_at: float


class DeadLetterQueue(Protocol):
    """The dead-lettered requests, and the way back into the queue."""

    def count(self) -> int:
        """The approximate number of letters."""
        ...

    def letters(self) -> Generator[DeadLetter]:
        """Each visible letter once. It is hidden from other readers until the iterator has ended."""
        ...

    def requeue(self, key: RequestKey) -> None:
        """Queue the request outside its session's order; it is never deduplicated."""
        ...

    def remove(self, letter: DeadLetter) -> None: ...


class RequestReopener(Protocol):
    """Returns an ended request to the queued state."""

    def reopen(self, key: RequestKey, head: Head, reset: str) -> bool:
        """Set the status to queued, forgive the attempts, and replace a failed request's last event by `reset`. Atomic.

        False, and no change, if the head has changed.
        """
        ...


class Redriven(StrEnum):
    """The result for a dead letter. `running` and `unreadable` ones stay in the queue, others are removed."""

    QUEUED = "queued"
    ENDED = "ended"
    EXPIRED = "expired"
    RUNNING = "running"
    UNREADABLE = "unreadable"


class Redriver(Struct, frozen=True):
    """An operator's commands on the dead-letter queue."""

    dead_letters: DeadLetterQueue
    log: RequestLog
    reopener: RequestReopener
    clock: Callable[[], float]

    def look(self) -> list[DeadLetter]:
        """The visible letters, oldest first; nothing is changed."""
        with closing(self.dead_letters.letters()) as letters:
            return sorted(letters, key=lambda letter: letter.sent_at)

    def redrive(self) -> Iterator[tuple[DeadLetter, Redriven]]:
        """Redrive each visible letter and yield the result.

        The letter is removed last: after a crash the next redrive finds it, and a request that is queued twice is
        answered once.
        """
        with closing(self.dead_letters.letters()) as letters:
            for letter in letters:
                yield letter, self._redrive(letter)

    def _redrive(self, letter: DeadLetter) -> Redriven:
        if letter.key is None:
            return Redriven.UNREADABLE
        outcome = self._reopen(letter.key, self.log.head(letter.key))
        if outcome is Redriven.QUEUED:
            self.dead_letters.requeue(letter.key)
        if outcome is not Redriven.RUNNING:
            self.dead_letters.remove(letter)
        return outcome

    def _reopen(self, key: RequestKey, head: Head | None) -> Redriven:
        if head is None:
            return Redriven.EXPIRED
        if head.status in (Status.COMPLETE, Status.CANCELLED):
            return Redriven.ENDED
        if head.status is Status.QUEUED:
            return Redriven.QUEUED
        if head.status is Status.PROCESSING and head.lease_until >= self.clock():
            return Redriven.RUNNING
        # Refused if a processor has taken the request since the head was read.
        return Redriven.QUEUED if self.reopener.reopen(key, head, event_body(_RESET)) else Redriven.RUNNING


class SqsDeadLetterQueue:
    """SQS FIFO. Processors put failed requests there, and SQS those that no processor finished.

    `wait_seconds`: how long to poll an empty queue; with 0, SQS polls only some of its servers.

    SQS keeps the order within a message group: while ten letters of one session are not removed, its later ones are
    not received.
    """

    def __init__(self, client: SQSClient, queue_url: str, dead_letter_queue_url: str, wait_seconds: int = 1) -> None:
        self._client = client
        self._queue_url = queue_url
        self._dead_letter_queue_url = dead_letter_queue_url
        self._wait_seconds = wait_seconds

    def count(self) -> int:
        with sqs_errors():
            reply = self._client.get_queue_attributes(
                QueueUrl=self._dead_letter_queue_url,
                AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
            )
        return sum(int(number) for number in reply["Attributes"].values())

    def letters(self) -> Generator[DeadLetter]:
        received: list[DeadLetter] = []
        try:
            while batch := self._receive():
                received += batch
                yield from batch
        finally:
            self._show_again(received)

    def requeue(self, key: RequestKey) -> None:
        # A new group each time: a message whose processor died blocks its group until it is visible again.
        once = str(uuid.uuid4())
        with sqs_errors():
            self._client.send_message(
                QueueUrl=self._queue_url,
                MessageBody=json.dumps(request_message(key)),
                MessageGroupId=once,
                MessageDeduplicationId=once,
            )

    def remove(self, letter: DeadLetter) -> None:
        with sqs_errors():
            self._client.delete_message(QueueUrl=self._dead_letter_queue_url, ReceiptHandle=letter.handle)

    def _receive(self) -> list[DeadLetter]:
        with sqs_errors():
            reply = self._client.receive_message(
                QueueUrl=self._dead_letter_queue_url,
                MaxNumberOfMessages=_BATCH,
                VisibilityTimeout=_HIDDEN_SECONDS,
                WaitTimeSeconds=self._wait_seconds,
                MessageSystemAttributeNames=["SentTimestamp"],
            )
        return [_letter(message) for message in reply.get("Messages", [])]

    def _show_again(self, letters: Sequence[DeadLetter]) -> None:
        """The reply lists removed letters as failures; they are none."""
        for start in range(0, len(letters), _BATCH):
            entries = [
                {"Id": str(number), "ReceiptHandle": letter.handle, "VisibilityTimeout": 0}
                for number, letter in enumerate(letters[start : start + _BATCH])
            ]
            with sqs_errors():
                self._client.change_message_visibility_batch(
                    QueueUrl=self._dead_letter_queue_url,
                    Entries=entries,  # type: ignore[arg-type]
                )


def _letter(message: MessageTypeDef) -> DeadLetter:
    key: RequestKey | None
    try:
        key = read_request_message(message["Body"])
        reason = json.loads(message["Body"]).get("reason")
    except InvalidFrameError:
        key, reason = None, None
    sent_at = int(message["Attributes"]["SentTimestamp"]) / 1000
    return DeadLetter(message["ReceiptHandle"], key, None if reason is None else str(reason), sent_at)


class DynamoRequestReopener:
    """One transaction updates the head and, for a failed request, replaces its `error` event."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def reopen(self, key: RequestKey, head: Head, reset: str) -> bool:
        writes: list[Any] = [{"Update": self._head_update(key, head)}]
        if head.status is Status.FAILED:
            lease = Lease(key, head.attempt, head.last_seq, head.expires_at)
            event = event_item(lease, StoredEvent(head.last_seq, reset), time.time())
            writes.append({"Put": {"TableName": self._table, "Item": event}})
        with dynamo_errors():
            try:
                self._client.transact_write_items(TransactItems=writes)
            except ClientError as error:
                if _head_has_changed(error):
                    return False
                raise
        return True

    def _head_update(self, key: RequestKey, head: Head) -> dict[str, Any]:
        """The attempt number stays: it is the fencing token against a processor that still writes."""
        return {
            "TableName": self._table,
            "Key": {"pk": {"S": partition_key(key)}, "sk": {"S": "HEAD"}},
            "UpdateExpression": "SET #status = :queued, leaseUntil = :never, forgivenAttempts = :attempt",
            "ConditionExpression": (
                "#status = :status AND attempt = :attempt AND lastSeq = :seq AND leaseUntil = :until"
            ),
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": {
                ":queued": {"S": Status.QUEUED},
                ":never": {"N": "0"},
                ":status": {"S": head.status},
                ":attempt": {"N": str(head.attempt)},
                ":seq": {"N": str(head.last_seq)},
                ":until": number(head.lease_until),
            },
        }


def _head_has_changed(error: ClientError) -> bool:
    reasons = error.response.get("CancellationReasons", [])
    return bool(reasons) and reasons[0].get("Code") in ("ConditionalCheckFailed", "TransactionConflict")


def redriver(
    dynamodb: DynamoDBClient, sqs: SQSClient, table: str, queue_url: str, dead_letter_queue_url: str
) -> Redriver:
    """The names are those of the stack's outputs RequestsTable, RequestsQueueUrl and DeadLetterQueueUrl."""
    return Redriver(
        SqsDeadLetterQueue(sqs, queue_url, dead_letter_queue_url),
        DynamoRequestLog(dynamodb, table, time.time),
        DynamoRequestReopener(dynamodb, table),
        time.time,
    )
