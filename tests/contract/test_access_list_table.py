"""The record of documents' readers: the table and its fake behave alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError
from tests.contract.access_list_table import TABLE, access_list_table
from tests.fakes.access import RecordedAccessLists

BASE = KnowledgeBaseKey("acme", "policies")
LEAVE, PAY = DocumentKey(BASE, "hr/leave.md"), DocumentKey(BASE, "pay#1.md")

Record = DynamoAccessListTable | RecordedAccessLists


@pytest.fixture(params=["dynamodb", "memory"])
def record(request: pytest.FixtureRequest) -> Iterator[Record]:
    if request.param == "memory":
        yield RecordedAccessLists()
        return
    with access_list_table() as client:
        yield DynamoAccessListTable(client, TABLE)


def test_viewers_are_those_recorded_last_and_unknown_documents_are_left_out(record: Record) -> None:
    record.record(LEAVE, ("group:hr",))
    record.record(PAY, ("user:ann",))
    record.record(PAY, ())
    assert record.readers_of(BASE, ["hr/leave.md", "pay#1.md", "none.md"]) == {
        "hr/leave.md": ("group:hr",),
        "pay#1.md": (),
    }
    assert record.readers_of(KnowledgeBaseKey("other", "policies"), ["pay#1.md"]) == record.readers_of(BASE, []) == {}


def test_a_copy_does_not_replace_what_ingest_has_written(record: Record) -> None:
    record.record_if_missing(LEAVE, ())
    record.record(LEAVE, ("group:hr",))
    record.record_if_missing(LEAVE, ())
    assert record.readers_of(BASE, [LEAVE.document_id]) == {LEAVE.document_id: ("group:hr",)}


def test_a_forgotten_document_is_unknown(record: Record) -> None:
    record.record(LEAVE, ())
    record.forget(LEAVE)
    record.forget(PAY)
    assert record.readers_of(BASE, [LEAVE.document_id]) == {}


def test_more_documents_than_one_call_takes_are_all_read() -> None:
    with access_list_table() as client:
        record = DynamoAccessListTable(client, TABLE)
        names = [f"{number}.md" for number in range(101)]
        for name in names:
            record.record(DocumentKey(BASE, name), ())
        assert set(record.readers_of(BASE, names)) == set(names)


class BusyTable:
    """Leaves the last key of every call unread, as DynamoDB may; `forever` all of them."""

    def __init__(self, client: Any, forever: bool) -> None:
        self.client, self.forever = client, forever

    def batch_get_item(self, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803 - boto3's name
        keys = RequestItems[TABLE]["Keys"]
        read, unread = ([], keys) if self.forever else (keys[:-1] or keys, keys[-1:] if len(keys) > 1 else [])
        reply = self.client.batch_get_item(RequestItems={TABLE: {"Keys": read}}) if read else {"Responses": {}}
        return {"Responses": reply["Responses"], "UnprocessedKeys": {TABLE: {"Keys": unread}} if unread else {}}


def test_what_dynamodb_leaves_unread_is_asked_for_again_and_never_taken_for_unknown() -> None:
    with access_list_table() as client:
        DynamoAccessListTable(client, TABLE).record(LEAVE, ())
        DynamoAccessListTable(client, TABLE).record(PAY, ())
        busy: Any = BusyTable(client, forever=False)
        assert len(DynamoAccessListTable(busy, TABLE).readers_of(BASE, [LEAVE.document_id, PAY.document_id])) == 2
        never: Any = BusyTable(client, forever=True)
        with pytest.raises(ThrottledError):
            DynamoAccessListTable(never, TABLE).readers_of(BASE, [LEAVE.document_id])
