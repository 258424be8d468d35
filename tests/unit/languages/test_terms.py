"""What BM25 looks for in a question."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.languages.terms import MAX_TERMS, STOP_WORDS, is_cjk, query_terms, words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Who tells Macbeth that the queen is dead?", ("tells", "macbeth", "queen", "dead")),
        ("To be or not to be", ("to", "be", "or", "not")),
        ("Macbeth’s crown, Banquo's ghost", ("macbeth", "crown", "banquo", "ghost")),
        ("they’re drown’d at 3.14", ("drown'd", "3.14")),
        ("foo_bar and __init__", ("foo_bar", "init")),
        ("queen QUEEN Queen", ("queen",)),
        ("Ｆｕｌｌ width", ("full", "width")),
        ("王妃の死", ("王妃", "妃の", "の死")),
        ("ﾏｸﾍﾞｽ王", ("マク", "クベ", "ベス", "ス王")),
        ("王", ("王",)),
        ("Macbeth王", ("macbeth", "王")),
        ("", ()),
        ("?! … \x00 \U0001f3ad \ud800", ()),
    ],
)
def test_the_terms_of_a_question(text: str, terms: tuple[str, ...]) -> None:
    assert query_terms(text) == terms


def test_a_long_question_counts_by_its_first_terms() -> None:
    assert query_terms(" ".join(f"w{number}" for number in range(1000))) == tuple(f"w{n}" for n in range(MAX_TERMS))


def test_stop_words_are_written_as_questions_are_read() -> None:
    assert all(re.fullmatch(r"[a-z']+", word) for word in STOP_WORDS)


@given(st.text())
def test_terms_hold_nothing_that_a_query_language_could_take_for_syntax(text: str) -> None:
    for term in query_terms(text):
        assert not re.search(r"[\s\x00-\x1f\"*:^(){}\[\]\\/+~!&|<>=-]", term)


@given(st.text())
def test_every_pair_of_a_question_is_in_a_text_that_holds_it(text: str) -> None:
    pairs = {term for term in query_terms(text) if is_cjk(term)}
    assert pairs <= set(words(f"dagger {text} dagger"))


def test_words_come_in_the_texts_order_and_as_often_as_they_are_in_it() -> None:
    assert list(words("The queen, my lord, the QUEEN.")) == ["the", "queen", "my", "lord", "the", "queen"]
