"""Learns the weights of the signals, and measures them on sources and domains that were left out."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cicada.grounding.checking import claimed_words, exactness
from cicada.grounding.signals import SIGNALS, Evidence, read, signals
from evals.changed_claims import Claim

# What the square of a standardised weight costs.
PENALTY = 3.0
FOLDS = 5
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """The signals of claims, a row each; what exactness adds; whether they are supported.

    `sets`: of each, and `parts`: what is left out with it.
    """

    signals: Floats
    exactness: Floats
    supported: NDArray[np.bool_]
    sets: NDArray[np.str_]
    parts: NDArray[np.str_]

    def only(self, chosen: NDArray[np.bool_]) -> "Examples":
        return Examples(
            self.signals[chosen], self.exactness[chosen], self.supported[chosen], self.sets[chosen], self.parts[chosen]
        )


def examples_of(claims: Sequence[Claim]) -> Examples:
    """A set with a hyphen in its name is a domain, which is left out as a whole; of others a fifth of the sources."""
    rows, exact = [], []
    for claim in claims:
        words, evidence = claimed_words(claim.text), Evidence([read(claim.source)])
        found = signals(words, evidence)
        rows.append([found[name] for name in SIGNALS])
        exact.append(exactness(words, evidence, found))
    parts = [
        each.set if "-" in each.set else f"{each.set}/{zlib.crc32(each.source.encode()) % FOLDS}" for each in claims
    ]
    return Examples(
        np.array(rows, dtype=float),
        np.array(exact),
        np.array([each.supported for each in claims]),
        np.array([each.set.partition("-")[0] for each in claims]),
        np.array(parts),
    )


def fitted(examples: Examples, penalty: float = PENALTY) -> tuple[float, Floats]:
    """Bias and weights of a logistic regression, by Newton's method; supported claims count as much as the others."""
    mean, deviation = examples.signals.mean(0), examples.signals.std(0)
    deviation[deviation == 0] = 1
    rows = np.hstack([(examples.signals - mean) / deviation, np.ones((len(examples.signals), 1))])
    share = _shares(examples.supported)
    ridge = penalty * np.diag([*np.ones(len(mean)), 0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (share * (chance - examples.supported)) + ridge @ weights
        weights -= np.linalg.solve((rows.T * (share * chance * (1 - chance))) @ rows + ridge, gradient)
    return float(weights[-1] - (weights[:-1] * mean / deviation).sum()), weights[:-1] / deviation


def _shares(supported: NDArray[np.bool_]) -> Floats:
    counts = np.where(supported, supported.sum(), (~supported).sum())
    return np.asarray(len(supported) / 2 / np.maximum(1, counts), dtype=np.float64)


def left_out(examples: Examples) -> Floats:
    """The score of each claim by weights that have not seen its domain or its source."""
    scores = np.zeros(len(examples.supported))
    for part in np.unique(examples.parts):
        out = examples.parts == part
        bias, weights = fitted(examples.only(~out))
        scores[out] = scored(examples.only(out), bias, weights)
    return scores


def scored(examples: Examples, bias: float, weights: Floats) -> Floats:
    """The scores, in logits."""
    return np.asarray(examples.signals @ weights + bias + examples.exactness, dtype=np.float64)
