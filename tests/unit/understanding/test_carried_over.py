"""What a follow-up changes in its plan."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.understanding.follow_ups import Cue, StandAlone, carried_over
from cicada.understanding.plan import Intent, Plan, Shape

FOLLOW_UP = StandAlone("and in Germany?", Cue.FRAGMENT, ("notice period",))


def plan(shape: Shape, intent: Intent = Intent.SCRIPT_QUERY, search_value: str = "") -> Plan:
    return Plan(intent, shape, FOLLOW_UP.message, search_value)


def test_the_query_and_what_is_searched_for_get_what_is_carried_over() -> None:
    found = carried_over(plan(Shape.HYBRID, search_value="Germany"), FOLLOW_UP)
    assert (found.query, found.search_value) == ("and in Germany? (notice period)", "Germany (notice period)")
    assert found.carried == ("notice period",)


def test_what_is_too_vague_by_itself_is_searched_for_instead_of_asked_back() -> None:
    found = carried_over(plan(Shape.NEEDS_CLARIFICATION), FOLLOW_UP)
    assert (found.shape, found.query) == (Shape.CONTENT_ONLY, "and in Germany? (notice period)")


@pytest.mark.parametrize(
    "made",
    [
        plan(Shape.METADATA_ONLY),
        plan(Shape.NO_MATCH, Intent.THEORY_REQUEST),
        plan(Shape.NO_MATCH, Intent.PROFILE_REQUEST),
    ],
)
def test_what_is_no_search_stays_as_it_is(made: Plan) -> None:
    assert carried_over(made, FOLLOW_UP) == made


def test_a_message_that_stands_alone_keeps_its_plan() -> None:
    vague = plan(Shape.NEEDS_CLARIFICATION)
    assert carried_over(vague, StandAlone(FOLLOW_UP.message)) == vague


@pytest.mark.parametrize("shape", [Shape.CONTENT_ONLY, Shape.HYBRID])
def test_a_plan_without_words_to_search_for_searches_for_its_query(shape: Shape) -> None:
    found = carried_over(plan(shape), FOLLOW_UP)
    assert found.shape is shape
    assert found.query == found.search_value == "and in Germany? (notice period)"


def test_a_named_document_that_is_read_is_not_searched_for() -> None:
    found = carried_over(replace(plan(Shape.CONTENT_ONLY), named=("SOP-1",)), FOLLOW_UP)
    assert found.search_value == ""


@pytest.mark.parametrize("cue", Cue)
def test_only_a_fragment_or_a_person_makes_small_talk_a_question(cue: Cue) -> None:
    made = plan(Shape.NO_MATCH, Intent.GENERAL)
    found = carried_over(made, replace(FOLLOW_UP, cue=cue))
    if cue in (Cue.FRAGMENT, Cue.PERSON):
        assert (found.intent, found.shape, found.carried) == (
            Intent.SCRIPT_QUERY,
            Shape.CONTENT_ONLY,
            FOLLOW_UP.carried,
        )
    else:
        assert found == made


def test_a_plan_that_has_something_of_an_earlier_turn_stays_as_it_is() -> None:
    made = replace(plan(Shape.CONTENT_ONLY), carried=("Austria",))
    assert carried_over(made, FOLLOW_UP) == made
