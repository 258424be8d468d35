"""Sweeping thresholds."""

from __future__ import annotations

import pytest

from evals.answerability.dataset import Label
from evals.answerability.run import Scored
from evals.answerability.sweep import Point, Thresholds, chosen, sweep
from evals.lines import DatasetError


def scored(answerable: list[float], unanswerable: list[float]) -> list[Scored]:
    return [
        *(Scored(Label.ANSWERABLE, value) for value in answerable),
        *(Scored(Label.UNANSWERABLE, value) for value in unanswerable),
        Scored(Label.UNDERSPECIFIED, 1.0),
    ]


def test_each_threshold_has_precision_and_recall() -> None:
    points = sweep(scored([0.9, 0.5, 0.25], [0.5, 0.1]), steps=4)
    assert points[0] == Point(0.0, 3 / 5, 1.0, 1.0)
    assert points[1] == Point(0.25, 3 / 4, 1.0, 0.5)
    assert points[2] == Point(0.5, 2 / 3, 2 / 3, 0.5)
    assert points[3] == Point(0.75, 1.0, 1 / 3, 0.0)
    assert points[4] == Point(1.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize("turns", [scored([0.5], []), scored([], [0.5])])
def test_a_sweep_needs_both_sides(turns: list[Scored]) -> None:
    with pytest.raises(DatasetError, match="add the others"):
        sweep(turns)


def test_the_floor_and_the_threshold_keep_their_shares_of_the_answerable_turns() -> None:
    points = sweep(scored([0.3, 0.6, *[0.8] * 8], [0.1, 0.2, 0.5, 0.5]))
    assert chosen(points, 0.95, 0.85) == Thresholds(0.6, 0.3)
    assert chosen(points, 0.9, 0.8) == Thresholds(0.8, 0.6)
    assert chosen(points, 0.8, 0.95) == Thresholds(0.8, 0.8)
