"""Rows of every shape that the code stores, written and read by its own adapters.

`python -m tests.contract.stored_rows NAME` writes what today's code stores, and what it reads of it, to
`tests/contract/rows/NAME.json`; test_stored_rows.py says when.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import msgspec
from moto import mock_aws

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.dynamodb.base_table import DynamoBaseTable
from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.adapters.dynamodb.noted_requests import DynamoNotedRequests
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.share_table import DynamoShareTable
from cicada.adapters.dynamodb.token_counter import DynamoTokenCounter
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.agents.evidence import Ground, Judgement, Verdict
from cicada.agents.model import AgentKind, Change, Entry, EntryScope
from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    Charge,
    Connection,
    NewRequest,
    Question,
    RequestKey,
    Shown,
    Status,
    StoredEvent,
    TokensUsed,
)
from cicada.documents.catalogue import Aggregate, ListedPage, Sort
from cicada.documents.model import AnyOf, DocumentKey, Exists, KnowledgeBaseKey, NoneOf, Range
from cicada.identity import Principal
from cicada.observability.audit import ShownDocument
from tests.contract.declared import create_table
from tests.fakes.base_record import says

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FIXTURES = Path(__file__).with_name("rows")
TABLES = ("requests", "connections", "entries", "readers")
Rows = dict[str, list[dict[str, Any]]]

_NOW, _LATER = 1_800_000_000.25, 1_900_000_000.0
_ANN = Principal("acme", "ann", frozenset({"staff", "board"}), "login-1")
KEY = RequestKey(_ANN, "7e57d004-2b97-4e7a-b45f-5387367791cd")
_FAILED = RequestKey(_ANN, "7e57d004-2b97-4e7a-b45f-5387367791ce")
_BASE = KnowledgeBaseKey("acme", "store")
_DOCUMENT = DocumentKey(_BASE, "lease.md")
_THEORIES = EntryScope(_ANN, "store", AgentKind.THEORIES)
_FILTERS = (
    AnyOf("kind", frozenset({"lease"})),
    NoneOf("public", frozenset({True})),
    Range("effective", least="2026-01-01", below="2027-01-01"),
    Exists("retired", present=False),
)
_RECORD = AnswerRecord(
    path=("plan:rules", "catalogue"),
    scores=(None, 0.25),
    confidence=0.5,
    timings={"total": 1200, "firstToken": 640},
    intent="listing",
    knowledge_base="store",
    strategy="Listing",
    input_tokens=900,
    output_tokens=40,
    listing=ListedPage(
        "store",
        "store",
        _FILTERS,
        Sort("effective", descending=True, of="max"),
        aggregates=(Aggregate("sum", "pages"),),
        group=("kind",),
        fields=("owner",),
        limit=7,
        offset=14,
        documents=("lease.md",),
    ),
)


@contextmanager
def stored(rows: Rows) -> Iterator[DynamoDBClient]:
    """The tables of the CDK app with these rows."""
    with mock_aws():
        client = boto3.client("dynamodb", region_name="us-east-1")
        for table in TABLES:
            create_table(client, table)
            for row in rows.get(table, ()):
                client.put_item(TableName=table, Item=row)
        yield client


def rows_of(client: DynamoDBClient) -> Rows:
    """All rows, in the order of their keys."""
    found = {table: client.scan(TableName=table)["Items"] for table in TABLES}
    return {table: sorted(map(dict, rows), key=_row_key) for table, rows in found.items()}


def _row_key(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["pk"]["S"], row.get("sk", {}).get("S", "")


def write(client: DynamoDBClient) -> None:
    """Rows of every shape, with all attributes that they can have."""
    log = DynamoRequestLog(client, "requests", lambda: _NOW)
    log.create(
        NewRequest(
            KEY,
            Question(
                "List the leases", "s-1", "store", ("act-1",), _FILTERS, _RECORD.listing, "List the leases of 2025"
            ),
            "c-1",
            _NOW,
            _LATER,
        ),
        "{}",
    )
    lease = log.take_lease(KEY, _NOW, _NOW + 15)
    assert lease is not None
    shown = Shown(1, (ShownDocument("store", "lease.md", "v1"),))
    log.store(lease, StoredEvent(2, '{"type":"chunk","content":"The lease …"}', shown))
    log.claim_takeover(KEY, 1, _NOW, _NOW + 30)
    log.request_cancel(KEY)
    log.advance(lease, 2, _NOW + 15, Status.COMPLETE, _RECORD)
    log.rate(KEY, AnswerFeedback("bad", _NOW, ("wrong",), "It ended."))
    _write_failure(log)
    log.pin_session(_ANN, "s-1", pinned=True)
    DynamoShareTable(client, "requests", lambda: _NOW).share(_ANN, "s-1", "AbCdEfGhIjKlMnOpQrStUv")
    usage = DynamoUsageTable(client, "requests")
    charge = Charge(_NOW, 1.0, _NOW + 60)
    usage.admit(_ANN, charge, usage.get(_ANN), {KEY.request_id: _NOW}, _LATER)
    usage.revoke(_ANN, _NOW, _LATER)
    DynamoTokenCounter(client, "requests").add("acme", "2027-01-15", TokensUsed(3900, 100), _LATER)
    DynamoConnectionTable(client, "connections").add(Connection("c-1", _ANN, _LATER, _NOW, _NOW), _LATER)
    _write_entries(DynamoEntryStore(client, "entries"))
    DynamoAccessListTable(client, "readers").record(_DOCUMENT, ("group:board", "user:ann"))
    bases = DynamoBaseTable(client, "readers")
    bases.write_text(_BASE, "limit = 5")
    bases.write_calibrations("[]")
    bases.observe(_BASE, says("group:board", room="Vault"), None)


def _write_failure(log: DynamoRequestLog) -> None:
    log.create(NewRequest(_FAILED, Question("Why?", "s-2", "store"), "c-1", _NOW, _LATER), "{}")
    lease = log.take_lease(_FAILED, _NOW, _NOW + 15)
    assert lease is not None
    log.advance(lease, 2, _NOW + 15, Status.FAILED, AnswerRecord(code="internal"))


def _write_entries(store: DynamoEntryStore) -> None:
    """A theory with a verdict, and an earlier state of it."""
    ground = Ground("lease.md", "v1", "p-1", "section 2", against=True)
    before = Entry("id-1", "theory", "Owl", "It hoots.", 1, _NOW)
    after = msgspec.structs.replace(before, text="It hoots at night.", version=2, brought_back=1)
    store.write(_THEORIES, Change(None, before, _NOW))
    store.write(_THEORIES, Change(before, after, _NOW))
    judgement = Judgement(Verdict.SUPPORTED, "It says so.", (ground,), _NOW, ("lease.md",))
    store.keep_judgement(_THEORIES, msgspec.structs.replace(after, judgement=judgement))


def read(client: DynamoDBClient) -> dict[str, Any]:
    """Everything that the adapters read of the rows, as JSON has it."""
    log = DynamoRequestLog(client, "requests", lambda: _NOW)
    entries, bases = DynamoEntryStore(client, "entries"), DynamoBaseTable(client, "readers")
    connections = DynamoConnectionTable(client, "connections")
    found = {
        "question": log.question(KEY),
        "head": log.head(KEY),
        "events": list(log.events(KEY, 0, 2)),
        "sessions": log.sessions(_ANN, None, 10),
        "turns": log.turns(_ANN, "s-1", None, 10),
        "share": DynamoShareTable(client, "requests", lambda: _NOW).find("acme", "AbCdEfGhIjKlMnOpQrStUv"),
        "usage": DynamoUsageTable(client, "requests").get(_ANN),
        "tokens": DynamoTokenCounter(client, "requests").used("acme", "2027-01-15"),
        "days": DynamoTokenCounter(client, "requests").by_day("acme", "2027-01-01"),
        "rated": DynamoNotedRequests(client, "requests", lambda: _NOW).rated("acme", 0, 10)[0],
        "failed": DynamoNotedRequests(client, "requests", lambda: _NOW).failed("acme", 0, 10)[0],
        "connection": connections.get("c-1"),
        "connections": connections.of(_ANN),
        "entries": entries.live(_THEORIES),
        "earlier entries": entries.earlier(_THEORIES, _NOW),
        "viewers": DynamoAccessListTable(client, "readers").readers_of(_BASE, ["lease.md"]),
        "base": bases.read(_BASE, frozenset({"group:board"})),
        "calibrations": bases.read_calibrations(),
    }
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found, order="deterministic"))
    return values


def main(name: str) -> None:
    """Write the fixture."""
    with stored({}) as client:
        write(client)
        fixture = {"rows": rows_of(client), "read": read(client)}
    (FIXTURES / f"{name}.json").write_text(json.dumps(fixture, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
