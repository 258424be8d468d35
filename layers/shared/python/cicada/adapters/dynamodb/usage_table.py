"""The users' usage in the requests table: pk = <tenant>#<user>, sk = USAGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import dynamo_errors
from cicada.conversation.model import Usage
from cicada.identity.principal import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoUsageTable:
    """One small row for each user: with up to 15 admitted requests, an update costs one write unit."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, principal: Principal) -> Usage:
        with dynamo_errors():
            reply = self._client.get_item(TableName=self._table, Key=_key(principal), ConsistentRead=True)
        item = reply.get("Item")
        if not item:
            return Usage()
        return Usage(
            version=int(item["usageVersion"]["N"]),
            theoretical_arrival=float(item["arrival"]["N"]),
            admitted={request_id: float(moment["N"]) for request_id, moment in item["admitted"]["M"].items()},
        )

    def replace(self, principal: Principal, before: Usage, after: Usage, expires_at: float) -> bool:
        item: dict[str, Any] = {
            **_key(principal),
            "usageVersion": {"N": str(before.version + 1)},
            "arrival": {"N": repr(after.theoretical_arrival)},
            "admitted": {"M": {request_id: {"N": f"{moment:.3f}"} for request_id, moment in after.admitted.items()}},
            "expiresAt": {"N": str(int(expires_at))},
        }
        with dynamo_errors():
            try:
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression="attribute_not_exists(pk) OR usageVersion = :before",
                    ExpressionAttributeValues={":before": {"N": str(before.version)}},
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                return False
        return True


def _key(principal: Principal) -> dict[str, Any]:
    return {"pk": {"S": principal.owner}, "sk": {"S": "USAGE"}}
