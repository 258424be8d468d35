"""Which sessions are shared, in the requests table.

The session's row has the id under which it is shared, and decides. A row of the tenant leads from the id to the session
(pk = <tenant>, sk = SHARE#<id>), so that the id of another tenant is another key. It expires as the session does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cicada.adapters.dynamodb.request_items import session_row_key, was_deleted
from cicada.adapters.dynamodb.table import CONFLICTS, CancelledError, Item, Table, delete_rows
from cicada.conversation.model import Share
from cicada.errors import ThrottledError
from cicada.identity import Principal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoShareTable:
    """`clock` gives epoch seconds. Expired rows are ignored, because DynamoDB deletes them late."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Callable[[], float]) -> None:
        self._table = Table(client, table)
        self._clock = clock

    def share(self, principal: Principal, session_id: str, share_id: str) -> str | None:
        # Somebody may write the session's row between the read and the transaction.
        return CONFLICTS.call(lambda: self._share(principal, session_id, share_id))

    def _share(self, principal: Principal, session_id: str, share_id: str) -> str | None:
        session = self._session(principal, session_id)
        if session is None:
            return None
        kept = str(session.get("shareId", {"S": share_id})["S"])
        shared = self._table.update_of(
            session_row_key(principal, session_id),
            "SET shareId = :id",
            "attribute_exists(title) AND (attribute_not_exists(shareId) OR shareId = :id)",
            {":id": {"S": kept}},
        )
        leading = self._table.update_of(
            _key(principal.tenant, kept),
            "SET sharedBy = :user, login = :login, sessionId = :session, expiresAt = :expires",
            "",
            {
                ":user": {"S": principal.user},
                ":login": {"S": principal.login},
                ":session": {"S": session_id},
                ":expires": session["expiresAt"],
            },
        )
        try:
            self._table.transact([{"Update": shared}, {"Update": leading}])
        except CancelledError as error:
            raise ThrottledError("The conversation changed at the same moment; send the command again.") from error
        return kept

    def end(self, principal: Principal, session_id: str) -> bool:
        session = self._session(principal, session_id)
        if session and "shareId" in session:
            key, share_id = session_row_key(principal, session_id), session["shareId"]
            self._table.update(key, "REMOVE shareId", "shareId = :id", {":id": share_id})
            self.forget(principal, share_id["S"])
        return session is not None

    def renew(self, principal: Principal, share_id: str, expires_at: float) -> None:
        values = {":expires": {"N": str(int(expires_at))}, ":user": {"S": principal.user}}
        self._table.update(_key(principal.tenant, share_id), "SET expiresAt = :expires", "sharedBy = :user", values)

    def forget(self, principal: Principal, share_id: str) -> None:
        delete_rows(self._table.client, self._table.name, [_key(principal.tenant, share_id)])

    def find(self, tenant: str, share_id: str) -> Share | None:
        item = self._table.get_live(_key(tenant, share_id), self._clock())
        if item is None:
            return None
        owner = Principal(tenant, item["sharedBy"]["S"], login=item["login"]["S"])
        return Share(owner, item["sessionId"]["S"])

    def _session(self, principal: Principal, session_id: str) -> Item | None:
        item = self._table.get_live(session_row_key(principal, session_id), self._clock())
        return None if item is None or was_deleted(item) else item


def _key(tenant: str, share_id: str) -> Item:
    return {"pk": {"S": tenant}, "sk": {"S": f"SHARE#{share_id}"}}
