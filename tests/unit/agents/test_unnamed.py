"""Which messages ask to see what was just spoken of."""

from __future__ import annotations

import pytest

from cicada.agents.unnamed import asks_to_see_it


@pytest.mark.parametrize(
    "message",
    [
        "what's in it?",
        "whats in there now",
        "What does it say so far?",
        "ok, and how does it read now?",
        "show it to me please",
        "read it back",
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
        "show my profiles",
        "what is it that he sees",
        "delete it",
        "",
    ],
)
def test_a_message_that_asks_for_something_of_its_own(message: str) -> None:
    assert not asks_to_see_it(message)
