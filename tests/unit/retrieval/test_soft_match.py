"""Soft token match."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.retrieval.rerank.multivector import Kind, Rows
from cicada.retrieval.rerank.soft_match import K1, MEAN_LENGTH, B, soft_matches

QUEEN, DEAD, CROWN = (100, 0, 0), (0, 100, 0), (0, 0, 100)
Vector = tuple[int, int, int]
# In float32, in units of 2⁻²⁴: a value of a unit vector is off by 2 of itself, a cosine of three values by 7, its sixth
# power by 42, and the sum over eight pieces, the saturation and the weighted mean add 8 each. 66 · 2⁻²⁴ = 4e-6.
TOLERANCE = 1e-5
PIECES = st.lists(st.tuples(*[st.integers(-127, 127)] * 3).filter(any), min_size=1, max_size=8)


def passage(*pieces: Vector) -> Rows:
    return Rows(Kind.TOKENS, 3, bytes(value % 256 for piece in pieces for value in piece))


def query(*pieces: Vector, weights: tuple[float, ...] = ()) -> Rows:
    return Rows(Kind.QUERY, 3, passage(*pieces).values, weights or (1.0,) * len(pieces))


def expected(question: list[Vector], weights: list[float], pieces: list[Vector]) -> float:
    """The formula, word for word."""

    def cosine(one: Vector, other: Vector) -> float:
        return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))

    total = 0.0
    for piece, weight in zip(question, weights, strict=True):
        frequency = sum(max(0.0, cosine(piece, each)) ** 6 for each in pieces)
        total += weight * frequency / (frequency + K1 * (1 - B + B * len(pieces) / MEAN_LENGTH))
    return total / sum(weights)


@given(PIECES, PIECES, st.data())
def test_the_match_is_the_documented_formula(question: list[Vector], pieces: list[Vector], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0.1, 4), min_size=len(question), max_size=len(question)))
    (found,) = soft_matches(query(*question, weights=tuple(weights)), [passage(*pieces)])
    assert found == pytest.approx(expected(question, weights, pieces), rel=0, abs=TOLERANCE)
    assert 0 <= found <= 1


def test_a_passage_with_both_pieces_matches_better_than_one_with_one_of_them_twice() -> None:
    both, twice, neither = soft_matches(
        query(QUEEN, DEAD), [passage(QUEEN, DEAD), passage(QUEEN, QUEEN), passage(CROWN, CROWN)]
    )
    assert both > twice > neither
    assert neither == 0


def test_a_rare_piece_counts_for_more() -> None:
    rare, common = soft_matches(query(QUEEN, DEAD, weights=(3.0, 1.0)), [passage(QUEEN), passage(DEAD)])
    assert rare == pytest.approx(3 * common, rel=0, abs=3 * TOLERANCE)


def test_a_passage_without_pieces_matches_nothing_and_disturbs_no_other() -> None:
    (alone,) = soft_matches(query(QUEEN), [passage(QUEEN, DEAD)])
    first, between, last = soft_matches(query(QUEEN), [passage(), passage(QUEEN, DEAD), passage()])
    assert (first, last) == (0.0, 0.0)
    assert between == pytest.approx(alone, rel=0, abs=TOLERANCE)
    assert soft_matches(query(QUEEN), [passage()]) == [0.0]
    assert soft_matches(query(QUEEN), []) == []


def test_a_question_without_pieces_matches_nothing() -> None:
    assert soft_matches(query(), [passage(QUEEN)]) == [0.0]
