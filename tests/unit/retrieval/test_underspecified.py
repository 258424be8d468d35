"""Messages of which nobody can know what they are about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.retrieval.quality.underspecified import underspecified, vagueness

CLEAR = 0.35


@pytest.mark.parametrize(
    "message",
    [
        "What should I do?",
        "How long does the treatment take?",
        "Who owns this restaurant?",
        "What is it?",
        "When was that company founded?",
        "Tell me more about the other one.",
    ],
)
def test_a_first_message_about_something_that_was_never_named_is_unclear(message: str) -> None:
    assert underspecified(message) > CLEAR


@pytest.mark.parametrize(
    "message",
    [
        "Who tells Macbeth that the queen is dead?",
        "How is nitrogen fixed by legumes?",
        "how do i descale a kettle",
        "A form that the clerks use for archiving parchment",
        "What did Ada Lovelace write about it?",
    ],
)
def test_a_message_that_names_its_subject_is_clear(message: str) -> None:
    assert underspecified(message) < CLEAR


def test_the_turns_before_explain_a_reference() -> None:
    asked = "When does the restaurant open?"
    assert underspecified(asked) > CLEAR
    assert underspecified(asked, ["Which restaurants are near the harbour?"]) < CLEAR
    assert underspecified(asked, ["How deep is the North Sea?"]) > CLEAR


def test_a_pronoun_needs_turns_before_it() -> None:
    assert vagueness("What about her?").referring == 1
    assert vagueness("What about her?", ["Who is Lady Macbeth?"]).referring == 0


def test_a_message_without_names_that_shares_no_word_with_the_turns_before_is_unconnected() -> None:
    before = ["Which spices are in garam masala?"]
    assert vagueness("Do antlers grow back?", before).unconnected
    assert not vagueness("Which spices are hot?", before).unconnected
    assert not vagueness("And how old is Elizabeth Bennet?", before).unconnected
    assert not vagueness("Do antlers grow back?").unconnected


def test_that_before_a_clause_is_no_reference() -> None:
    assert vagueness("a kettle that any company sells").unresolved == 0
    assert vagueness("who makes that product").unresolved == 1


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=4))
def test_it_is_a_probability_for_any_text(message: str, history: list[str]) -> None:
    assert 0 < underspecified(message, history) < 1
