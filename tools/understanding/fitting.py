"""Logistic regression on hashed features, and on a few numbers, by L-BFGS; boosted trees on a few numbers."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from sklearn.ensemble import GradientBoostingClassifier

from cicada.understanding.heads import BUCKET_BITS, DenseHead, Head, Trees

# Weights have this many steps on either side of zero.
_LARGEST = 127

Floats = NDArray[np.float64]
Groups = tuple[Sequence[int], ...]
"""Groups of features of one example; each is normalised by itself."""

_BUCKETS = 1 << BUCKET_BITS
# A feature that one store alone has says more of the store than of language.
_LEAST_STORES = 2
_STEPS = 100
PENALTY = 0.06
"""How much weights cost, where no other penalty is said."""
_TREES = 300
_DEPTH = 4
_LEARNING_RATE = 0.08
_LEAST_IN_LEAF = 40


@dataclass
class Table:
    """The examples of one head. `rows`: their groups of features. `targets`: which classes hold. `stores`: of each."""

    classes: tuple[str, ...]
    exclusive: bool
    rows: list[Groups] = field(default_factory=list)
    targets: list[Sequence[float]] = field(default_factory=list)
    weights: list[Sequence[float]] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)

    def add(self, groups: Groups, target: Sequence[float], store: str, weights: Sequence[float] | None = None) -> None:
        """One more example. `weights`: 0 for a class of which the example says nothing."""
        self.rows.append(groups)
        self.targets.append(target)
        self.weights.append(weights or [1.0] * len(self.classes))
        self.stores.append(store)


@dataclass(frozen=True)
class Fitted:
    """`weights`: buckets × classes."""

    classes: tuple[str, ...]
    exclusive: bool
    weights: Floats
    bias: Floats


def packed(fitted: Fitted) -> Head:
    """A head with weights rounded to steps of one length."""
    unit = float(np.abs(fitted.weights).max() or 1) / _LARGEST
    rows = np.rint(fitted.weights.T / unit).astype("i1")
    return Head(
        fitted.classes,
        tuple(array("b", row.tobytes()) for row in rows),
        tuple(map(float, fitted.bias)),
        unit,
        fitted.exclusive,
    )


def fit(table: Table, penalty: float) -> Fitted:
    """A head of these examples."""
    matrix = _matrix(table.rows)
    columns = np.flatnonzero(_stores_with(matrix, table.stores) >= min(_LEAST_STORES, len(set(table.stores))))
    kept = matrix[:, columns].tocsr()
    targets, shares = np.array(table.targets, dtype=np.float64), np.array(table.weights, dtype=np.float64)
    found, bias = _minimised(kept, targets, shares, table.exclusive, penalty)
    weights = np.zeros((_BUCKETS, len(table.classes)))
    weights[columns] = found
    return Fitted(table.classes, table.exclusive, weights, bias)


def fit_dense(
    classes: tuple[str, ...], numbers: Sequence[Sequence[float]], targets: Floats, exclusive: bool
) -> DenseHead:
    """A head of a few numbers for each example."""
    table = sparse.csr_matrix(np.array(numbers, dtype=np.float64))
    weights, bias = _minimised(table, targets, np.ones_like(targets), exclusive, penalty=1.0, steps=300)
    return DenseHead(classes, tuple(tuple(map(float, row)) for row in weights), tuple(map(float, bias)))


def fit_trees(numbers: Floats, holds: NDArray[np.bool_]) -> Trees:
    """Trees that say from the numbers of an example, a row each, whether it holds."""
    boosting = GradientBoostingClassifier(
        init="zero",
        learning_rate=_LEARNING_RATE,
        n_estimators=_TREES,
        max_depth=_DEPTH,
        min_samples_leaf=_LEAST_IN_LEAF,
        subsample=0.5,
        max_features=0.3,
        random_state=0,
    ).fit(numbers, holds)
    roots: list[int] = []
    places: list[int] = []
    limits: list[float] = []
    right: list[int] = []
    for (found,) in boosting.estimators_:
        tree, root = found.tree_, len(places)
        is_leaf = tree.children_left < 0
        roots.append(root)
        places += np.where(is_leaf, -1, tree.feature).tolist()
        limits += np.where(is_leaf, tree.value[:, 0, 0] * _LEARNING_RATE, tree.threshold).tolist()
        right += np.where(is_leaf, 0, tree.children_right + root).tolist()
    return Trees(tuple(roots), tuple(places), tuple(float(f"{each:.6g}") for each in limits), tuple(right))


def _matrix(rows: Sequence[Groups]) -> sparse.csr_matrix:
    places, values, ends = [], [], [0]
    for groups in rows:
        for features in groups:
            own = np.unique(np.array(features, dtype=np.int64) & (_BUCKETS - 1))
            places.append(own)
            values.append(np.full(len(own), 1 / np.sqrt(max(1, len(own)))))
        ends.append(ends[-1] + sum(map(len, places[len(places) - len(groups) :])))
    return sparse.csr_matrix(
        (np.concatenate(values), np.concatenate(places), np.array(ends)), shape=(len(rows), _BUCKETS)
    )


def _stores_with(matrix: sparse.csr_matrix, stores: Sequence[str]) -> NDArray[np.int64]:
    """The number of stores in which each feature occurs."""
    names = np.array(stores)
    counts = np.zeros(matrix.shape[1], dtype=np.int64)
    for name in set(stores):
        counts[np.unique(matrix[names == name].indices)] += 1
    return counts


def _minimised(
    table: sparse.csr_matrix, targets: Floats, shares: Floats, exclusive: bool, penalty: float, steps: int = _STEPS
) -> tuple[Floats, Floats]:
    """The weights and biases of the least penalised loss; biases are not penalised."""
    transposed = table.T.tocsr()
    columns, classes = table.shape[1], targets.shape[1]
    size = columns * classes
    loss_of: Callable[[Floats], tuple[float, Floats]] = _exclusive(targets) if exclusive else _single(targets, shares)

    def loss(point: Floats) -> tuple[float, Floats]:
        weights, bias = point[:size].reshape(columns, classes), point[size:]
        value, slope = loss_of(np.asarray(table @ weights + bias))
        gradient = np.asarray(transposed @ slope) + penalty * weights
        total = value + penalty / 2 * float(np.square(weights).sum())
        return total, np.concatenate([gradient.ravel(), slope.sum(axis=0)])

    start = np.zeros(size + classes)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    return found[:size].reshape(columns, classes), found[size:]


def _exclusive(targets: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    def loss(scores: Floats) -> tuple[float, Floats]:
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances = exponentials / exponentials.sum(axis=1, keepdims=True)
        hits = chances * targets
        of_right = hits.sum(axis=1, keepdims=True) + 1e-12
        return float(-np.log(of_right).sum()), chances - hits / of_right

    return loss


def _single(targets: Floats, shares: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    def loss(scores: Floats) -> tuple[float, Floats]:
        chances = 1 / (1 + np.exp(-np.clip(scores, -500, 500)))
        of_right = np.where(targets > 0.5, chances, 1 - chances)
        return float(-(np.log(of_right + 1e-12) * shares).sum()), (chances - targets) * shares

    return loss


def one_hot(classes: Sequence[str], name: str) -> list[float]:
    """1 at the name's place among the classes, else 0."""
    return [float(each == name) for each in classes]
