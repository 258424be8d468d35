"""Which agent a message goes to that continues what was asked before."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.dialogue import Turn
from cicada.understanding.by_rules import RulesPlanner
from cicada.understanding.plan import Classification, Intent
from tests.fakes.planners import plan_request

PROFILE, THEORY, SEARCH = Intent.PROFILE_REQUEST, Intent.THEORY_REQUEST, Intent.SCRIPT_QUERY
INTENTS = {
    "note that Ann limps": Classification(PROFILE, 1.0, "…"),
    "my theory: she lies": Classification(THEORY, 1.0, "…"),
    "undo": Classification(Intent.GENERAL, 0.6, "…"),
    "delete it": Classification(PROFILE, 0.6, "…"),
    "the one with the limp": Classification(SEARCH, 0.7, "…"),
    "the lucky one": Classification(SEARCH, 0.96, "…"),
    "who dies?": Classification(SEARCH, 0.97, "…"),
    "who lies?": Classification(SEARCH, 0.7, "…"),
    "drop “Night shift”": Classification(PROFILE, 0.95, "…"),
    "drop “Spy”": Classification(PROFILE, 0.95, "…"),
    "my theory “Night shift”": Classification(THEORY, 1.0, "…"),
    "my theory “Spy”": Classification(THEORY, 1.0, "…"),
    "who says “Night shift”?": Classification(SEARCH, 1.0, "…"),
    "put him on file": Classification(SEARCH, 1.0, "…", seems=Classification(PROFILE, 0.7, "…")),
    "a file on him": Classification(SEARCH, 1.0, "…", seems=Classification(PROFILE, 0.7, "…")),
    "undo it all now": Classification(PROFILE, 0.95, "…"),
    "show it": Classification(SEARCH, 1.0, "…", seems=Classification(Intent.GENERAL, 0.4, "…")),
}


def intent(message: str, *before: str, answer: str = "Done.", served: tuple[Intent, ...] = tuple(Intent)) -> Intent:
    asks_change = {"undo", "delete it", "who dies?", "put him on file"}.__contains__
    planner = RulesPlanner(lambda message, _: INTENTS[message], asks_change=asks_change)
    turns = tuple(Turn(each, answer) for each in before)
    request = replace(plan_request(), message=message, messages=before, turns=turns, intents=served)
    return planner.plan(request).intent


@pytest.mark.parametrize(
    ("message", "before", "expected"),
    [
        ("undo", ("note that Ann limps",), PROFILE),
        ("undo", ("my theory: she lies", "undo"), THEORY),
        ("delete it", ("my theory: she lies",), THEORY),
        ("delete it", ("who dies?",), PROFILE),
        ("undo", ("note that Ann limps", "who dies?"), Intent.GENERAL),
        ("who dies?", ("note that Ann limps",), SEARCH),
        ("who lies?", ("note that Ann limps",), SEARCH),
    ],
)
def test_a_message_that_asks_for_a_change_goes_to_the_agent_before(
    message: str, before: tuple[str, ...], expected: Intent
) -> None:
    assert intent(message, *before) is expected


@pytest.mark.parametrize(
    ("message", "before", "expected"),
    [
        ("drop “Night shift”", (), PROFILE),
        ("drop “Night shift”", ("my theory “Night shift”", "note that Ann limps"), THEORY),
        ("drop “Night shift”", ("who says “Night shift”?",), PROFILE),
        ("drop “Spy”", ("my theory “Spy”",), PROFILE),
    ],
)
def test_a_name_of_several_words_goes_to_the_agent_that_it_was_quoted_with(
    message: str, before: tuple[str, ...], expected: Intent
) -> None:
    assert intent(message, *before) is expected


@pytest.mark.parametrize(
    ("message", "before", "expected"),
    [
        ("put him on file", (), PROFILE),
        ("a file on him", (), SEARCH),
        ("a file on him", ("put him on file",), PROFILE),
        ("show it", ("put him on file",), PROFILE),
        ("show it", (), SEARCH),
    ],
)
def test_where_what_is_not_sure_is_searched_a_likely_change_and_what_continues_go_to_the_agent(
    message: str, before: tuple[str, ...], expected: Intent
) -> None:
    assert intent(message, *before) is expected


def test_what_an_agent_asked_is_answered_to_it() -> None:
    asked = "Several profiles match “Ann”. Nothing was done.\n- Ann\n- Annie\nWhich one do you mean?"
    assert intent("the one with the limp", "note that Ann limps", answer=asked) is PROFILE
    assert intent("the lucky one", "note that Ann limps", answer=asked) is PROFILE
    assert intent("who lies?", "note that Ann limps", answer=asked) is SEARCH
    assert intent("the lucky one", "note that Ann limps") is SEARCH
    assert intent("the one with the limp", "note that Ann limps") is SEARCH


def after(message: str, *turns: Turn) -> Intent:
    """The agent of a message after turns that say which agent answered."""
    planner = RulesPlanner(
        lambda message, _: INTENTS.get(message, Classification(SEARCH, 0.95, "…")),
        asks_change=lambda message: message.startswith(("add ", "undo")),
        asks=lambda message: message.startswith("who "),
    )
    messages = tuple(each.question for each in turns)
    return planner.plan(replace(plan_request(), message=message, messages=messages, turns=turns)).intent


MOOR = Turn("a theory called Moor: Ada was never ill", "Saved the theory “Moor”.", "theories")
DOOR = Turn("Locked Door: Cyril heard it", "Saved the theory “Locked Door”.", "theories")
MARTA = Turn("note that Marta limps", "Saved the character profile “Marta”.", "profiles")
SOUGHT = Turn("who dies?", "Ada dies.")


@pytest.mark.parametrize(
    ("message", "turns", "expected"),
    [
        ("undo", (MARTA, MOOR), THEORY),
        ("undo", (MOOR, MARTA), PROFILE),
        ("show me the one about Ada", (MOOR, DOOR), THEORY),
        ("what is in favour of the hearing one?", (MOOR, DOOR), THEORY),
        ("is there the one with the whale?", (MOOR, DOOR), SEARCH),
        ("who is the one that heard Cyril?", (MOOR, SOUGHT), SEARCH),
        ("now for the other one", (MOOR, DOOR), THEORY),
        ("now for the other one", (MOOR,), SEARCH),
        ("add to locked door: he lied", (DOOR, SOUGHT), THEORY),
        ("and for the hearing one?", (MOOR, DOOR), THEORY),
        ("Ada was ill, not the cook", (MOOR,), SEARCH),
        ("she was merry, not ill", (MOOR,), THEORY),
        ("undo it all now", (MARTA, MOOR), THEORY),
        ("add to my notes: the locked door", (DOOR, MARTA), SEARCH),
    ],
)
def test_the_agent_that_answered_keeps_what_it_named(message: str, turns: tuple[Turn, ...], expected: Intent) -> None:
    assert after(message, *turns) is expected


def test_a_text_that_an_agent_asked_for_goes_to_it_whatever_it_says() -> None:
    asked = Turn("a profile of Piet", "The text of the profile “Piet” is missing. What is it?", "profiles")
    assert after("a gardener who fears bees", asked) is PROFILE
    assert after("who fears bees", asked) is SEARCH
    assert after("a gardener who fears bees", replace(asked, agent="")) is SEARCH


def test_an_agent_that_the_base_does_not_have_is_not_asked() -> None:
    assert intent("undo", "note that Ann limps", served=(SEARCH, Intent.GENERAL)) is Intent.GENERAL
