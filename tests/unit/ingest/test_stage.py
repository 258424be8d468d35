"""What a script does not say in words, as facts in the contexts of its passages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.documents.model import Passage, SectionLocator
from cicada.ingest.script import ScriptParser
from cicada.ingest.stage import with_stage_facts
from tests.unit.ingest.scripts import play, script, shipped_episodes, source, speech


def direction(message_id: int, text: str) -> dict[str, object]:
    return speech(message_id, text, "", type="STAGE")


def parsed(*records: object) -> tuple[Passage, ...]:
    return ScriptParser(shipped_episodes()).parse(source("macbeth.json", script(*records))).passages


def facts(*records: object) -> str:
    """The facts of the one passage."""
    (found,) = parsed(*records)
    return found.context.partition("\n")[2]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("[Enter MARTA, with a lamp]", "Enters, appears: Marta"),
        ("(MARTA comes in.) Good evening.", "Enters, appears: Marta"),
        ("[The GHOST OF MARTA enters, and sits in OTTO's chair]", "Enters, appears: Ghost of Marta"),
        ("[Thunder. Re-enter two Guards]", "Enters, appears: Guards"),
        (
            "[Shoots MARTA] There! [MARTA dies]",
            "Marta is killed by Otto and dies, the death of Marta",
        ),
        (
            "[They fight, and MARTA is slain]",
            "Marta is killed by Otto and dies, the death of Marta",
        ),
        ("My heart! [Falls and dies]", "Otto dies, the death of Otto"),
        ("[Enter Bearers with the body of MARTA]", "Marta dies, the death of Marta. Enters, appears: Bearers"),
        ("She was drown'd at dawn; who'd have seen it?", "drowned"),
        ("[Exit] [Aside] [A cannon is shot off] [crying 'Murder!']", ""),
    ],
)
def test_a_speech_and_its_directions_tell_what_happens(said: str, told: str) -> None:
    assert facts(speech(1, said, "Otto")) == told


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (("MARTA and OTTO fight", "MARTA falls"), "Marta is killed by Otto"),
        (("He stabs himself", "He dies"), "Otto dies"),
        (("They exit", "[Falls on MARTA's body]"), "Marta dies"),
        (("MARTA falls", "Thunder"), ""),
    ],
)
def test_directions_of_their_own_tell_what_happens_to_the_last_speaker(records: tuple[str, str], told: str) -> None:
    first, second = records
    found = facts(speech(1, "Now!", "Otto"), direction(2, first), direction(3, second))
    assert found.startswith(told) if told else not found


def test_a_speaker_is_known_without_the_title() -> None:
    found = facts(
        speech(1, "Who is there?", "Lord Otto"), speech(2, "[Stabs OTTO]", "Marta"), direction(3, "OTTO dies")
    )
    assert found.startswith("Lord Otto is killed by Marta")


def test_nobody_is_blamed_for_a_death_in_another_scene() -> None:
    found = parsed(speech(1, "[Stabs MARTA]", "Otto"), speech(2, "[Dies]", "Marta", chapterId="6.1"))
    assert found[1].context.endswith("\nMarta dies, the death of Marta")


def test_facts_are_on_a_line_of_their_own_and_computed_once() -> None:
    passages = ScriptParser(shipped_episodes()).parse(source("hamlet.json", play("hamlet"))).passages
    slain = next(each for each in passages if "I am slain" in each.text)
    place, told = slain.context.split("\n")
    assert place == "Hamlet · 3.4 The Queen's closet. · Queen Gertrude, Hamlet, Lord Polonius"
    assert told.startswith("Lord Polonius is killed by Hamlet")
    assert "is killed by" not in slain.text
    assert with_stage_facts(passages) == passages


def test_prose_and_other_languages_are_left_as_they_are() -> None:
    (german,) = parsed(speech(1, "[Dies]", "Otto"))
    others = (
        replace(german, language="de", context="Ort"),
        replace(german, locator=SectionLocator(("Deaths",)), context="A prefix\nDeaths"),
    )
    assert with_stage_facts(others) == others
