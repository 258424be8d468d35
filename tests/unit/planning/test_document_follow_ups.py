"""Questions on documents that continue earlier ones."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Sort
from cicada.documents.model import AnyOf, Condition, Exists, Range
from cicada.planning.deterministic.refinement import Refinement
from cicada.planning.document_follow_ups import DocumentFollowUps, completed, refined
from cicada.planning.model import Intent
from cicada.planning.plan import Plan, Shape
from tests.unit.planning.planned import NOW, PLANNER, filters_of

LISTING = "list the ratified charters of the Bakers"
RATIFIED = {"stage": "ratified", "kind": "charter", "guild": "Bakers"}


def planned(*messages: str, asker: str = "") -> Plan:
    return DocumentFollowUps(PLANNER, NOW, asker).plan(messages)


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        ("and the lapsed ones?", {"stage": "lapsed"}),
        ("and those of Will Tanner?", {"keeper": "Will Tanner"}),
        ("what about letters?", {"kind": "letter"}),
        ("only those of the Rope Makers", {"guild": "Rope Makers"}),
        ("which of them were sealed in 2024?", {"sealed_on": ("2024-01-01", "2025-01-01")}),
        ("and in 2024?", {"sealed_on": ("2024-01-01", "2025-01-01")}),
    ],
)
def test_a_refinement_replaces_the_conditions_on_its_fields_and_keeps_the_others(
    message: str, changed: dict[str, object]
) -> None:
    plan = planned(LISTING, message)
    assert plan.shape is Shape.METADATA_ONLY
    assert filters_of(plan) == RATIFIED | changed
    assert plan.carried


def test_refinements_add_up_and_thanks_or_a_next_page_between_them_change_nothing() -> None:
    plan = planned(LISTING, "and the lapsed ones?", "thanks!", "next page", "and those of Will Tanner?")
    assert filters_of(plan) == RATIFIED | {"stage": "lapsed", "keeper": "Will Tanner"}


def test_a_refined_count_stays_a_count() -> None:
    assert planned("how many letters expire this year?", "and next year?").aggregates == (DOCUMENTS,)
    assert planned(LISTING, "and the lapsed ones?").aggregates == ()
    assert planned("how many letters per guild?", "and ledgers?").group == ("guild",)


def test_a_period_without_a_verb_is_of_the_field_before() -> None:
    assert filters_of(planned("which letters expire this year?", "and next year?")) == {
        "kind": "letter",
        "expiry_date": ("2027-01-01", "2028-01-01"),
    }


def test_a_filtered_search_is_repeated_with_other_conditions_or_for_another_topic() -> None:
    question = "What do lapsed charters say about night watches?"
    other = planned(question, "and the ratified ones?")
    assert (other.shape, other.search_value) == (Shape.HYBRID, "night watches")
    assert filters_of(other) == {"kind": "charter", "stage": "ratified"}
    topic = planned(question, "and about bridges?")
    assert (topic.search_value, topic.carried) == ("bridges (night watches)", ("night watches",))
    assert filters_of(topic) == {"kind": "charter", "stage": "lapsed"}


@pytest.mark.parametrize(
    "message",
    [
        "which letters expire this year?",
        "How is a broken seal repaired?",
        "what do ledgers say about rye?",
        "and how is a seal repaired?",
        "and who seals it?",
    ],
)
def test_another_topic_carries_nothing(message: str) -> None:
    assert planned(LISTING, message) == planned(message)


@pytest.mark.parametrize("before", ["How is a broken seal repaired?", "open it", "thanks a lot!"])
def test_what_has_no_conditions_is_not_refined(before: str) -> None:
    assert planned(before, "and the lapsed ones?") == planned("and the lapsed ones?")


def test_an_unknown_value_is_not_taken_for_a_refinement() -> None:
    assert planned(LISTING, "and those kept by Paul Miller?").shape is Shape.NO_MATCH


@pytest.mark.parametrize(
    ("question", "reply", "whole"),
    [
        ("When does the lease end?", "the Kestrel Park one", "When does the Kestrel Park lease end?"),
        ("When does the lease end?", "Kestrel Park", "When does the Kestrel Park lease end?"),
        ("When does the lease end?", "I mean the lease of Kestrel Park.", "When does the lease of Kestrel Park end?"),
        ("When was it sealed?", "the charter of 1820", "When was the charter of 1820 sealed?"),
        ("show me the report", "the annual one on \\1 tolls", "show me the annual report on \\1 tolls"),
        ("and for tolls?", "in the letters", "and for tolls? in the letters"),
    ],
)
def test_a_reply_takes_the_place_of_what_was_left_open(question: str, reply: str, whole: str) -> None:
    assert completed(question, reply) == whole


def test_the_reply_to_a_question_asked_back_completes_the_question() -> None:
    plan = planned("show me the report", "the lapsed one on bridges")
    assert plan.query == "show me the lapsed report on bridges"
    assert (plan.shape, plan.search_value) == (Shape.HYBRID, "bridges")
    assert filters_of(plan) == {"kind": "report", "stage": "lapsed"}
    assert plan.carried == ("show me the report",)


def test_a_name_says_who_asks_for_documents_of_their_own() -> None:
    plan = planned("my charters", "I am Will Tanner")
    assert filters_of(plan) == {"kind": "charter", "keeper": "Will Tanner"}


@pytest.mark.parametrize("message", ["list the letters", "How is a broken seal repaired?", "thanks a lot!"])
def test_a_question_of_its_own_is_no_reply(message: str) -> None:
    assert planned("show me the report", message) == planned(message)


LETTERS = AnyOf("kind", frozenset({"letter"}))
LAPSED = AnyOf("stage", frozenset({"lapsed"}))
SKETCHES = AnyOf("stage", frozenset({"sketch"}))
COUNTED = Plan(
    Intent.SCRIPT_QUERY,
    Shape.METADATA_ONLY,
    "how many lapsed letters per guild?",
    filters=(LETTERS, LAPSED),
    sort=Sort("fee"),
    aggregates=(DOCUMENTS,),
    group=("guild",),
    fields=("fee",),
    offset=40,
)
SEARCH = Plan(
    Intent.SCRIPT_QUERY,
    Shape.HYBRID,
    "what do lapsed letters say about rye?",
    "rye",
    filters=(LETTERS, LAPSED),
    key_concepts=("rye",),
)


def changed(before: Plan, *conditions: Condition, search_value: str = "", loose_date: str | None = None) -> Plan:
    plan = refined(before, "and the others?", Refinement(conditions, search_value, loose_date))
    assert plan is not None
    return plan


def test_a_refined_listing_begins_anew_with_what_it_counts_and_its_order() -> None:
    plan = changed(COUNTED, SKETCHES)
    assert plan.filters == (LETTERS, SKETCHES)
    assert (plan.shape, plan.aggregates, plan.group, plan.offset) == (Shape.METADATA_ONLY, (DOCUMENTS,), ("guild",), 0)
    assert plan.fields == ("fee",)
    assert (plan.sort, plan.search_value, plan.key_concepts) == (Sort("fee"), "", ())
    assert (plan.query, plan.carried) == ("and the others? (letter)", ("letter",))


def test_a_listing_that_is_refined_by_a_topic_becomes_a_search_and_counts_no_more() -> None:
    plan = changed(COUNTED, search_value="Old Bridges")
    assert (plan.shape, plan.search_value) == (Shape.HYBRID, "Old Bridges")
    assert (plan.aggregates, plan.group, plan.fields, plan.offset) == ((), (), (), 0)
    of_groups = replace(COUNTED, sort=Sort("*", descending=True, of="count"))
    assert changed(of_groups, search_value="Old Bridges").sort is None
    assert changed(of_groups, SKETCHES).sort == of_groups.sort
    assert plan.key_concepts == ("old", "bridges")
    assert plan.query == "and the others? (letter lapsed)"
    assert plan.carried == ("letter", "lapsed")


def test_a_search_keeps_its_topic_or_goes_on_from_it() -> None:
    plan = changed(SEARCH, SKETCHES)
    assert (plan.shape, plan.search_value, plan.filters) == (Shape.HYBRID, "rye", (LETTERS, SKETCHES))
    assert (plan.query, plan.key_concepts) == ("and the others? (rye)", ("rye",))
    further = changed(plan, search_value="Wheat")
    assert further.search_value == "Wheat (rye)"
    assert further.key_concepts == ("wheat", "rye")


def test_what_a_search_carried_over_is_not_carried_twice() -> None:
    first = changed(SEARCH, search_value="wheat")
    second = changed(first, search_value="oats")
    assert (first.search_value, second.search_value) == ("wheat (rye)", "oats (wheat)")
    assert second.carried == ("wheat",)


def test_what_has_neither_values_nor_words_carries_its_question() -> None:
    everything = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "list all documents")
    plan = changed(everything, LAPSED)
    assert (plan.query, plan.carried) == ("and the others?", ("list all documents",))


@pytest.mark.parametrize(
    "before",
    [
        Plan(Intent.SCRIPT_QUERY, Shape.NO_MATCH, "thanks", filters=(LETTERS,)),
        Plan(Intent.SCRIPT_QUERY, Shape.NEEDS_CLARIFICATION, "open it", filters=(LETTERS,)),
        Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, "how is a seal repaired?", "seal"),
    ],
)
def test_what_was_not_answered_from_the_fields_is_not_refined(before: Plan) -> None:
    assert refined(before, "and the lapsed ones?", Refinement((LAPSED,), "")) is None


THIS_YEAR = Range("expiry_date", least="2026-01-01", below="2027-01-01")
NEXT_YEAR = Range("sealed_on", least="2027-01-01", below="2028-01-01")
EXPIRING = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "letters that expire this year", filters=(LETTERS, THIS_YEAR))
MOVED = Range("expiry_date", least="2027-01-01", below="2028-01-01")


def test_a_loose_period_takes_the_place_of_the_only_one() -> None:
    loose = changed(EXPIRING, LAPSED, NEXT_YEAR, loose_date="sealed_on")
    assert loose.filters == (LETTERS, LAPSED, MOVED)
    open_ended = Plan(
        Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "expired letters", filters=(Range("expiry_date", below="2026-05-20"),)
    )
    assert changed(open_ended, NEXT_YEAR, loose_date="sealed_on").filters == (MOVED,)


@pytest.mark.parametrize(
    ("before", "conditions", "loose"),
    [
        ((THIS_YEAR,), (NEXT_YEAR,), None),
        ((THIS_YEAR, Range("sealed_on", below="2020-01-01")), (NEXT_YEAR,), "sealed_on"),
        ((Range("fee", least=5.0),), (NEXT_YEAR,), "sealed_on"),
        ((THIS_YEAR,), (Range("fee", least=5.0),), "sealed_on"),
        ((THIS_YEAR,), (Exists("sealed_on"),), "sealed_on"),
    ],
)
def test_a_period_of_its_own_field_stays_there(
    before: tuple[Condition, ...], conditions: tuple[Condition, ...], loose: str | None
) -> None:
    plan = Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, "those letters", filters=before)
    kept = tuple(each for each in before if each.field not in {new.field for new in conditions})
    assert changed(plan, *conditions, loose_date=loose).filters == (*kept, *conditions)


def test_a_reply_may_name_a_day_that_counts_from_today() -> None:
    plan = planned("show me the report", "the one sealed this year")
    assert filters_of(plan) == {"kind": "report", "sealed_on": ("2026-01-01", "2027-01-01")}


def test_an_asker_without_a_name_is_asked_for_it() -> None:
    assert DocumentFollowUps(PLANNER, NOW).plan(["my charters"]).shape is Shape.NEEDS_CLARIFICATION


@pytest.mark.parametrize(("changes", "kept"), [(7, RATIFIED | {"stage": "lapsed"}), (8, {})])
def test_a_listing_is_refined_for_eight_turns(changes: int, kept: dict[str, object]) -> None:
    plan = planned(LISTING, *["and the lapsed ones?"] * changes, "and the lapsed ones?")
    assert {name: value for name, value in filters_of(plan).items() if name in kept or name == "guild"} == kept
