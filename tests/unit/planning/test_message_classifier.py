"""The classifier with the packaged rules, sentence by sentence and on a labelled set in our own words."""

import json
import math
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cicada.planning.classifier import classify
from cicada.planning.model import Intent
from cicada.planning.rule_book import RuleBook
from cicada.planning.rules import load_rules

MESSAGES = Path(__file__).with_name("messages.jsonl")


@cache
def rules() -> RuleBook:
    return load_rules()


def intent(text: str) -> Intent:
    return classify(text, rules()).intent


@pytest.mark.parametrize(
    "text",
    [
        "who listens behind the curtain while they plot",
        "Which shield glistens in the tournament?",
        "Who will enlist in the duke's army?",
        "Show me the scene with the gravediggers",
        "list the people banished by the king",
    ],
)
def test_a_keyword_inside_a_word_or_before_a_thing_in_the_text_leaves_a_script_query(text: str) -> None:
    assert intent(text) is Intent.SCRIPT_QUERY


@pytest.mark.parametrize(
    "text",
    [
        "Add to the captain's page that there is evidence against him",
        "Note down that she supports her brother's claim.",
        "Append my theory tag 'liar' to the steward's card",
        "Save this under Marcus: refuses to support the senate.",
        "Update the steward's record: nobody can refute his theory.",
    ],
)
def test_an_order_to_store_is_a_profile_request_even_when_the_text_to_store_argues(text: str) -> None:
    assert intent(text) is Intent.PROFILE_REQUEST


@pytest.mark.parametrize(
    "text",
    [
        "Show me what speaks against the idea that the captain is a coward",
        "list evidence for the governess being mad",
        "Show me the flaws in my argument that the nurse lied",
    ],
)
def test_testing_a_claim_is_a_theory_request_even_when_phrased_as_a_listing(text: str) -> None:
    assert intent(text) is Intent.THEORY_REQUEST


@pytest.mark.parametrize(
    "text",
    [
        "What is the inspector's theory about the murder?",
        "How does Antonia refute the charge of the senate?",
        "What evidence against the steward does his master find?",
        "Who supports the king in the last battle?",
    ],
)
def test_a_theory_held_by_a_character_is_a_script_query(text: str) -> None:
    assert intent(text) is Intent.SCRIPT_QUERY


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "What is the theory of relativity?",
        "Show me a recipe for pancakes",
        "Does this website support dark mode?",
        "How do I delete my account?",
        "Can I listen to the answers on my phone?",
        "What's 12 times 9?",
        "That answer was too long.",
    ],
)
def test_what_is_neither_about_texts_nor_about_entries_is_general(text: str) -> None:
    assert intent(text) is Intent.GENERAL


def test_what_is_quoted_is_not_what_is_asked() -> None:
    assert intent('Who says "my theory is that you are wrong, add it to my notes"?') is Intent.SCRIPT_QUERY


def test_a_polite_opening_does_not_change_the_route() -> None:
    plain = "create a card for the steward"
    assert intent(plain) is Intent.PROFILE_REQUEST
    assert intent(f"Hey, would you be so kind as to {plain}, please?") is Intent.PROFILE_REQUEST


def test_the_silent_default_is_the_text() -> None:
    verdict = classify("why the pound of flesh", rules())

    assert verdict.intent is Intent.SCRIPT_QUERY
    assert verdict.reason == "nothing speaks against a question about the text"
    assert verdict.confidence < 0.5


def test_the_reason_names_the_cue_and_nothing_else_of_the_message() -> None:
    verdict = classify("Update the secret Zanzibar profile of Quigley", rules())

    assert verdict.reason == "asks to make or change a saved entry ('update profile')"


def test_more_cues_for_a_route_make_it_more_certain() -> None:
    one = classify("Is there proof that she lied?", rules())
    two = classify("My theory is that she lied. Is there proof that she lied?", rules())

    assert one.intent is two.intent is Intent.THEORY_REQUEST
    assert two.confidence > one.confidence


@pytest.mark.parametrize("fold", ["seen", "blind"])
def test_the_labelled_messages_are_routed_as_labelled_nineteen_times_in_twenty(fold: str) -> None:
    rows = [row for row in map(json.loads, MESSAGES.read_text("utf-8").splitlines()) if row["fold"] == fold]

    hits = sum(intent(row["text"]) == row["label"] for row in rows)

    assert len(rows) >= 200
    assert hits / len(rows) >= 0.95


@pytest.mark.parametrize("slice_name", ["plain", "trap", "canonical"])
@pytest.mark.parametrize("label", list(Intent))
def test_every_route_of_every_slice_is_served(label: Intent, slice_name: str) -> None:
    every = map(json.loads, MESSAGES.read_text("utf-8").splitlines())
    rows = [row for row in every if row["label"] == label and row["slice"] == slice_name]

    assert sum(intent(row["text"]) == label for row in rows) >= 0.9 * len(rows)


@given(st.text(max_size=3000))
@example("")
@example(" \n\t ")
@example("'s")
@example('""')
@example("?!.,:-")
@example("\ufb01\u0130\u0000\U0001f9d0")
def test_any_text_has_one_route_and_always_the_same(text: str) -> None:
    first = classify(text, rules())

    assert first == classify(text, rules())
    assert 0 < first.confidence <= 1
    assert first.reason


WORDS = (
    "my",
    "theory",
    "that",
    "the",
    "king",
    "can",
    "you",
    "save",
    "profile",
    "show",
    "me",
    "i",
    "think",
    "?",
    ":",
    '"',
)


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_order_of_cue_words_has_a_finite_confidence(text: str) -> None:
    assert math.isfinite(classify(text, rules()).confidence)


def test_a_very_long_message_is_read_at_its_beginning_and_its_end() -> None:
    passage = "The storm goes on and the ships are lost. " * 5000

    assert intent(f"{passage} My theory: the captain sank them himself. Refute it.") is Intent.THEORY_REQUEST
    assert intent(f"Save this on my card for the captain: {passage}") is Intent.PROFILE_REQUEST
