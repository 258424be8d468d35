"""Which messages read what the user keeps and do not say so."""

from __future__ import annotations

import pytest

from cicada.agents.unnamed import asked_to_read, asks_own_words, asks_to_see_it, weighs_it


@pytest.mark.parametrize(
    "message",
    [
        "what's in it?",
        "whats in there now",
        "What does it say so far?",
        "ok, and how does it read now?",
        "show it to me please",
        "read it back",
        "so what have we got on him so far",
        "what do I have about her already?",
        "show me what we've got there",
        "let me see what it says",
        "Was steht denn da drin?",
        "Qu’y a-t-il dedans ?",
        "¿Qué pone ahora?",
        "何が書いてありますか?",
        "里面写了什么?",
    ],
)
def test_a_message_that_asks_for_nothing_but_what_it_says(message: str) -> None:
    assert asks_to_see_it(message)


@pytest.mark.parametrize(
    "message",
    [
        "what's in the letter?",
        "What does it say about Banquo?",
        "who is in it?",
        "why does it say so?",
        "show it to Macbeth",
        "what have we learnt about him?",
        "show my profiles",
        "what is it that he sees",
        "delete it",
        "",
    ],
)
def test_a_message_that_asks_for_something_of_its_own(message: str) -> None:
    assert not asks_to_see_it(message)


@pytest.mark.parametrize("message", ["and what contradicts it?", "the other way round please", "Any proof against it?"])
def test_a_message_that_weighs_what_was_spoken_of(message: str) -> None:
    assert weighs_it(message)


@pytest.mark.parametrize(
    "message", ["what supports Banquo?", "who leans against the door when the others have left the room?"]
)
def test_a_message_that_weighs_something_of_its_own_or_nothing(message: str) -> None:
    assert not weighs_it(message)


def test_the_title_of_what_is_to_be_read() -> None:
    assert asked_to_read("so what does my theory Half-true Grief say?") == "Half-true Grief"
    assert asked_to_read("what do they say about it?") == ""


def test_questions_on_what_the_user_wrote() -> None:
    assert asks_own_words("Who did I say plays the boy?")
    assert asks_own_words("remind me what I've noted on the cook")
    assert not asks_own_words("I said he was a fool, add that")
    assert not asks_own_words("Who said the ghost lied?")
