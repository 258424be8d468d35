"""Whether a confidence keeps its word: of what is said with .8, four of five are right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

BINS = 10

Judged: TypeAlias = tuple[float, bool]
"""A confidence from 0 to 1, and whether what was said with it is right."""


@dataclass(frozen=True, slots=True)
class Bin:
    """What was said with a confidence from `least` on: how often, with which mean confidence, and the share right."""

    least: float
    number: int
    confidence: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """The bins that are not empty, from below. `error`: the expected calibration error, 0 to 1."""

    bins: tuple[Bin, ...]
    error: float


def reliability(judged: Sequence[Judged], right: float | None = None) -> Reliability | None:
    """None without anything judged. `right`: both kinds are weighted so that this share is right; None: as they are.

    Source: Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015.
    """
    if not judged:
        return None
    number = sum(each for _, each in judged)
    share = number / len(judged) if right is None else right
    # Of one that is right, and of one that is not.
    weights = (share / number if number else 0.0, (1 - share) / (len(judged) - number or 1))
    bins = (_bin([each for each in judged if _place(each[0]) == place], place, weights) for place in range(BINS))
    found = [each for each in bins if each]
    error = sum(weight * abs(each.confidence - each.right) for each, weight in found)
    return Reliability(tuple(each for each, _ in found), error)


def rows(found: Reliability) -> Iterator[str]:
    """A table as text, and the error below it."""
    yield f"{'confidence':12}{'number':>8}{'mean':>8}{'right':>8}"
    for each in found.bins:
        yield f"{f'{each.least:.1f} – {each.least + 1 / BINS:.1f}':12}" + (
            f"{each.number:>8}{each.confidence:>8.2f}{each.right:>8.2f}"
        )
    yield f"expected calibration error {found.error:.3f}"


def _place(confidence: float) -> int:
    return min(int(confidence * BINS), BINS - 1)


def _bin(within: Sequence[Judged], place: int, weights: tuple[float, float]) -> tuple[Bin, float] | None:
    """The bin, and its weight among all; None for an empty one."""
    if not within:
        return None
    of_right, of_wrong = weights
    number = sum(right for _, right in within)
    weight = number * of_right + (len(within) - number) * of_wrong
    confidence = sum(value * (of_right if right else of_wrong) for value, right in within) / weight
    return Bin(place / BINS, len(within), confidence, number * of_right / weight), weight
