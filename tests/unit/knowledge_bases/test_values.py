from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.documents.model import MetadataValue
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.values import Given, Unusable, are_years, as_keyword, field_named, shown_fields, typed
from tests.unit.knowledge_bases.schemas import SCHEMA


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("status", "approved", "approved"),
        ("status", " In  Force ", "approved"),
        ("status", "WITHDRAWN", "retired"),
        ("status", ("draft",), "draft"),
        ("owner", " Ann \n Lee", "Ann Lee"),
        ("owner", 7, "7"),
        ("effective", "2026-01-31", "2026-01-31"),
        ("effective", "2026-01-31T10:00:00Z", "2026-01-31"),
        ("effective", "2026-01-31 10:00:00.25+01:00", "2026-01-31"),
        ("effective", "2026/1/31", "2026-01-31"),
        ("effective", "2026.01.31", "2026-01-31"),
        ("effective", "31.01.2026", "2026-01-31"),
        ("effective", "1. 2. 2026 14:30", "2026-02-01"),
        ("effective", "31 January 2026", "2026-01-31"),
        ("effective", "31st Jan. 2026", "2026-01-31"),
        ("effective", "January 31, 2026", "2026-01-31"),
        ("effective", "Sept 9 2026", "2026-09-09"),
        ("effective", date(2026, 1, 31), "2026-01-31"),
        ("effective", datetime(2026, 1, 31, 23, tzinfo=UTC), "2026-01-31"),
        ("pages", "12", 12.0),
        ("pages", 12, 12.0),
        ("pages", "-1.5e2", -150.0),
        ("pages", "1,250,000.5", 1250000.5),
        ("pages", "1 250", 1250.0),
        ("pages", "1’250", 1250.0),
        ("public", "Yes", True),
        ("public", "false", False),
        ("public", True, True),
        ("tags", "gmp", ("gmp",)),
        ("tags", "gmp, sterile; gmp,", ("gmp", "sterile")),
        ("tags", ("gmp, gdp", "gmp"), ("gmp, gdp", "gmp")),
        ("department", "qa", ("Quality Assurance",)),
        ("department", "research, development", ("Research, Development",)),
        ("department", "QA, R&D", ("Quality Assurance", "Research, Development")),
    ],
)
def test_a_value_is_typed_and_canonical(name: str, value: Given, expected: MetadataValue) -> None:
    found = typed(SCHEMA.fields[name], value)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("status", "aproved", "The field 'status' takes one of draft, approved, retired, and 'aproved' is none."),
        ("status", ("draft", "approved"), "The field 'status' takes one value"),
        ("status", " ", "The field 'status' is empty."),
        ("tags", " , ", "The field 'tags' is empty."),
        ("tags", (), "The field 'tags' is empty."),
        ("department", ("QA", "Sales"), "takes one of Quality Assurance, Research, Development, and 'Sales' is none"),
        ("effective", "2026-02-30", "The field 'effective' takes a date such as 2026-01-31, and '2026-02-30' is none."),
        ("effective", "01/02/2026", "takes a date"),
        ("effective", "31 Brumaire 2026", "takes a date"),
        ("effective", "２０２６-01-31", "takes a date"),
        ("effective", "2026", "takes a date"),
        ("pages", "1,25", "takes a number such as 1250 or 12.5"),
        ("pages", "1,250 000", "takes a number"),
        ("pages", "nan", "takes a number"),
        ("pages", "1e999", "takes a number"),
        ("pages", True, "takes a number"),
        ("pages", 10**400, "takes a number"),
        ("public", "maybe", "takes yes or no"),
        ("public", "x" * 1000, f"'{'x' * 40}…' is none"),
    ],
)
def test_a_value_of_another_type_is_refused_with_field_and_value(name: str, value: Given, said: str) -> None:
    found = typed(SCHEMA.fields[name], value)
    assert isinstance(found, Unusable)
    assert said in found.reason


@given(st.sampled_from(list(SCHEMA.fields.values())), st.text() | st.floats() | st.booleans() | st.dates())
def test_a_typed_value_is_typed_to_itself(field: SchemaField, value: Given) -> None:
    found = typed(field, value)
    if not isinstance(found, Unusable):
        assert typed(field, found) == found


@given(st.dates())
def test_every_day_is_read_as_people_write_it(day: date) -> None:
    field = SchemaField("day", FieldType.DATE)
    written = (
        f"{day.year:04}/{day.month}/{day.day}",
        f"{day.day} {day:%B} {day.year:04}",
        f"{day:%b} {day.day} {day.year:04}",
    )
    assert {typed(field, each) for each in written} == {day.isoformat()}


@pytest.mark.parametrize(("name", "found"), [("status", "status"), ("IN FORCE SINCE", "effective"), ("state", None)])
def test_a_field_is_found_by_its_name_and_its_display_name(name: str, found: str | None) -> None:
    field = field_named(SCHEMA, name)
    assert (field.name if field else None) == found


def test_without_a_schema_a_value_is_the_text_that_stands_for_it() -> None:
    texts: dict[str | float | bool | tuple[str, ...], str | tuple[str, ...]] = {
        True: "true",
        7: "7",
        7.5: "7.5",
        "x": "x",
        ("a", "b"): ("a", "b"),
    }
    assert {value: as_keyword(value) for value in texts} == texts
    assert as_keyword(7.0) == "7"


def test_shown_fields_stand_under_their_display_names_in_the_schemas_order() -> None:
    metadata: dict[str, MetadataValue] = {"public": True, "effective": "2026-01-31", "status": "retired", "pages": 7.0}
    found = shown_fields(SCHEMA, metadata)
    assert list(found.items()) == [("Status", "retired"), ("In force since", "2026-01-31"), ("public", "yes")]


def test_numbers_and_lists_are_written_for_people_and_long_values_are_cut() -> None:
    kinds = {"n": FieldType.NUMBER, "l": FieldType.KEYWORDS, "t": FieldType.KEYWORD}
    schema = Schema({name: SchemaField(name, kind, shown=True) for name, kind in kinds.items()})
    assert shown_fields(schema, {"n": 7.0, "l": ("a", "b"), "t": "x" * 121}) == {"n": "7", "l": "a, b", "t": "x" * 120}


def test_a_source_shows_ten_fields_at_most() -> None:
    schema = Schema({f"f{number}": SchemaField(f"f{number}", FieldType.KEYWORD, shown=True) for number in range(11)})
    assert len(shown_fields(schema, dict.fromkeys(schema.fields, "x"))) == 10


@pytest.mark.parametrize(
    ("name", "values", "years"),
    [
        ("Season", (2021.0, 1500.0), True),
        ("Season", (2021.0, 2101.0), False),
        ("Season", (2021.5,), False),
        ("Season", (True,), False),
        ("Season", (), False),
        ("Ticket price", (1900.0,), False),
        ("Visitors", (1800.0,), True),
        ("Year built", (1200.0,), True),
    ],
)
def test_numbers_are_years_by_their_name_or_where_all_can_be(name: str, values: tuple[float], years: bool) -> None:
    assert are_years(name, values) == years
