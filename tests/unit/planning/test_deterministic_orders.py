"""The order that a message asks of a list, and where it asks for counts instead."""

from __future__ import annotations

import pytest

from cicada.documents.catalogue import TITLE, Sort
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.planning.deterministic.planner import DeterministicPlanner
from cicada.planning.plan import Shape
from tests.unit.planning.planned import NOW, filters, planned


@pytest.mark.parametrize(
    ("order", "field", "descending"),
    [
        ("letters by fee descending", "fee", True),
        ("letters by fee", "fee", False),
        ("list letters sorted by fee", "fee", False),
        ("sort the letters by fee, desc", "fee", True),
        ("letters sorted descending by fee", "fee", True),
        ("letters by fee, highest first", "fee", True),
        ("letters by lowest fee first", "fee", False),
        ("letters by fee from highest to lowest", "fee", True),
        ("letters by fee (low to high)", "fee", False),
        ("letters in descending order of fee", "fee", True),
        ("letters in order of fee", "fee", False),
        ("letters, largest fee first", "fee", True),
        ("letters, fee ascending", "fee", False),
        ("rank the letters by fee", "fee", False),
        ("top five letters by fee", "fee", True),
        ("letters with the highest fee", "fee", True),
        ("letters whose fee is lowest", "fee", False),
        ("letters by expiry date", "expiry_date", False),
        ("letters by expiry date descending", "expiry_date", True),
        ("order letters by expiry", "expiry_date", False),
        ("letters by latest expiry date", "expiry_date", True),
        ("letters expiring soonest", "expiry_date", False),
        ("letters by newest first", "sealed_on", True),
        ("letters by oldest first", "sealed_on", False),
        ("letters from oldest to newest", "sealed_on", False),
        ("letters by sealed on, most recent first", "sealed_on", True),
        ("letters by date descending", "sealed_on", True),
        ("letters in chronological order", "sealed_on", False),
        ("letters in reverse chronological order", "sealed_on", True),
        ("letters by title", TITLE, False),
        ("letters by name z-a", TITLE, True),
        ("letters a to z", TITLE, False),
        ("letters in reverse alphabetical order", TITLE, True),
        ("letters sorted by guild", "guild", False),
        ("letters by stage ascending", "stage", False),
        ("letters by keeper alphabetically", "keeper", False),
    ],
)
def test_a_list_has_the_order_that_is_asked_for(order: str, field: str, descending: bool) -> None:
    plan = planned(order)
    assert (plan.shape, plan.sort, plan.group) == (Shape.METADATA_ONLY, Sort(field, descending), ())
    assert filters(order) == {"kind": "letter"}


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("letters by guild", "guild"),
        ("letters per guild descending", "guild"),
        ("letters by guild, highest first", "guild"),
        ("letters grouped by guild, descending", "guild"),
        ("how many letters by stage", "stage"),
        ("number of letters by stage, ascending", "stage"),
        ("how many letters by fee", "fee"),
        ("breakdown of letters by expiry date", "expiry_date"),
        ("which guild has the most letters", "guild"),
        ("which guilds have the newest letters", "guild"),
    ],
)
def test_documents_are_counted_by_a_field_where_no_order_is_named(message: str, field: str) -> None:
    plan = planned(message)
    assert plan.group == (field,)
    assert plan.sort in (None, Sort("sealed_on", descending=True))


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("the letter with the highest fee", 1),
        ("the three letters with the highest fee", 3),
        ("the five letters expiring soonest", 5),
        ("letters with the highest fee", None),
        ("letter by fee, highest first", None),
        ("the newest letter", 1),
    ],
)
def test_a_superlative_asks_for_as_many_as_it_names(message: str, limit: int | None) -> None:
    assert planned(message).limit == limit


def test_the_order_is_not_searched_for() -> None:
    plan = planned("letters on night watches by fee, highest first")
    assert (plan.shape, plan.search_value) == (Shape.HYBRID, "night watches")
    assert plan.sort == Sort("fee", descending=True)


def test_a_question_on_content_may_speak_of_what_is_highest() -> None:
    plan = planned("letters about the highest fee that was ever paid for tolls")
    assert (plan.shape, plan.sort) == (Shape.HYBRID, None)
    assert "fee" in plan.search_value


def test_a_word_of_a_longer_name_is_enough_where_one_field_has_it() -> None:
    def of(*names: str) -> DeterministicPlanner:
        fields = {name: SchemaField(name, FieldType.NUMBER) for name in names}
        return DeterministicPlanner.of(Schema(fields))

    message = "documents by value, highest first"
    assert of("value_eur", "page_count").plan(message, NOW).sort == Sort("value_eur", descending=True)
    assert of("value_eur", "value_usd").plan(message, NOW).sort is None
    assert of("page_count").plan("documents by page count descending", NOW).sort == Sort("page_count", descending=True)


def test_a_base_without_dates_has_no_newest() -> None:
    open_base = DeterministicPlanner.of(Schema())
    assert open_base.plan("all documents, newest first", NOW).sort is None
    assert open_base.plan("all documents in alphabetical order", NOW).sort == Sort(TITLE)
