"""Which sessions are shared, in the requests table.

The session's row has the id under which it is shared, and decides. A row of the tenant leads from the id to the session
(pk = <tenant>, sk = SHARE#<id>), so that the id of another tenant is another key. It expires as the session does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from cicada.adapters.aws_errors import Retry, dynamo_errors
from cicada.adapters.dynamodb.deletion import delete_rows
from cicada.adapters.dynamodb.request_items import Item, session_row_key, was_deleted
from cicada.conversation.model import Share
from cicada.errors import ThrottledError
from cicada.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_CONFLICTS = Retry(attempts=6, base_seconds=0.02, cap_seconds=0.3)
_REFUSALS = {"ConditionalCheckFailed", "TransactionConflict"}


class DynamoShareTable:
    """`clock` gives epoch seconds. Expired rows are ignored, because DynamoDB deletes them late."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Callable[[], float]) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def share(self, principal: Principal, session_id: str, share_id: str) -> str | None:
        # Somebody may write the session's row between the read and the transaction.
        return _CONFLICTS.call(lambda: self._share(principal, session_id, share_id))

    def _share(self, principal: Principal, session_id: str, share_id: str) -> str | None:
        session = self._session(principal, session_id)
        if session is None:
            return None
        kept = str(session.get("shareId", {"S": share_id})["S"])
        shared: Any = {
            **self._change(session_row_key(principal, session_id), "SET shareId = :id", {":id": {"S": kept}}),
            "ConditionExpression": "attribute_exists(title) AND (attribute_not_exists(shareId) OR shareId = :id)",
        }
        leading: Any = self._change(
            _key(principal.tenant, kept),
            "SET sharedBy = :user, login = :login, sessionId = :session, expiresAt = :expires",
            {
                ":user": {"S": principal.user},
                ":login": {"S": principal.login},
                ":session": {"S": session_id},
                ":expires": session["expiresAt"],
            },
        )
        with dynamo_errors():
            try:
                self._client.transact_write_items(TransactItems=[{"Update": shared}, {"Update": leading}])
            except ClientError as error:
                if not _REFUSALS.intersection(_reasons(error)):
                    raise
                raise ThrottledError("The conversation changed at the same moment; send the command again.") from error
        return kept

    def end(self, principal: Principal, session_id: str) -> bool:
        session = self._session(principal, session_id)
        if session and "shareId" in session:
            key, share_id = session_row_key(principal, session_id), session["shareId"]
            change = self._change(key, "REMOVE shareId", {":id": share_id})
            self._update_if(change, "shareId = :id")
            self.forget(principal, share_id["S"])
        return session is not None

    def renew(self, principal: Principal, share_id: str, expires_at: float) -> None:
        values = {":expires": {"N": str(int(expires_at))}, ":user": {"S": principal.user}}
        change = self._change(_key(principal.tenant, share_id), "SET expiresAt = :expires", values)
        self._update_if(change, "sharedBy = :user")

    def forget(self, principal: Principal, share_id: str) -> None:
        delete_rows(self._client, self._table, [_key(principal.tenant, share_id)])

    def find(self, tenant: str, share_id: str) -> Share | None:
        item = self._live(_key(tenant, share_id))
        if item is None:
            return None
        owner = Principal(tenant, item["sharedBy"]["S"], login=item["login"]["S"])
        return Share(owner, item["sessionId"]["S"])

    def _session(self, principal: Principal, session_id: str) -> Item | None:
        item = self._live(session_row_key(principal, session_id))
        return None if item is None or was_deleted(item) else item

    def _live(self, key: Item) -> Item | None:
        with dynamo_errors():
            item = self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True).get("Item")
        return item if item and int(item["expiresAt"]["N"]) > self._clock() else None

    def _change(self, key: Item, update: str, values: Item) -> Any:
        named = {"TableName": self._table, "Key": key}
        return named | {"UpdateExpression": update, "ExpressionAttributeValues": values}

    def _update_if(self, change: Any, condition: str) -> None:
        """No effect if the condition does not hold."""
        with dynamo_errors():
            try:
                self._client.update_item(**change, ConditionExpression=condition)
            except self._client.exceptions.ConditionalCheckFailedException:
                return


def _key(tenant: str, share_id: str) -> Item:
    return {"pk": {"S": tenant}, "sk": {"S": f"SHARE#{share_id}"}}


def _reasons(error: ClientError) -> set[str]:
    """Why a transaction was cancelled."""
    return {str(reason.get("Code")) for reason in error.response.get("CancellationReasons", [])}
