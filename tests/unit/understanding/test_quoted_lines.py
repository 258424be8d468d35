"""Messages on a line of a script that the last answer quoted, and on its scene."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from cicada.dialogue import Shown, ShownDocument, Turn
from cicada.understanding.last_answer import of_last_answer
from cicada.understanding.plan import Plan, PlanRequest
from cicada.understanding.quoted_lines import is_of_a_line, scene_meant, sought_scene

ADA, BO = ShownDocument(1, "ferry.json", "ADA: Who", cited=True), ShownDocument(2, "ferry.json", "BO: I", cited=True)
QUESTION = "Who calls for a light?"


def planned(message: str, *, of_scripts: bool = True) -> Plan | None:
    turn = Turn(QUESTION, 'Bo says: "I do." — The Ferry, 2.1 [2]\nAda says: "Who?" — The Ferry, 1.1 [1]')
    request = PlanRequest(message, "stories", datetime(2026, 3, 1, tzinfo=UTC), turns=(turn,), messages=(QUESTION,))
    return of_last_answer(replace(request, shown=Shown("stories", (ADA, BO)), of_scripts=of_scripts))


@pytest.mark.parametrize(
    "message",
    [
        "And what does she answer?",
        "what does Bo reply to that?",
        "What does the captain say next?",
        "who says that?",
        "to whom?",
        "who is he talking to?",
        "To whom does Ada say this",
        "and what comes right before that?",
        "what is said next",
        "how does it go on?",
        "what's the next line?",
        "In which scene is that?",
        "where does that stand in the play?",
        "whose words are those words?",
    ],
)
def test_what_is_asked_of_a_line_is_answered_from_it_and_from_those_around_it(message: str) -> None:
    assert is_of_a_line(message)
    plan = planned(message)
    assert plan is not None
    assert (plan.again, plan.scene, plan.before) == ((BO, ADA), None, QUESTION)


@pytest.mark.parametrize(
    "message",
    [
        "What does she answer when the captain asks for oil?",
        "Who says that the lamp must burn?",
        "What does Bo say?",
        "who kills him?",
        "what does she say to him",
        "where is the lamp?",
        "where is it?",
        "how does it end?",
        "summarise the next chapter",
        "",
    ],
)
def test_what_has_a_subject_of_its_own_is_not_asked_of_a_line(message: str) -> None:
    assert not is_of_a_line(message)
    assert scene_meant(message) is None


@pytest.mark.parametrize(
    ("message", "scene"),
    [
        ("who else is in that scene?", 0),
        ("who appears in it?", 0),
        ("how does the scene end?", 0),
        ("and in the next scene?", 1),
        ("and in the one after that?", 1),
        ("what happens in the following scene", 1),
        ("who opens the scene before?", -1),
        ("what about the previous one", -1),
    ],
)
def test_a_scene_is_counted_from_that_of_the_line(message: str, scene: int) -> None:
    plan = planned(message)
    assert plan is not None
    assert (plan.scene, plan.again[0]) == (scene, BO)


@pytest.mark.parametrize(
    ("message", "sought"),
    [
        ("which scene of Hamlet is the one in the graveyard", "the graveyard of Hamlet"),
        ("In which act does Polonius die?", "Polonius die"),
        ("what act and scene is the duel in?", "the duel"),
        ("Which scene has the prayer scene of the king?", "the prayer of the king"),
        ("Which scene?", ""),
        ("Who makes a scene?", ""),
    ],
)
def test_a_scene_is_searched_for_by_what_happens_in_it(message: str, sought: str) -> None:
    assert sought_scene(message) == sought


def test_documents_have_no_lines() -> None:
    assert planned("and in the next scene?", of_scripts=False) is None
    assert planned("what does she answer?", of_scripts=False) is None
