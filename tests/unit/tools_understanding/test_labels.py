"""What the heads are to say of a labelled message, whether a plan is right, and from where on plans are sure."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Sort
from cicada.understanding.facts import MentionKind, facts_of
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.vocabulary import compiled
from tests.unit.understanding.planned import SCHEMA
from tests.unit.understanding.workshop import NOW
from tools.understanding.examples import Label, Store
from tools.understanding.from_readings import sure_from
from tools.understanding.judgement import parts_right
from tools.understanding.labels import ASKS, asks_of, is_upcoming, meaning_of_label, targets

STORE = Store("a/guilds", "a", SCHEMA, NOW, "Ada Brook", compiled(SCHEMA))


def asked(message: str, label: Label) -> set[str]:
    """What is asked for as a whole."""
    facts = facts_of(message, STORE.vocabulary, NOW, frozenset())
    return {name for name, is_asked in zip(ASKS, asks_of(label, facts), strict=True) if is_asked}


def roles(message: str, label: Label) -> dict[str, tuple[str | None, bool, str | None]]:
    """For each mention its role, whether it is negated, and the field of its condition."""
    facts = facts_of(message, STORE.vocabulary, NOW, {"what", "about", "how", "many"})
    found = targets(facts, label, STORE, {"how", "many"})
    return {
        each.text: (target.name, target.negated, target.link)
        for each, target in zip(facts.mentions, found, strict=True)
    }


def test_values_numbers_and_dates_of_filters_are_conditions() -> None:
    filters: dict[str, Any] = {"kind": {"not": "charter"}, "fee": {"gt": 20}, "sealed_on": {"gte": "2024-01-01"}}
    found = roles("no charters over 20 since 2024", Label("M", filters))
    assert found["charters"] == ("cond", True, "kind")
    assert found["20"] == ("gt", False, "fee")
    assert found["since 2024"] == ("cond", False, "sealed_on")


def test_fields_are_computed_with_shown_grouped_or_sorted_by() -> None:
    label = Label("M", aggregates=(("sum", "fee"),), group=("guild",), fields=("keeper",), sort=("sealed_on", "desc"))
    found = roles("keeper and total fee per guild, last sealed first", label)
    assert {name: found[name][0] for name in ("keeper", "fee", "guild", "sealed")} == {
        "keeper": "show", "fee": "agg", "guild": "by", "sealed": "sort-"
    }  # fmt: skip


def found_roles(message: str, label: Label) -> list[str | None]:
    """The roles of the words for fields, in their order."""
    facts = facts_of(message, STORE.vocabulary, NOW, frozenset())
    found = zip(facts.mentions, targets(facts, label, STORE, ()), strict=True)
    return [target.name for mention, target in found if mention.kind is MentionKind.FIELD]


def test_a_field_that_is_shown_and_sorted_by_is_shown_where_other_words_sort() -> None:
    shown = Label("M", fields=("fee", "guild"), sort=("fee", "desc"))
    assert found_roles("fee and guild, in descending order of the fee", shown) == ["show", "show", "sort-"]
    assert found_roles("guild by fee descending", shown) == ["show", "sort-"]
    grouped = Label("M", aggregates=(("count", "*"),), group=("sealed_on",), sort=("sealed_on", "desc"))
    assert found_roles("how many per sealed on, latest first", grouped) == ["by", "sort-"]


def test_a_superlative_sorts_by_the_field_of_the_label_in_its_direction() -> None:
    facts = facts_of("oldest record", STORE.vocabulary, NOW, frozenset())
    (oldest, _) = targets(facts, Label("M", sort=("expiry_date", "asc"), top=1), STORE, ())
    assert (oldest.name, oldest.link) == ("sort+", "expiry_date")


def test_words_are_of_the_topic_of_a_named_document_or_of_neither() -> None:
    found = roles(
        "how is Rye Loaf weighed in the tower act", Label("H", named=("tower act",), topic="rye loaf weighing")
    )
    assert [found[name][0] for name in ("how", "Rye Loaf", "weighed", "tower", "act")] == [
        "none", "topic", "topic", "doc", "doc"
    ]  # fmt: skip


def test_strange_words_of_what_matches_nothing_are_unknown() -> None:
    found = roles("how many zeppelins", Label("N"))
    assert (found["how"][0], found["zeppelins"][0]) == ("none", "unk")


@pytest.mark.parametrize(("filters", "role"), [({"keeper": "Ada Brook"}, "cond"), ({}, "none")])
def test_the_asker_is_a_condition_where_the_label_has_the_name(filters: dict[str, Any], role: str) -> None:
    assert roles("my letters", Label("M", filters))["my"][0] == role


def test_a_label_says_what_is_asked_for() -> None:
    assert asked("how many", Label("M", aggregates=(("count", "*"),))) == {"count"}
    of_groups = Label("M", group=("guild",), sort=("count", "desc"), top=1)
    assert asked("which guild has most", of_groups) == {"one", "group", "most"}
    assert asked("guilds by fee", Label("M", group=("guild",), sort=("sum:fee", "asc"))) == {"group", "fewest"}


@pytest.mark.parametrize(("message", "unnamed"), [("how much do they owe", {"sum"}), ("what fees do they owe", set())])
def test_a_number_that_is_not_named_is_asked_for_as_a_whole(message: str, unnamed: set[str]) -> None:
    assert asked(message, Label("M", aggregates=(("sum", "fee"),))) == unnamed


@pytest.mark.parametrize(("day", "is_next"), [("2026-05-22", True), ("2026-05-15", False), ("2026-05-29", None)])
def test_days_that_come_again_are_those_of_the_label(day: str, is_next: bool | None) -> None:
    facts = facts_of("what is sealed on friday", STORE.vocabulary, NOW, {"what", "is"})
    mention = next(each for each in facts.mentions if each.kind is MentionKind.DATE)
    label = Label("M", {"sealed_on": {"gte": day, "lt": str(date.fromisoformat(day) + timedelta(days=1))}})
    assert is_upcoming(mention, label) is is_next


def test_a_label_is_a_meaning() -> None:
    filters = {"kind": ["letter", "report"], "guild": {"not": "Bakers"}, "fee": None, "keeper": {"set": True}}
    meaning = meaning_of_label(Label("M", filters, group=("stage",), sort=("sum:fee", "desc"), top=3))
    assert (meaning.wanted, meaning.unwanted) == ({"kind": ("letter", "report")}, {"guild": ("Bakers",)})
    assert meaning.bounds == {"fee": Bounds(present=False), "keeper": Bounds(present=True)}
    assert (meaning.order, meaning.limit) == (Sort("fee", descending=True, of="sum"), 3)


@pytest.mark.parametrize(
    ("meaning", "strategy", "wrong"),
    [
        (Meaning(wanted={"kind": ("charter",)}, aggregates=(DOCUMENTS,)), "M", []),
        (Meaning(wanted={"kind": ("Charter",)}, aggregates=(DOCUMENTS,)), "H", ["strategy"]),
        (Meaning(unwanted={"kind": ("charter",)}, aggregates=(DOCUMENTS,)), "M", ["filters"]),
        (Meaning(wanted={"kind": ("charter",)}, aggregates=(Aggregate("sum", "fee"),)), "M", ["aggregates"]),
        (
            Meaning(wanted={"kind": ("charter",)}, aggregates=(DOCUMENTS,), limit=2, order=Sort("fee")),
            "M",
            ["sort", "limit"],
        ),
        (Meaning(wanted={"kind": ("charter",)}, aggregates=(DOCUMENTS,), group=("guild",)), "M", ["group"]),
        (Meaning(wanted={"kind": ("charter",)}, aggregates=(DOCUMENTS,)), "C", ["strategy", "filters", "aggregates"]),
    ],
)
def test_a_plan_is_judged_part_by_part(meaning: Meaning, strategy: str, wrong: list[str]) -> None:
    label = Label("M", {"kind": "charter"}, aggregates=(("count", "*"),))
    assert [name for name, is_right in parts_right(meaning, strategy, label).items() if not is_right] == wrong


def test_plans_are_sure_from_the_lowest_confidence_with_enough_right_ones() -> None:
    chances = [1 - each / 1000 for each in range(1000)]
    assert sure_from(chances, [each < 450 for each in range(1000)], least=0.9) == pytest.approx(1 - 499 / 1000)
    assert sure_from(chances[::-1], [each >= 550 for each in range(1000)], least=0.9) == pytest.approx(1 - 499 / 1000)


def test_without_enough_right_ones_no_plan_is_sure() -> None:
    assert sure_from([0.9] * 300, [False] * 300) == 1.0
    assert sure_from([0.9] * 50, [True] * 50) == 1.0
