"""Comparisons with numbers, word by word."""

from __future__ import annotations

import pytest

from cicada.documents.model import Range
from cicada.knowledge_bases.schema import Schema
from cicada.planning.deterministic.comparisons import Bounds, comparison, number
from cicada.planning.deterministic.lexicon_compiler import compiled
from cicada.planning.deterministic.sentence import Sentence, sentence_of
from tests.unit.planning.planned import NOW

LEXICON = compiled(Schema())


def sentence(text: str) -> Sentence:
    return sentence_of(text, LEXICON, NOW)


@pytest.mark.parametrize(
    ("text", "value", "end"),
    [
        ("50,000", 50_000, 1),
        ("1.5 million", 1_500_000, 2),
        ("20k", 20_000, 1),
        ("3m", 3_000_000, 1),
        ("2 bn", 2_000_000_000, 2),
        ("2 billion", 2_000_000_000, 2),
        ("4 thousand", 4_000, 2),
        ("7 mio", 7_000_000, 2),
        ("EUR 30", 30, 2),
        ("12 letters", 12, 1),
    ],
)
def test_a_number_has_its_scale(text: str, value: float, end: int) -> None:
    assert number(sentence(text), 0) == (value, end)


@pytest.mark.parametrize("text", ["letters", "k", "EUR", "1.2.3", "x5", "٣", ""])
def test_what_is_no_number_is_none(text: str) -> None:
    assert number(sentence(text), 0) is None


@pytest.mark.parametrize(
    ("text", "bounds", "end"),
    [
        ("more than 5", Bounds(above=5), 3),
        ("over 5 pages", Bounds(above=5), 2),
        ("at least 5", Bounds(least=5), 3),
        ("less than 5", Bounds(below=5), 3),
        ("at most 5", Bounds(most=5), 3),
        ("between 5 and 10", Bounds(least=5, most=10), 4),
        ("between 10 to 5 pages", Bounds(least=5, most=10), 4),
        ("between EUR 5 and 2k", Bounds(least=5, most=2_000), 5),
    ],
)
def test_each_comparison_has_its_bounds(text: str, bounds: Bounds, end: int) -> None:
    assert comparison(sentence(text), 0) == (bounds, end)


@pytest.mark.parametrize(
    "text", ["5", "more than letters", "between 5", "between 5 or 10", "between 5 and letters", "between letters and 5"]
)
def test_what_compares_with_no_number_is_none(text: str) -> None:
    assert comparison(sentence(text), 0) is None


def test_bounds_become_a_range_of_the_field() -> None:
    bounds = Bounds(least=1, above=2, most=3, below=4)
    assert bounds.of("fee") == Range("fee", least=1, above=2, most=3, below=4)
