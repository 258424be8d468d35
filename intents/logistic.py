"""Multinomial logistic regression on sparse features, with L2 regularisation, by L-BFGS in numpy.

Nocedal and Wright, Numerical Optimization, algorithm 7.5, with backtracking until the Armijo condition holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Row = tuple[Places, Floats]
_MEMORY = 10
_ARMIJO = 1e-4
_TOLERANCE = 1e-5


class Sparse:
    """Rows of column numbers and values. `columns` are those in use; products are of these columns only."""

    def __init__(self, rows: Sequence[Row], least_rows: int = 1) -> None:
        """Columns that fewer than `least_rows` rows have are left out."""
        lengths = np.array([len(indices) for indices, _ in rows])
        indices = np.concatenate([row for row, _ in rows])
        values = np.concatenate([value for _, value in rows])
        row_of = np.repeat(np.arange(len(rows)), lengths)
        every, column, counts = np.unique(indices, return_inverse=True, return_counts=True)
        kept = counts >= least_rows
        chosen = kept[column]
        self.rows = len(rows)
        self.columns = every[kept]
        self._column = (np.cumsum(kept) - 1)[column[chosen]]
        self._row, self._values = row_of[chosen], values[chosen]

    def times(self, weights: Floats) -> Floats:
        """Rows × classes."""
        return self._sums(weights, self._column, self._row, self.rows)

    def transposed_times(self, errors: Floats) -> Floats:
        """Columns × classes."""
        return self._sums(errors, self._row, self._column, len(self.columns))

    def _sums(self, factors: Floats, source: Places, target: Places, size: int) -> Floats:
        """For each target the sum of the sources' factors times the values between them."""
        sums = [np.bincount(target, factor[source] * self._values, size) for factor in np.ascontiguousarray(factors.T)]
        return np.stack(sums, axis=1)


def probabilities(scores: Floats) -> Floats:
    """The softmax of each row."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Objective:
    """The penalised negative log-likelihood of weights with the bias as last row."""

    features: Sparse
    targets: Floats
    penalty: float

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        scores = self.features.times(weights[:-1]) + weights[-1]
        chances = probabilities(scores)
        likely = np.maximum((chances * self.targets).sum(axis=1), 1e-300)
        loss = -np.log(likely).sum() + 0.5 * self.penalty * np.square(weights[:-1]).sum()
        errors = chances - self.targets
        slope = self.features.transposed_times(errors) + self.penalty * weights[:-1]
        return float(loss), np.vstack([slope, errors.sum(axis=0)])


def train(features: Sparse, targets: Floats, penalty: float, most_steps: int = 100) -> tuple[Floats, Floats]:
    """Weights (columns × classes) and bias. `targets`: rows × classes, one 1 in each row."""
    objective = _Objective(features, targets, penalty)
    weights = np.zeros((len(features.columns) + 1, targets.shape[1]))
    loss, slope = objective(weights)
    history: list[tuple[Floats, Floats]] = []
    for _ in range(most_steps):
        direction = _direction(slope, history)
        length = 1.0
        while True:
            step = -length * direction
            new_loss, new_slope = objective(weights + step)
            if new_loss <= loss - _ARMIJO * length * float((slope * direction).sum()) or length < 1e-8:
                break
            length /= 2
        history = [*history, (step, new_slope - slope)][-_MEMORY:]
        weights, gain = weights + step, loss - new_loss
        loss, slope = new_loss, new_slope
        if gain < _TOLERANCE * loss:
            break
    return weights[:-1], weights[-1]


def _direction(slope: Floats, history: Sequence[tuple[Floats, Floats]]) -> Floats:
    """The slope times the inverse Hessian that L-BFGS estimates from the last steps."""
    if not history:
        return slope / max(1.0, float(np.abs(slope).sum()))
    rest = slope.copy()
    shares: list[float] = []
    for step, change in reversed(history):
        shares.append(float((step * rest).sum() / (step * change).sum()))
        rest -= shares[-1] * change
    step, change = history[-1]
    rest *= float((step * change).sum() / np.square(change).sum())
    for (step, change), share in zip(history, reversed(shares), strict=True):
        rest += (share - float((change * rest).sum() / (step * change).sum())) * step
    return rest
