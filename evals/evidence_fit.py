"""The fit of a calibration: usual values and deviations of the signals of evidence, and the map to a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cicada.knowledge_bases.calibrations import Standard
from cicada.retrieval.quality import CLIP, WEIGHTS, Features

# The share of questions to a base that can be answered; of the others, half are about another subject.
ANSWERABLE, FOREIGN = 0.75, 0.5
# A signal with fewer values is left out.
LEAST_VALUES = 10
# Keeps the map finite where the points separate both sides wholly; otherwise too weak to matter.
RIDGE = 1e-3

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observed:
    """The signals of questions, one row each, NaN where one is missing.

    `own`: those that can be answered; `removed`: those whose answer is not among the documents, but their subject;
    `foreign`: those about another subject.
    """

    own: Floats
    removed: Floats
    foreign: Floats


@dataclass(frozen=True, slots=True)
class Fit:
    """Mean and deviation of each signal, NaN for one that is left out, and the map from the sum of their points."""

    means: Floats
    deviations: Floats
    constant: float = 0.0
    slope: float = 1.0

    @property
    def standards(self) -> Mapping[str, Standard]:
        found = zip(Features._fields, self.means.tolist(), self.deviations.tolist(), strict=True)
        return {name: Standard(mean, deviation) for name, mean, deviation in found if deviation > 0}

    def points(self, signals: Floats) -> Floats:
        clipped = np.clip((signals - self.means) / self.deviations, -CLIP, CLIP)
        return np.asarray(np.nansum(clipped * np.array([*WEIGHTS.values()]), axis=1))


def rows_of(found: Sequence[Features]) -> Floats:
    """One row for each; NaN where a signal is missing."""
    rows = [[np.nan if value is None else value for value in each] for each in found]
    return np.array(rows, dtype=float).reshape(len(rows), len(Features._fields))


def fit(sets: Sequence[Observed], answerable: float = ANSWERABLE, signals: Sequence[str] = Features._fields) -> Fit:
    """The fit in which every set that has a signal has the same weight, with these signals alone."""
    left_out = [name not in signals for name in Features._fields]
    means = _mean(np.array([_middle(one) for one in sets]))
    deviations = _mean(np.array([_deviation(one) for one in sets]))
    means[left_out] = deviations[left_out] = np.nan
    fitted = Fit(means, deviations)
    constant, slope = _logistic_fit(
        [
            (fitted.points(rows), label, share)
            for one in sets
            for rows, label, share in _labelled(one, answerable)
            if len(rows)
        ]
    )
    return Fit(means, deviations, constant, slope)


def _labelled(one: Observed, answerable: float) -> list[tuple[Floats, float, float]]:
    """Rows with their label and the share of all questions that they stand for."""
    foreign = 0.0 if not len(one.foreign) else FOREIGN if len(one.removed) else 1.0
    rest = 1 - answerable
    return [(one.own, 1.0, answerable), (one.removed, 0.0, rest * (1 - foreign)), (one.foreign, 0.0, rest * foreign)]


def _middle(one: Observed) -> Floats:
    """Between answerable and not: the usual value of evidence that could be either."""
    shares = ((one.own, 0.5), (one.removed, 0.35), (one.foreign, 0.15))
    values, weights = zip(*((_mean(rows), share) for rows, share in shares if len(rows)), strict=True)
    return np.asarray(np.average(values, axis=0, weights=weights))


def _deviation(one: Observed) -> Floats:
    """NaN for a signal with few values, and for one that is always the same."""
    rows = np.vstack([one.own, one.removed if len(one.removed) else one.foreign])
    known = (~np.isnan(one.own)).sum(axis=0) >= LEAST_VALUES
    found = np.full(rows.shape[1], np.nan)
    found[known] = np.nanstd(rows[:, known], axis=0)
    found[found < 1e-9] = np.nan
    return found


def _mean(rows: Floats) -> Floats:
    """The mean of each column, NaN for one without values."""
    numbers = (~np.isnan(rows)).sum(axis=0)
    return np.asarray(np.nansum(rows, axis=0) / np.where(numbers, numbers, np.nan))


def _logistic_fit(parts: Sequence[tuple[Floats, float, float]]) -> tuple[float, float]:
    """Constant and slope, by Newton's method."""
    x = np.concatenate([np.c_[np.ones(len(points)), points] for points, _, _ in parts])
    y = np.concatenate([np.full(len(points), label) for points, label, _ in parts])
    weights = np.concatenate([np.full(len(points), share / len(points)) for points, _, share in parts])
    penalty = np.diag([0.0, RIDGE * len(parts)])
    found = np.zeros(2)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(x @ found)))
        curvature = (x.T * (weights * chance * (1 - chance))) @ x + penalty
        found -= np.linalg.solve(curvature, x.T @ (weights * (chance - y)) + penalty @ found)
    return float(found[0]), float(found[1])
