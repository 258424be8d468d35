"""The dead-letter queue: SQS FIFO. Processors put requests there, and SQS does what no processor could finish."""

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
# An operator's run is over by then; the letters of one that died show again.
_HIDDEN_SECONDS = 300


class SqsDeadLetterQueue:
    """`wait_seconds`: how long an empty queue is asked; without any, SQS asks only some of its servers.

    SQS keeps the letters of one message group in order: behind ten of one session that are not removed, its others
    are not seen.
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
        # A group of its own each time: a message whose processor dies holds its group until it is visible again.
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
        """What has been removed meanwhile is among the failures of the reply, and no failure."""
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
