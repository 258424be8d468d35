"""What a message states about fields, collected."""

from __future__ import annotations

from datetime import date

import pytest

from cicada.documents.model import AnyOf, Exists, NoneOf, Range
from cicada.planning.deterministic.constraints.model import Conditions, Constraints
from cicada.understanding.calendar_ranges import DateRange


def test_values_of_one_field_are_alternatives_and_fields_keep_their_order() -> None:
    found = Conditions()
    found.add("stage", "lapsed")
    found.add("kind", "letter")
    found.add("stage", "sketch")
    found.add("guild", "Bakers", negated=True)
    found.add("guild", "Glass Works", negated=True)
    found.add_range(Exists("keeper"))
    assert found.all() == (
        AnyOf("stage", frozenset({"lapsed", "sketch"})),
        AnyOf("kind", frozenset({"letter"})),
        NoneOf("guild", frozenset({"Bakers", "Glass Works"})),
        Exists("keeper"),
    )
    assert found.fields() == {"stage", "kind", "guild", "keeper"}


def test_where_values_are_wanted_the_unwanted_ones_say_nothing_more() -> None:
    found = Conditions()
    found.add("stage", "sketch", negated=True)
    found.add("stage", "lapsed")
    assert found.all() == (AnyOf("stage", frozenset({"lapsed"})),)


FROM_MAY = DateRange(date(2026, 5, 1), None)
BEFORE_JUNE = DateRange(None, date(2026, 6, 1))


@pytest.mark.parametrize(
    ("days", "joined"),
    [
        ((FROM_MAY,), Range("sealed_on", least="2026-05-01")),
        ((FROM_MAY, BEFORE_JUNE), Range("sealed_on", least="2026-05-01", below="2026-06-01")),
        ((BEFORE_JUNE, FROM_MAY), Range("sealed_on", least="2026-05-01", below="2026-06-01")),
        (
            (FROM_MAY, DateRange(date(2026, 5, 9), None)),
            Range("sealed_on", least="2026-05-09"),
        ),
        (
            (BEFORE_JUNE, DateRange(None, date(2026, 5, 9))),
            Range("sealed_on", below="2026-05-09"),
        ),
    ],
)
def test_open_ranges_of_one_field_are_joined(days: tuple[DateRange, ...], joined: Range) -> None:
    found = Conditions()
    for each in days:
        found.add_days("sealed_on", each)
    found.add_days("expiry_date", FROM_MAY)
    assert found.all() == (joined, Range("expiry_date", least="2026-05-01"))


def test_a_range_takes_the_place_of_a_field_that_must_not_be_set() -> None:
    found = Conditions()
    found.add_range(Exists("sealed_on", present=False))
    found.add_days("sealed_on", FROM_MAY)
    assert found.all() == (Range("sealed_on", least="2026-05-01"),)


def test_a_message_that_states_nothing_lacks_nothing() -> None:
    assert Constraints().conditions.all() == ()
    assert not Constraints().lacks_asker
