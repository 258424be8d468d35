"""The users' rows in the requests table: pk = <tenant>#<user>, sk = USAGE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import dynamo_errors
from cicada.adapters.dynamodb.table import Item, Table
from cicada.conversation.model import Charge, Charged, Usage
from cicada.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ADMITTED = ", admitted = :admitted, usageVersion = :after"
_UNCHANGED = "(attribute_not_exists(usageVersion) OR usageVersion = :before)"


class DynamoUsageTable:
    """One small row for each user: with up to 15 admitted requests, an update costs one write unit.

    A charge is an update of one row, so commands of a user at the same moment neither overtake nor repeat each other.
    DynamoDB has no maximum of two values, so there are two updates: the first is for a user who has waited long enough
    to have the whole bucket, and who is refused nothing. A refused update returns the row and costs a write unit too.
    """

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._table = Table(client, table)

    def get(self, principal: Principal) -> Usage:
        return _read(self._table.get(_key(principal)) or {})

    def charge(self, principal: Principal, charge: Charge, expires_at: float) -> Charged:
        return self._charge(principal, charge, "", "", _expiry(expires_at))

    def admit(
        self, principal: Principal, charge: Charge, before: Usage, admitted: Mapping[str, float], expires_at: float
    ) -> Charged:
        values = {
            ":admitted": {"M": {request_id: {"N": f"{moment:.3f}"} for request_id, moment in admitted.items()}},
            ":before": {"N": str(before.version)},
            ":after": {"N": str(before.version + 1)},
        }
        return self._charge(principal, charge, _ADMITTED, f" AND {_UNCHANGED}", _expiry(expires_at) | values)

    def revoke(self, principal: Principal, before: float, expires_at: float) -> None:
        self._update(
            principal,
            "SET revokedBefore = :before, expiresAt = :expiry",
            "attribute_not_exists(revokedBefore) OR revokedBefore < :before",
            {":before": _number(before), **_expiry(expires_at)},
        )

    def _charge(self, principal: Principal, charge: Charge, assignments: str, condition: str, values: Item) -> Charged:
        if charge.now + charge.seconds > charge.latest:
            return Charged(False, self.get(principal))
        full = self._update(
            principal,
            f"SET expiresAt = :expiry, arrival = :arrival{assignments}",
            f"(attribute_not_exists(arrival) OR arrival <= :now){condition}",
            {**values, ":arrival": _number(charge.now + charge.seconds), ":now": _number(charge.now)},
        )
        if full.paid:
            return full
        return self._update(
            principal,
            f"SET expiresAt = :expiry, arrival = arrival + :seconds{assignments}",
            f"arrival > :now AND arrival <= :last{condition}",
            {
                **values,
                ":seconds": _number(charge.seconds),
                ":now": _number(charge.now),
                ":last": _number(charge.latest - charge.seconds),
            },
        )

    def _update(self, principal: Principal, update: str, condition: str, values: Item) -> Charged:
        request = self._table.update_of(_key(principal), update, condition, values)
        shown = {"ReturnValues": "ALL_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        with dynamo_errors():
            try:
                reply = self._table.client.update_item(**request, **shown)
            except self._table.client.exceptions.ConditionalCheckFailedException as error:
                return Charged(False, _read(error.response.get("Item", {})))
        return Charged(True, _read(reply["Attributes"]))


def _key(principal: Principal) -> Item:
    return {"pk": {"S": principal.owner}, "sk": {"S": "USAGE"}}


def _expiry(expires_at: float) -> Item:
    return {":expiry": {"N": str(int(expires_at))}}


def _number(seconds: float) -> dict[str, str]:
    return {"N": f"{seconds:.6f}"}


def _read(item: Item) -> Usage:
    """The row, or that of a user without one; another part of the code may have written only some attributes."""
    return Usage(
        version=int(item["usageVersion"]["N"]) if "usageVersion" in item else 0,
        theoretical_arrival=float(item["arrival"]["N"]) if "arrival" in item else 0,
        admitted={request_id: float(moment["N"]) for request_id, moment in item["admitted"]["M"].items()}
        if "admitted" in item
        else {},
        revoked_before=float(item["revokedBefore"]["N"]) if "revokedBefore" in item else 0,
    )
