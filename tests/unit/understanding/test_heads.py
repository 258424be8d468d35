"""The learnt heads and their file."""

from __future__ import annotations

import pytest

from cicada.understanding.heads import BUCKET_BITS, Head, Heads, dump_heads, load_heads, packaged_heads
from cicada.understanding.planners import SURE_OF_DOCUMENTS
from tools.understanding.examples import digest
from tools.understanding.training import content

BUCKETS = 1 << BUCKET_BITS
# One tree asks whether the second number is above .5 and then whether the first is above 3; another has one leaf.
TREES = {
    "roots": [0, 5],
    "numbers": [1, -1, 0, -1, -1, -1],
    "limits": [0.5, -2.0, 3.0, 0.0, 1.0, 1.0],
    "right": [2, 0, 4, 0, 0, 0],
}


def made() -> Heads:
    """Two heads: one of two exclusive classes, of which each has learnt one feature, and one that is not."""
    kinds = {"classes": ["a", "b"], "bias": [0.5, -0.5], "unit": 0.25, "exclusive": True}
    flag = {"classes": ["holds"], "bias": [0.0], "unit": 1.0, "exclusive": False}
    dense = {"classes": ["x"], "weights": [[2.0], [3.0]], "bias": [1.0]}
    header = {"heads": {"kinds": kinds, "flag": flag}, "known": ["wörd"], "common": [], "strategy": dense}
    rows = [bytearray(BUCKETS) for _ in range(3)]
    rows[0][7], rows[1][8], rows[2][9] = 4, 256 - 4, 1
    judges = {"confidence": dense, "whole": TREES, "sure": 0.8}
    return load_heads(dump_heads({**header, **judges, "digest": "d"}, b"".join(rows)))


def test_heads_are_read_as_they_were_written() -> None:
    assert load_heads(content(made(), "d")) == made()
    assert (made().known, made().sure, made().digest) == (frozenset({"wörd"}), 0.8, "d")


def test_a_head_adds_up_what_it_has_learnt() -> None:
    assert made()["kinds"].scores([7]) == [1.5, -0.5]
    assert made()["kinds"].scores([8]) == [0.5, -1.5]
    assert made()["kinds"].scores([7, 10, 11, 12]) == [1.0, -0.5]
    assert made()["kinds"].scores([7], [8]) == [1.5, -1.5]
    assert made().strategy.scores([1, 1]) == [6.0]


@pytest.mark.parametrize(
    ("numbers", "chance"),
    [((9, 0.5), 0.269), ((3, 0.6), 0.731), ((3.1, 0.6), 0.881)],
    ids=["left", "then left", "right"],
)
def test_trees_follow_the_numbers_and_add_up_their_leaves(numbers: tuple[float, float], chance: float) -> None:
    assert made().whole.chance(numbers) == pytest.approx(chance, abs=0.001)


@pytest.mark.parametrize("features", [[], [1], [7, 8, 9], [2**32 - 1, 5, 5]])
def test_the_probabilities_of_exclusive_classes_sum_to_1(features: list[int]) -> None:
    heads: list[Head] = [*packaged_heads().heads.values()]
    sums = [sum(each.probabilities(features).values()) for each in heads if each.exclusive]
    assert len(sums) >= 8
    assert sums == pytest.approx([1.0] * len(sums))


def test_neither_the_order_of_features_nor_their_repetition_matters() -> None:
    features = [(each * 2_654_435_761) % 2**32 for each in range(60)]
    for head in packaged_heads().heads.values():
        assert head.scores(features) == head.scores(features[::-1]) == head.scores(features * 2)


def test_the_packaged_heads_have_learnt_from_the_examples_as_they_are() -> None:
    assert packaged_heads().digest == digest()
    assert 0.5 < packaged_heads().sure < 1


def test_a_planner_asks_no_model_from_the_confidence_on_that_the_heads_say() -> None:
    assert pytest.approx(packaged_heads().sure, abs=0.005) == SURE_OF_DOCUMENTS
