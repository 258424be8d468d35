"""Numbers over rows, beside what the contract of the catalogue says of them."""

from __future__ import annotations

import pytest

from cicada.documents.aggregates import Figure, aggregated
from cicada.documents.catalogue import EVERY, TITLE, Aggregate, DocumentRow, Sort
from cicada.documents.model import DocumentKey, MetadataValue
from cicada.documents.periods import by_period, period_of
from tests.fakes.passages import PLAYS


def rows(*values: MetadataValue) -> list[DocumentRow]:
    return [
        DocumentRow(DocumentKey(PLAYS, f"d{number}"), f"Title {number % 2}", "v1", 1, 0.0, "", {"value": value})
        for number, value in enumerate(values)
    ]


def test_a_sum_beyond_all_numbers_is_none() -> None:
    huge = rows(1.7e308, 1.7e308)
    assert aggregated(huge, [Aggregate("sum", "value")]).figures == (Figure(None, 2),)


def test_sums_do_not_depend_on_the_order_of_documents() -> None:
    values = (1e16, 1.0, -1e16, 0.1)
    for each in (values, values[::-1]):
        assert aggregated(rows(*each), [Aggregate("sum", "value")]).figures[0].value == pytest.approx(1.1, rel=1e-15)


def test_yes_is_no_number_and_is_another_value_than_one() -> None:
    found = aggregated(rows(True, 1.0, False), [Aggregate("sum", "value"), Aggregate("count", "value")], ("value",))
    assert found.figures == (Figure(1.0, 1), Figure(3, 3))
    assert [(type(each.values[0]), each.documents) for each in found.groups] == [(bool, 1), (bool, 1), (float, 1)]


def test_of_documents_themselves_only_their_number_is_known() -> None:
    asked = [Aggregate("count", EVERY), Aggregate("sum", EVERY), Aggregate("max", EVERY)]
    assert aggregated(rows(1.0, 2.0), asked).figures == (Figure(2, 2), Figure(None, 0), Figure(None, 0))


def test_titles_are_counted_as_a_field_is() -> None:
    assert aggregated(rows(1.0, 2.0, 3.0), [Aggregate("count", TITLE)]).figures == (Figure(2, 3),)


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("year", [("2025", 1), ("2026", 3)]),
        ("quarter", [("2025-Q4", 1), ("2026-Q1", 2), ("2026-Q4", 1)]),
        ("month", [("2025-12", 1), ("2026-01", 1), ("2026-03", 1), ("2026-12", 1)]),
        ("week", [("2026-W01", 2), ("2026-W10", 1), ("2026-W53", 1)]),
    ],
)
def test_days_are_grouped_by_periods_that_follow_each_other(period: str, expected: list[tuple[str, int]]) -> None:
    days = rows("2026-03-02", "2025-12-31", "2026-01-01", "2026-12-31", "soon", ())
    found = aggregated(days, (), (by_period("value", period),))
    assert [(each.values[0], each.documents) for each in found.groups if each.values[0]] == expected
    assert (found.group_count, found.missing) == (len(expected), 2)
    most = aggregated(days, (), (by_period("value", "year"),), Sort(EVERY, descending=True, of="count"), 1)
    assert most.groups[0].values == ("2026",)


def test_a_field_that_is_called_like_a_period_is_no_period() -> None:
    assert (period_of("value@month"), period_of("value@noon"), period_of("@month")) == (
        ("value", "month"),
        ("value@noon", ""),
        ("@month", ""),
    )


def test_of_groups_with_equally_many_all_are_first() -> None:
    found = aggregated(rows("a", "b", "a", "b", "c", ()), (), ("value",), None, 1)
    assert ([each.values[0] for each in found.groups], found.group_count) == (["a", "b"], 3)
    last = aggregated(rows("a", "a", "b", ()), (), ("value",), Sort(EVERY, of="count"), 1)
    assert [each.values[0] for each in last.groups] == ["b"]
