"""The dead-letter queue: SQS FIFO. Processors put failed requests there, and SQS those that no processor finished."""

from __future__ import annotations

import json
import uuid
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import sqs_errors
from cicada.adapters.sqs.request_queue import read_request_message, request_message
from cicada.conversation.model import DeadLetter, RequestKey
from cicada.errors import InvalidFrameError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

_BATCH = 10
# Longer than an operator's run. After a run that died, its letters become visible again.
_HIDDEN_SECONDS = 300


class SqsDeadLetterQueue:
    """`wait_seconds`: how long to poll an empty queue; with 0, SQS polls only some of its servers.

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
