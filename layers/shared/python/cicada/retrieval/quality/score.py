"""The quality of the evidence: how likely the question can be answered from what was found (docs/quality.md)."""

from __future__ import annotations

import math
from typing import NamedTuple

from msgspec import Struct

from cicada.retrieval.fusion import logistic
from cicada.retrieval.model import Retrieval
from cicada.retrieval.quality.features import Features, features


class Standard(Struct, frozen=True):
    """A signal's usual value, its standard deviation, and its weight in the sum."""

    mean: float
    deviation: float
    weight: float = 1.0

    def points(self, value: float | None) -> float:
        """Deviations from the usual value, at most two either way, times the weight; 0 for a missing signal."""
        if value is None:
            return 0.0
        return self.weight * min(max((value - self.mean) / self.deviation, -CLIP), CLIP)


class Standards(NamedTuple):
    """The standard of each signal of `Features`, in the same order."""

    relevance: Standard
    margin: Standard
    lexical: Standard
    coverage: Standard
    names: Standard
    concentration: Standard


# One signal never decides alone: scores of other engines and embedding models lie outside the usual range.
CLIP = 2.0
# Fitted by `python -m tools.fitting.evidence_quality`. The weights are not: equal ones generalise better than fitted
# ones where the sets differ, and the reranker's relevance, which is fitted itself, counts twice. Source of the idea:
# Dawes, The Robust Beauty of Improper Linear Models, 1979.
STANDARDS = Standards(
    relevance=Standard(-0.606, 0.801, 2.0),
    margin=Standard(0.227, 0.088),
    lexical=Standard(1.489, 0.551),
    coverage=Standard(0.572, 0.211),
    names=Standard(0.599, 0.405),
    concentration=Standard(0.293, 0.097),
)
CONSTANT, SLOPE = 1.341, 0.315


def evidence_quality(question: str, found: Retrieval) -> float:
    """0 to 1; 0 if nothing was found. `question` is the user's, whatever query was searched for."""
    if not found.candidates:
        return 0.0
    return logistic(CONSTANT + SLOPE * total(features(question, found)))


def total(signals: Features) -> float:
    """The sum of the points."""
    return math.fsum(standard.points(value) for standard, value in zip(STANDARDS, signals, strict=True))
