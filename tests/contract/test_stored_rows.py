"""Rows outlive releases: what earlier code has stored, today's code reads whole.

If `test_todays_rows_are_those_of_the_newest_fixture` fails, rows have another shape. Stored rows are not migrated, and
a release runs beside the one before while it is rolled out. So:

1. Only add attributes, and have the readers do without them (docs/operations/upgrade.md says why).
2. Keep the fixtures that are there. `python -m tests.contract.stored_rows 2027-03` adds one of today.
3. Give `OPTIONAL` the attributes that older rows do not have.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.conversation.model import AnswerRecord, Status, StoredEvent
from tests.contract.stored_rows import FIXTURES, KEY, Rows, read, rows_of, stored, write

# After the lease of the fixtures' request, a minute before which it was held.
DEAD = 1_800_000_060.0
ALL = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FIXTURES.glob("*.json"))}
NEWEST = ALL[max(ALL)]
# What rows of earlier releases, or rows without an occasion for it, do not have.
OPTIONAL = {
    "requests": (
        *("answerRecord", "cancelRequested", "connectionId", "feedback", "knowledgeBase", "shown", "takeoverUntil"),
        *("failure", "notedFor", "shareId", "tokensRead", "tokensWritten"),
        *("admitted", "arrival", "revokedBefore", "tokens", "usageVersion", "writtenAt"),
    ),
    "connections": ("connectedAt", "groups", "login", "tokenIssuedAt"),
    "entries": ("judgement",),
    "readers": ("observed", "revision", "settings"),
}
# What there is to read consists of the attribute alone, or is found by it in an index.
EMPTIED = {
    "tokens": ("tokens",),
    "feedback": ("rated",),
    "failure": ("failed",),
    "notedFor": ("rated", "failed"),
    "settings": ("calibrations",),
    "connectedAt": ("connections",),
}


def has(found: Any, expected: Any) -> bool:
    """Whether everything expected is there; what newer readers have beside it does not count."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(name in found and has(found[name], expected[name]) for name in expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(has, found, expected))
    return bool(found == expected)


def read_of(rows: Rows) -> dict[str, Any]:
    with stored(rows) as client:
        return read(client)


@pytest.mark.parametrize("name", ALL)
def test_rows_of_every_fixture_are_read_whole(name: str) -> None:
    assert has(read_of(ALL[name]["rows"]), ALL[name]["read"])


@pytest.mark.parametrize("name", ALL)
def test_an_answer_that_an_earlier_processor_began_is_taken_over_and_ended(name: str) -> None:
    with stored(begun(ALL[name]["rows"])) as client:
        log = DynamoRequestLog(client, "requests", lambda: DEAD)
        assert log.take_lease(KEY, DEAD - 60, DEAD) is None, "The earlier processor may still write."
        lease = log.take_lease(KEY, DEAD, DEAD + 15)
        assert lease is not None
        assert (lease.attempt, lease.last_seq) == (2, 2)
        log.store(lease, StoredEvent(3, '{"type":"reset"}'))
        head = log.advance(lease, 3, DEAD, Status.COMPLETE, AnswerRecord(path=("retrieve",)))
        assert [each.seq for each in log.events(KEY, 0, head.last_seq)] == [1, 2, 3]


def begun(rows: Rows) -> Rows:
    """The rows at the time when the answer was written: its end is not yet stored."""
    rows = copy.deepcopy(rows)
    for row in rows["requests"]:
        if row["pk"]["S"].endswith(KEY.request_id) and row["sk"]["S"] == "HEAD":
            row["status"] = {"S": "processing"}
            del row["answerRecord"], row["feedback"]
    return rows


def test_todays_rows_are_those_of_the_newest_fixture() -> None:
    with stored({}) as client:
        write(client)
        assert rows_of(client) == NEWEST["rows"], __doc__


def test_attributes_of_a_later_release_are_ignored() -> None:
    assert read_of(changed(add_unknown)) == read_of(NEWEST["rows"])


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, names in OPTIONAL.items() for name in names])
def test_a_row_without_an_optional_attribute_is_read(table: str, name: str) -> None:
    rows = changed(lambda row: row.pop(name, None), table)
    assert rows != NEWEST["rows"]
    found, before = read_of(rows), NEWEST["read"]
    assert found.keys() == before.keys()
    assert [
        what for what, value in before.items() if value and not found[what] and what not in EMPTIED.get(name, ())
    ] == []


def changed(change: Callable[[dict[str, Any]], object], *tables: str) -> Rows:
    """The rows of the newest fixture after a change of each, of these tables or all."""
    rows: Rows = copy.deepcopy(NEWEST["rows"])
    for table in tables or rows:
        for row in rows[table]:
            change(row)
    return rows


def add_unknown(row: dict[str, Any]) -> None:
    """To the row, and to each JSON object that an attribute holds, but for frames, which are sent as they are."""
    for name, value in row.items():
        if name != "body" and value.get("S", "")[:1] in ("{", "["):
            parsed = json.loads(value["S"])
            for each in objects(parsed):
                each["later"] = {"unknown": 1}
            value["S"] = json.dumps(parsed)
    row["later"] = {"S": "unknown"}


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))
