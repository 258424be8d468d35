"""What the stand-in reads from the form of a script."""

import pytest

from local.bedrock.embedder import HashEmbedder
from local.bedrock.extractive import answer
from local.bedrock.prompt import parse

SCENES = """Passages, all of them in the order of the text:

[1] Episode: The Ferry · Chapter: 2.1 The quay. Night. · Messages: 1–3
Speakers: Old Ada, Bo
(Enter ADA and BO, with a lamp)
OLD ADA: Who goes there?
BO: A friend. [Enter the HARBOUR MASTER]

[2] Episode: The Ferry · Chapter: 2.1 The quay. Night. · Messages: 4–5
Speakers: Harbour Master
HARBOUR MASTER: Put out that lamp.

[3] Episode: The Ferry · Chapter: 2.3 A cabin. · Messages: 9–10
Speakers: Bo
BO: We sail at dawn. [Exeunt]

Question: """


def told(question: str) -> str:
    return answer(parse(SCENES + question), HashEmbedder())


@pytest.mark.parametrize(
    "question", ["who is in it?", "Who alll speaks in act 2?", "which characters appear in The Ferry 2.1"]
)
def test_who_is_in_a_scene_is_told_by_speakers_and_entrances(question: str) -> None:
    first, *more = told(question).split("\n")
    assert first == "In The Ferry, 2.1, these speak: Old Ada, Bo, Harbour Master. [1]"
    assert 'Stage direction at the words of Bo: "Enter the HARBOUR MASTER" — The Ferry, 2.1 [1]' in more
    assert "In The Ferry, 2.3, these speak: Bo. [3]" in more


def test_the_beginning_and_the_end_of_a_scene_are_quoted_with_their_directions() -> None:
    assert told("Who speaks first in it?").startswith(
        'Stage direction: "Enter ADA and BO, with a lamp" — The Ferry, 2.1 [1]\nOld Ada says: "Who goes there?"'
    )
    assert told("how does it end?") == (
        'Harbour Master says: "Put out that lamp." — The Ferry, 2.1 [2]\n'
        'Bo says: "We sail at dawn." — The Ferry, 2.3 [3]'
    )


def test_the_place_and_the_number_of_scenes_are_told_by_the_headings() -> None:
    assert told("Where is it set?") == 'The Ferry, 2.1: "The quay. Night." [1]\nThe Ferry, 2.3: "A cabin." [3]'
    assert told("how many scenes has act 2?") == "Act 2 of The Ferry has 3 scenes, up to The Ferry, 2.3. [3]"
    assert told("how many acts are there?") == "The Ferry has 2 acts. [3]"


def test_the_scene_that_is_asked_for_is_that_of_the_first_passage() -> None:
    found = SCENES.replace("Passages, all of them in the order of the text", "Passages")
    said = answer(parse(f"{found}In which scene is there talk of dawn?"), HashEmbedder())
    assert 'The Ferry, 2.1: "The quay. Night." [1]' in said.split("\n")[:2]
    assert 'Bo says: "We sail at dawn." — The Ferry, 2.3 [3]' in said


def test_what_is_said_in_a_scene_is_quoted() -> None:
    assert 'Bo says: "We sail at dawn."' in told("who wants to sail?")
    assert "these speak" not in told("who wants to sail?")
