"""Questions what is owed, where a column of a table tells it, and the tables that are columns of others."""

from __future__ import annotations

from datetime import date

import pytest

from cicada.documents.model import TABLE
from cicada.knowledge_bases.inference import completed
from cicada.knowledge_bases.observed_fields import observed_in, observed_with_records
from cicada.knowledge_bases.schema import Schema
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.schema_planner import SchemaReader
from cicada.understanding.tables import TablesReader

BOATS = [
    {TABLE: "boats", "Boat": name, "Built": built, "Price per week": price}
    for name, built, price in (("Anna", "1998", "1450"), ("Berta", "1974", "1900"), ("Clara", "2009", "2400"))
]
BOOKINGS = [
    {TABLE: "bookings", "Customer": who, "Boat": boat, "From": day, "Price": "1900", "Paid": paid, "Still owed": owed}
    for who, boat, day, paid, owed in (
        ("Hollis", "Anna", "2026-05-02", "1900", "0"),
        ("Otieno", "Berta", "2026-06-06", "500", "1400"),
        ("Hollis", "Clara", "2026-07-04", "1900", "0"),
    )
]


@pytest.fixture(scope="module")
def charter() -> TablesReader:
    known = observed_with_records(observed_with_records((), observed_in(BOATS)), observed_in(BOOKINGS))
    return TablesReader(SchemaReader.of(completed(Schema(), known, "charter")))


def meaning(charter: TablesReader, message: str) -> Meaning:
    return charter.understand([message], date(2026, 11, 27)).meaning


@pytest.mark.parametrize(
    "message", ["who still owes money", "which bookings are outstanding", "bookings not fully paid"]
)
def test_rows_with_something_left_to_pay_are_those_with_more_than_nothing(charter: TablesReader, message: str) -> None:
    found = meaning(charter, message)
    assert (found.bounds, found.topic, found.order) == ({"Still owed": Bounds(gt=0)}, "", None)


@pytest.mark.parametrize("message", ["how many bookings per boat?", "number of bookings by boat"])
def test_a_table_that_is_a_column_of_another_is_its_group(charter: TablesReader, message: str) -> None:
    found = meaning(charter, message)
    assert (found.wanted[TABLE], found.group) == (("bookings",), ("Boat",))


def test_numbers_that_are_years_are_compared_with_years(charter: TablesReader) -> None:
    assert meaning(charter, "boats built before 1975").bounds == {"Built": Bounds(lt=1975)}
    assert meaning(charter, "which boats were built after 2000?").bounds == {"Built": Bounds(gt=2000)}


def test_what_is_owed_of_two_columns_is_said_to_be_left_out() -> None:
    rows = [
        {
            TABLE: "enrolments",
            "Participant": f"P {n}",
            "Amount due": str(100 + n),
            "Amount paid": str(n),
            "State": "open",
        }
        for n in range(20)
    ]
    school = TablesReader(SchemaReader.of(completed(Schema(), observed_with_records((), observed_in(rows)), "school")))
    found = school.understand(["total still owed by open enrolments"], date(2026, 11, 27)).meaning
    assert found.unknown == ("owed",)
    assert school.understand(["total amount due"], date(2026, 11, 27)).meaning.unknown == ()
