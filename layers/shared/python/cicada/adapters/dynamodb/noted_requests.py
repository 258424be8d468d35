"""The requests of a tenant that were rated or have failed, in the requests table's index `noted`.

A head is in this index once it has the attribute `notedFor`, its tenant, which is written with the rating or the
failure itself. So the index needs no write of its own, and what is deleted or erased is in it no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.json import decode

from cicada.adapters.dynamodb.table import Item, Table
from cicada.conversation.model import AnswerFeedback, FailedRequest, RatedRequest, Status

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A page is a megabyte of heads. After an outage nearly all of them may be of the other kind.
_MOST_PAGES = 10


class DynamoNotedRequests:
    """`clock` gives epoch seconds. Expired rows are ignored, because DynamoDB deletes them late."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Callable[[], float]) -> None:
        self._table = Table(client, table)
        self._clock = clock

    def rated(self, tenant: str, since: float, most: int) -> tuple[Sequence[RatedRequest], bool]:
        found, are_all = self._noted(tenant, since, most, "attribute_exists(feedback)")
        rated = [RatedRequest(*_asked(item), decode(item["feedback"]["S"], type=AnswerFeedback)) for item in found]
        return rated, are_all

    def failed(self, tenant: str, since: float, most: int) -> tuple[Sequence[FailedRequest], bool]:
        """One that was answered again has another status, and one that an earlier release failed has no `failure`."""
        condition = "#status = :failed AND attribute_exists(failure)"
        found, are_all = self._noted(tenant, since, most, condition, {":failed": {"S": Status.FAILED}})
        return [FailedRequest(*_asked(item), item["failure"]["S"]) for item in found], are_all

    def _noted(
        self, tenant: str, since: float, most: int, condition: str, values: Item | None = None
    ) -> tuple[list[Item], bool]:
        now = {":now": {"N": str(int(self._clock()))}}
        pages = self._table.pages(
            "notedFor = :tenant AND createdAt >= :since",
            {":tenant": {"S": tenant}, ":since": {"N": f"{since:.3f}"}, **now, **(values or {})},
            IndexName="noted",
            FilterExpression=f"expiresAt > :now AND {condition}",
            ScanIndexForward=False,
        )
        found: list[Item] = []
        for page in islice(pages, _MOST_PAGES):
            found += page["Items"]
            if len(found) > most:
                break
        return found[:most], len(found) <= most and "LastEvaluatedKey" not in page


def _asked(item: Item) -> tuple[str, float, str]:
    """The request's id, when it was asked, and what of. A head of an earlier release has no knowledge base."""
    request_id = item["pk"]["S"].rpartition("#")[2]
    return request_id, float(item["createdAt"]["N"]), item.get("knowledgeBase", {}).get("S", "")
