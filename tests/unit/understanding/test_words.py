"""How words are compared, corrected and classed."""

from __future__ import annotations

import pytest

from cicada.understanding.words import base_form, corrected, folded, lexicon


@pytest.mark.parametrize(
    ("word", "other"), [("Café", "cafe"), ("GRÖSSE", "grosse"), ("größe", "groesse"), ("Straße", "STRASSE")]
)
def test_case_accents_and_ways_to_write_an_umlaut_do_not_matter(word: str, other: str) -> None:
    assert folded(word) == folded(other)


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("Companies", "company"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("classes", "class"),
        ("leases", "lease"),
        ("Children", "child"),
    ],
)
def test_a_plural_is_its_singular(plural: str, singular: str) -> None:
    assert base_form(plural) == base_form(singular) == singular


def test_the_plural_of_a_word_that_is_folded_like_an_umlaut_is_its_singular() -> None:
    assert base_form("values") == base_form("value")


@pytest.mark.parametrize("word", ["status", "analysis", "glass", "gas", "bus"])
def test_a_singular_that_ends_like_a_plural_stays(word: str) -> None:
    assert base_form(word) == word


@pytest.mark.parametrize("word", ["chartr", "chaarter", "chartur", "chatrer"])
def test_a_letter_left_out_added_wrong_or_swapped_is_corrected(word: str) -> None:
    assert corrected(word, {"charter", "ledger"}) == "charter"


def test_only_a_long_word_may_have_two_slips() -> None:
    assert corrected("departmnet", {"department"}) == corrected("depratmnet", {"department"}) == "department"
    assert corrected("chratre", {"charter"}) is None
    assert corrected("dpratmnte", {"department"}) is None


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("later", {"laser", "layer"}),
        ("edger", {"ledger"}),
        ("ledgre", {"hedger"}),
        ("tols", {"tolls"}),
        ("a1bcde", {"abcde"}),
    ],
)
def test_what_may_be_two_words_begins_otherwise_or_is_short_is_not_corrected(word: str, known: set[str]) -> None:
    assert corrected(word, known) is None


def test_the_lexicon_knows_what_words_say() -> None:
    said = lexicon()
    assert (said.numbers["twelve"], said.scales["mio"]) == (12, 1_000_000)
    assert (said.cues["average"], said.cues["höchste"], said.cues["more"]) == ("AVG", "MAX", "GT")
    assert (said.implied["cheapest"].polarity, said.implied["expensive"].polarity) == (-1, 1)
    assert "french" in said.also_called["france"]
