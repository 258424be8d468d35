"""Numbers of tables: with a comma, with a currency, and those that may be read either way."""

from __future__ import annotations

import pytest

from cicada.ingest.prose.tables import plain_numbers
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from tests.unit.ingest.documents import parsed

GERMAN = "Nr;Betrag;Menge\n1;1.234,56 €;1.000\n2;12,50 €;2\n3;-3,00 €;3.500\n"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (["1.234,56", "12", "0,5"], ["1234.56", "12", "0.5"]),
        (["1.234.567", "-12,50"], ["1234567", "-12.50"]),
        (["$1,234.50", "$2"], ["1,234.50", "2"]),
        (["1.200,50 EUR", "7 EUR"], ["1200.50", "7"]),
    ],
)
def test_numbers_are_read_as_they_are_written(written: list[str], plain: list[str]) -> None:
    assert plain_numbers({"A": written}) == {"A": dict(zip(written, plain, strict=True))}


@pytest.mark.parametrize(
    "written",
    [["12", "12.5"], ["1.000", "2"], ["1.000 €", "2 €"], ["3,00 €", "3.00 $"], ["1,50", "unknown"], ["31.01.2026"]],
)
def test_values_that_are_plain_or_unsure_or_not_all_numbers_stay(written: list[str]) -> None:
    assert plain_numbers({"A": written}) == {}


def test_points_are_between_thousands_where_another_column_has_commas() -> None:
    assert plain_numbers({"A": ["1,50"], "B": ["1.000", "2"]})["B"] == {"1.000": "1000", "2": "2"}
    assert "B" not in plain_numbers({"A": ["1,50"], "B": ["1.000", "2"], "C": ["1.50"]})
    assert "Article no" not in plain_numbers({"A": ["1,50"], "Article no": ["1.000", "2"]})


def test_a_rows_text_has_what_the_table_says_and_its_fields_have_numbers() -> None:
    row = parsed("a.csv", GERMAN.encode()).passages[1]
    assert row.text == "Nr: 1; Betrag: 1.234,56 €; Menge: 1.000"
    assert (row.metadata["Betrag"], row.metadata["Menge"]) == ("1234.56", "1000")


@pytest.mark.parametrize(("kind", "value"), [(FieldType.KEYWORD, "1.234,56 €"), (FieldType.NUMBER, 1234.56)])
def test_a_declared_field_has_the_value_as_its_type_wants_it(kind: FieldType, value: str | float) -> None:
    schema = Schema({"Betrag": SchemaField("Betrag", kind)})
    assert parsed("a.csv", GERMAN.encode(), schema=schema).passages[1].metadata["Betrag"] == value
