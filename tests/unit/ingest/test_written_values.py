"""Numbers and days of tables: with a comma, with a currency, with slashes, and those that may be read either way."""

from __future__ import annotations

import pytest

from cicada.ingest.prose.tables import listed_values, plain_days, plain_numbers
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


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (["03/04/2026", "25/04/2026"], "2026-04-03"),
        (["3/4/2026", "4/25/2026"], "2026-03-04"),
        (["3-4-2026", "31-1-2026"], "2026-04-03"),
    ],
)
def test_a_column_shows_whether_days_or_months_come_first(written: list[str], day: str) -> None:
    assert plain_days({"A": written})["A"][written[0]] == day


@pytest.mark.parametrize(
    "written",
    [
        ["03/04/2026"],
        ["25/04/2026", "04/25/2026"],
        ["25/04/2026", "soon"],
        ["25/04/26"],
        ["25/04/2026", "31/02/2026"],
        ["25/00/2026"],
    ],
)
def test_days_that_may_be_read_either_way_or_are_not_all_days_stay(written: list[str]) -> None:
    assert plain_days({"A": written}) == {}


def test_numbers_of_things_are_no_days() -> None:
    assert plain_days({"Case no": ["25-04-2026"]}) == {}


def test_another_column_tells_whether_days_come_first() -> None:
    assert plain_days({"A": ["03/04/2026"], "B": ["25/12/2025"]})["A"] == {"03/04/2026": "2026-04-03"}
    assert "A" not in plain_days({"A": ["03/04/2026"], "B": ["25/12/2025"], "C": ["12/25/2025"]})


def test_days_of_a_row_are_shown_as_written_and_found_by_the_day() -> None:
    row = parsed("a.csv", b"Object;Acquired\nPlough;03/04/2026\nClock;25/04/2026\n").passages[1]
    assert (row.text, row.metadata["Acquired"]) == ("Object: Plough; Acquired: 03/04/2026", "2026-04-03")


def test_a_rows_text_has_what_the_table_says_and_its_fields_have_numbers() -> None:
    row = parsed("a.csv", GERMAN.encode()).passages[1]
    assert row.text == "Nr: 1; Betrag: 1.234,56 €; Menge: 1.000"
    assert (row.metadata["Betrag"], row.metadata["Menge"]) == ("1234.56", "1000")


@pytest.mark.parametrize(("kind", "value"), [(FieldType.KEYWORD, "1.234,56 €"), (FieldType.NUMBER, 1234.56)])
def test_a_declared_field_has_the_value_as_its_type_wants_it(kind: FieldType, value: str | float) -> None:
    schema = Schema({"Betrag": SchemaField("Betrag", kind)})
    assert parsed("a.csv", GERMAN.encode(), schema=schema).passages[1].metadata["Betrag"] == value


@pytest.mark.parametrize(
    ("cells", "lists"),
    [
        (("German, Polish", "Polish", "French; German"), [("German", "Polish"), ("French", "German")]),
        (("Piano", "Violin", "piano, violin"), [("piano", "violin")]),
        (("MB-40, MB-21", "MB-40", "MB-21, MB-7"), [("MB-40", "MB-21"), ("MB-21", "MB-7")]),
        (("Brandt, Ilse", "Vogel, Karl", "Brandt, Ilka"), []),
        (("Smith, John", "Smith, Ann", "unknown"), []),
        (("Mill Lane, Ashby", "Ashby", "High Street, Ashby"), []),
        (("keel touched sand, lift", "stern hit the quay, again", "mast"), []),
        (("oak, 2 m", "oak, 3 m", "oak"), []),
    ],
)
def test_cells_with_names_that_recur_are_lists(cells: tuple[str, ...], lists: list[tuple[str, ...]]) -> None:
    assert list(listed_values({"A": cells}).get("A", {}).values()) == lists
