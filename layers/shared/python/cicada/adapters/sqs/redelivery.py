"""Redelivers failed messages before their queue's visibility timeout ends.

The visibility timeout must outlast the longest work: Lambda's guide asks for six times the function's timeout. That is
far longer than a throttled service needs to recover.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import sqs_errors
from cicada.errors import CicadaError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

logger = logging.getLogger(__name__)

# Delays after the first, the second, the third and all later deliveries.
_PAUSES_SECONDS = (60, 300, 900, 3600)


class SqsRedelivery:
    """If a call fails, the queue's visibility timeout applies."""

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
