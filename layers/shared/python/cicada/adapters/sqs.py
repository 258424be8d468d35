"""The request queue, and asking it for a message again."""

from __future__ import annotations

import hashlib
import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from cicada.adapters.aws_errors import sqs_errors
from cicada.adapters.xray import header_text
from cicada.conversation.model import RequestKey
from cicada.errors import CicadaError, InvalidFrameError
from cicada.identity import Principal
from cicada.observability.tracing import current_origin, span

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageSystemAttributeValueTypeDef


logger = logging.getLogger(__name__)

# Delays after the first, the second, the third and all later deliveries.
_PAUSES_SECONDS = (60, 300, 900, 3600)
# A takeover whose processor died too, before it took the lease, is queued again after this.
_TAKEOVER_SECONDS = 10


class SqsRequestQueue:
    """A message holds only the request's key; the question is in the request log."""

    def __init__(
        self, client: SQSClient, queue_url: str, dead_letter_queue_url: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        self._client = client
        self._queue_url = queue_url
        self._dead_letter_queue_url = dead_letter_queue_url
        self._clock = clock

    def enqueue(self, key: RequestKey, session_id: str) -> None:
        self._send(self._queue_url, request_message(key), f"{key.principal.owner}#{session_id}", key.request_id)

    def enqueue_takeover(self, key: RequestKey, attempt: int) -> None:
        # A group for each: the message of a dead takeover blocks its group until it is visible again.
        repeat = f"{key.request_id}#{attempt}#{int(self._clock() // _TAKEOVER_SECONDS)}"
        self._send(self._queue_url, request_message(key), f"takeover#{key.principal.owner}#{repeat}", repeat)

    def dead_letter(self, key: RequestKey, reason: str) -> None:
        body = request_message(key) | {"reason": reason}
        # Never deduplicated: a request that is redriven and fails again within five minutes is dead-lettered again.
        self._send(self._dead_letter_queue_url, body, f"{key.principal.owner}#{key.request_id}", f"{uuid.uuid4()}")

    def _send(self, queue_url: str, body: dict[str, Any], group: str, deduplication: str) -> None:
        with span("SQS", operation="SendMessage", queue_url=queue_url), sqs_errors():
            self._client.send_message(
                QueueUrl=queue_url,
                MessageBody=json.dumps(body),
                MessageGroupId=queue_id(group),
                # The owner is part of the deduplication id: two users may use the same requestId.
                MessageDeduplicationId=queue_id(f"{body['tenant']}#{body['user']}#{deduplication}"),
                MessageSystemAttributes=_traced(),
            )


def _traced() -> dict[Literal["AWSTraceHeader"], MessageSystemAttributeValueTypeDef]:
    """The trace that the message belongs to, so that whoever receives it continues it."""
    origin = current_origin()
    return {"AWSTraceHeader": {"DataType": "String", "StringValue": header_text(origin)}} if origin else {}


def request_message(key: RequestKey) -> dict[str, Any]:
    """The body of a queue message."""
    who = key.principal
    fields = {"tenant": who.tenant, "user": who.user, "groups": sorted(who.groups), "login": who.login}
    return {**fields, "requestId": key.request_id}


def read_request_message(body: str) -> RequestKey:
    """The key in a message's body. Raises `InvalidFrameError` for anything else."""
    try:
        fields = json.loads(body)
        tenant, user = str(fields["tenant"]), str(fields["user"])
        groups = frozenset(map(str, fields.get("groups", [])))
        return RequestKey(Principal(tenant, user, groups, str(fields.get("login", ""))), str(fields["requestId"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidFrameError("The queue message does not name a request.") from error


def queue_id(text: str) -> str:
    """A digest of the text, because SQS ids are limited to 128 characters of a narrow alphabet."""
    return hashlib.sha256(text.encode()).hexdigest()


class SqsRedelivery:
    """Makes a message visible again after a delay. If the call fails, the queue's visibility timeout applies.

    That timeout must outlast the longest work: Lambda's guide asks for six times the function's. It is far longer than
    a throttled service needs to recover.
    """

    def __init__(self, client: SQSClient) -> None:
        self._client = client

    def make_visible(self, event: Mapping[str, Any], verdicts: Mapping[str, Any]) -> None:
        """Redeliver the failed records of an SQS event, after one minute at first and with growing delays."""
        failed = {failure["itemIdentifier"] for failure in verdicts["batchItemFailures"]}
        for record in event["Records"]:
            # Test events from the Lambda console may have no receipt handle.
            if record["messageId"] in failed and "receiptHandle" in record:
                self._make_visible(record)

    def _make_visible(self, record: Mapping[str, Any]) -> None:
        delivery = int(record["attributes"]["ApproximateReceiveCount"])
        try:
            with sqs_errors():
                self._client.change_message_visibility(
                    QueueUrl=self._url(record["eventSourceARN"]),
                    ReceiptHandle=record["receiptHandle"],
                    VisibilityTimeout=_PAUSES_SECONDS[min(delivery, len(_PAUSES_SECONDS)) - 1],
                )
        except CicadaError as error:
            logger.warning("A failed message waits for its queue's timeout", extra={"code": error.code})

    def _url(self, arn: str) -> str:
        account, name = arn.split(":")[4:6]
        return self._client.get_queue_url(QueueName=name, QueueOwnerAWSAccountId=account)["QueueUrl"]
