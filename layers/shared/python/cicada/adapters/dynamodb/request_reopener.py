"""Reopens requests in the request log's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from cicada.adapters.aws_errors import dynamo_errors
from cicada.adapters.dynamodb.request_items import event_item, number, partition_key
from cicada.conversation.model import Head, Lease, RequestKey, Status, StoredEvent

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoRequestReopener:
    """One transaction updates the head and, for a failed request, replaces its `error` event."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def reopen(self, key: RequestKey, head: Head, reset: str) -> bool:
        writes: list[Any] = [{"Update": self._head_update(key, head)}]
        if head.status is Status.FAILED:
            lease = Lease(key, head.attempt, head.last_seq, head.expires_at)
            writes.append(
                {"Put": {"TableName": self._table, "Item": event_item(lease, StoredEvent(head.last_seq, reset))}}
            )
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
