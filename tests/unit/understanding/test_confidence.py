"""How sure a plan is as a whole: alone, after another one, and by trees that have learnt it."""

from __future__ import annotations

import numpy as np
import pytest

from cicada.understanding.heads import packaged_heads
from tests.unit.understanding.test_meanings import understood
from tools.understanding.fitting import fit_trees

SURE = packaged_heads().sure


@pytest.mark.parametrize(
    "messages",
    [
        ("How many letters are lapsed?",),
        ("Which letters are lapsed?", "and charters?"),
        ("Which letters are lapsed?", "How is a bell cast?"),
    ],
)
def test_what_is_said_plainly_is_decided_alone_also_after_another_message(messages: tuple[str, ...]) -> None:
    assert understood(*messages).confidence > SURE


@pytest.mark.parametrize(
    "messages",
    [
        ("How many letters are lapsed as it were by golly in the barn?",),
        ("Which letters are lapsed?", "hmm well the other thing then"),
        ("Is the letter still in force?",),
    ],
    ids=["words that nothing explains", "no part of the plan before", "not read at all"],
)
def test_what_is_hardly_read_is_unsure(messages: tuple[str, ...]) -> None:
    assert understood(*messages).confidence < SURE / 2


def test_trees_learn_what_no_sum_of_the_numbers_says() -> None:
    numbers = np.random.default_rng(1).random((4_000, 3))
    holds = (numbers[:, 0] > 0.5) == (numbers[:, 1] > 0.5)
    trees = fit_trees(numbers, holds)
    assert trees.chance([0.9, 0.8, 0.1]) > 0.95 < trees.chance([0.1, 0.2, 0.9])
    assert trees.chance([0.9, 0.2, 0.1]) < 0.05 > trees.chance([0.1, 0.8, 0.9])
