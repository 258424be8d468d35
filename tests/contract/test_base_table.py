"""The record of knowledge bases: the table and its fake behave alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError
from cicada.knowledge_bases.kept import KeptBase
from cicada.knowledge_bases.observed_fields import MAX_FIELDS, MAX_VALUES
from tests.contract.access_list_table import TABLE, access_list_table
from tests.fakes.base_record import InMemoryBaseRecord, says

BASE, OTHER = KnowledgeBaseKey("acme", "minutes"), KnowledgeBaseKey("other", "minutes")
NOBODY: frozenset[str] = frozenset()

Record = DynamoBaseTable | InMemoryBaseRecord


@pytest.fixture(params=["dynamodb", "memory"])
def record(request: pytest.FixtureRequest) -> Iterator[Record]:
    if request.param == "memory":
        yield InMemoryBaseRecord()
        return
    with access_list_table() as client:
        yield DynamoBaseTable(client, TABLE)


def values(record: Record, base_key: KnowledgeBaseKey, *viewers: str) -> dict[str, tuple[str, ...]]:
    return {each.name: tuple(each.values) for each in record.read(base_key, frozenset(viewers)).observed}


def test_what_an_operator_sets_and_what_documents_have_do_not_replace_each_other(record: Record) -> None:
    record.observe(BASE, says(room="Hall A"), None)
    record.write_text(BASE, "limit = 5")
    record.observe(BASE, says(room="Hall B"), None)
    assert record.read(BASE, NOBODY).text == "limit = 5"
    assert values(record, BASE) == {"room": ("Hall A", "Hall B")}
    assert record.read(OTHER, NOBODY) == KeptBase()


def test_the_calibrations_of_a_stack_are_the_same_for_every_base_and_stand_beside_its_settings(record: Record) -> None:
    assert record.read_calibrations() == ""
    record.write_text(BASE, "limit = 5")
    record.write_calibrations("[]")
    assert record.read_calibrations() == "[]"
    assert record.read(BASE, NOBODY) == KeptBase("limit = 5", (), "[]")
    assert record.read(OTHER, NOBODY) == KeptBase("", (), "[]")


def test_fields_of_documents_with_viewers_are_known_to_these_alone(record: Record) -> None:
    record.observe(BASE, says(room="Hall A"), None)
    observed = record.observe(BASE, says("group:board", "user:ann", room="Vault", secret="yes"), None)
    assert [each.name for each in observed] == ["room", "secret"]
    assert values(record, BASE) == values(record, BASE, "group:staff") == {"room": ("Hall A",)}
    for viewer in ("group:board", "user:ann"):
        assert values(record, BASE, viewer) == {"room": ("Hall A", "Vault"), "secret": ()}


def test_what_no_other_document_says_goes_with_a_document_and_with_its_change(record: Record) -> None:
    first, second = says(room="Hall A", tags=("x", "y")), says(room="Hall A", tags=("y",), day="soon")
    for each in (first, second, says(room="Hall A", tags=("y",))):
        record.observe(BASE, each, None)
    record.observe(BASE, says(room="hall a", tags=("y",)), first)
    assert values(record, BASE) == {"room": ("Hall A",), "tags": ("y",), "day": ("soon",)}
    record.observe(BASE, says(), second)
    assert values(record, BASE) == {"room": ("Hall A",), "tags": ("y",)}
    record.observe(BASE, says(), says(room="Hall A", tags=("y",)))
    record.observe(BASE, says("group:board", room="Vault"), says(room="Hall A", tags=("y",)))
    assert (values(record, BASE), values(record, BASE, "group:board")) == ({}, {"room": ("Vault",)})


def test_a_document_from_before_there_was_a_record_is_known_when_it_is_ingested_again(record: Record) -> None:
    record.observe(BASE, says(room="Hall A"), says(room="Hall A"))
    record.observe(BASE, says(room="Hall A"), says(room="Hall A"))
    assert record.read(BASE, NOBODY).observed[0].documents == 1
    record.observe(BASE, says(), says(room="Hall A"))
    assert values(record, BASE) == {}


class OvertakenTable:
    """Before the first writes of this client another ingest writes the same row."""

    def __init__(self, client: Any, times: int) -> None:
        self.client, self.times, self.exceptions = client, times, client.exceptions

    def batch_get_item(self, **request: Any) -> Any:
        return self.client.batch_get_item(**request)

    def update_item(self, **request: Any) -> Any:
        if self.times:
            self.times -= 1
            DynamoBaseTable(self.client, TABLE).observe(BASE, says(room=f"Other {self.times}"), None)
        return self.client.update_item(**request)


def test_documents_that_are_ingested_at_the_same_time_lose_nothing_of_each_other() -> None:
    with access_list_table() as client:
        overtaken: Any = OvertakenTable(client, times=3)
        observed = DynamoBaseTable(overtaken, TABLE).observe(BASE, says(room="Mine"), None)
        assert tuple(observed[0].values) == ("Other 2", "Other 1", "Other 0", "Mine")
        assert observed[0].documents == 4
        never: Any = OvertakenTable(client, times=1000)
        with pytest.raises(ThrottledError):
            DynamoBaseTable(never, TABLE).observe(BASE, says(room="Never"), None)


def test_a_row_has_room_for_all_fields_and_values() -> None:
    with access_list_table() as client:
        record = DynamoBaseTable(client, TABLE)
        for number in range(MAX_VALUES):
            # The emulation counts what is replaced beside what replaces it, so its room is half of DynamoDB's.
            names = {f"{'名' * 60}{field}": f"{number:02}{'値' * 15}" for field in range(MAX_FIELDS + 1)}
            record.observe(BASE, says(**names), None)
        assert [len(each) for each in values(record, BASE).values()] == [MAX_VALUES] * MAX_FIELDS


def test_a_base_is_no_document_of_another_one() -> None:
    with access_list_table() as client:
        DynamoBaseTable(client, TABLE).observe(BASE, says("group:a#b", room="Hall A"), None)
        DynamoAccessListTable(client, TABLE).record(DocumentKey(BASE, "a.md"), ())
        assert DynamoAccessListTable(client, TABLE).readers_of(BASE, ["a.md", "", "b"]) == {"a.md": ()}


def test_the_names_of_a_tenants_bases_are_known_from_documents_and_settings(record: Record) -> None:
    record.observe(BASE, says(room="Hall A"), None)
    record.observe(BASE, says("group:board", room="Hall B"), None)
    record.write_text(KnowledgeBaseKey(BASE.tenant, "other"), "limit = 5")
    assert record.names(BASE.tenant) == {BASE.knowledge_base, "other"}
    assert record.names("elsewhere") == frozenset()
