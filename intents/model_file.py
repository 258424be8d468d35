"""Writing the packaged model: weights rounded to small integers, and the calibration of its probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cicada.planning.intent import linear
from cicada.planning.intent.concepts import lexicon
from cicada.planning.intent.linear import SCORED, dump, load_model
from intents.examples import Example, digest, load_concepts, load_examples
from intents.ridge import Floats, probabilities
from intents.training import CLASSES, GROUP_WEIGHTS, Trained, fit, measured_authors, right, unseen_scores

# Of the messages of unseen authors, this share of those that the model decides alone is to be right.
RIGHT_ALONE = 0.97
# The weights have this many steps on either side of zero. Twice as many changed no probability of 1290 messages by more
# than 0.04.
_LARGEST = 63


@dataclass(frozen=True, slots=True)
class Calibration:
    """`temperature`: what scores are divided by. `threshold`: from which probability on the model decides alone."""

    temperature: float
    threshold: float


def write_model(calibration: Calibration | None = None) -> None:
    """Train the packaged model on all examples. Without a calibration, that of the file there is kept."""
    examples, concepts = load_examples(), load_concepts()
    kept = calibration or calibration_of()
    trained = fit(examples, lexicon(concepts.values()))
    linear.PACKAGED.write_bytes(content(trained, kept, concepts, digest(examples, concepts)))


def calibration_of() -> Calibration:
    """The calibration of the packaged model."""
    model = load_model(linear.PACKAGED)
    return Calibration(model.temperature, model.threshold)


def calibrated(examples: Sequence[Example], concepts: dict[str, dict[str, list[str]]]) -> Calibration:
    """From the predictions for authors that each model has not seen."""
    measured, scores = unseen_scores(examples, concepts, measured_authors(examples))
    temperature = _temperature(measured, scores)
    correct, chances = right(measured, scores / temperature)
    return Calibration(temperature, threshold(correct, chances))


def threshold(correct: Floats, chances: Floats, least: float = RIGHT_ALONE) -> float:
    """The lowest probability such that of the predictions at least this probable the share `least` is correct."""
    order = np.argsort(-chances, kind="stable")
    shares = np.cumsum(correct[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= least)
    return float(chances[order][enough[-1]]) if len(enough) else 1.0


def _temperature(examples: Sequence[Example], scores: Floats) -> float:
    """The temperature under which the labels are likeliest (Guo et al., On Calibration of Modern Neural Networks)."""
    labels = [CLASSES.index(example.intent) for example in examples]
    candidates = np.geomspace(0.03, 3, 100)
    own = [-np.log(probabilities(scores / each)[range(len(labels)), labels]).sum() for each in candidates]
    return float(candidates[int(np.argmin(own))])


def content(
    trained: Trained, calibration: Calibration, concepts: dict[str, dict[str, list[str]]], of_examples: str
) -> bytes:
    """The content of the model's file: weights as differences from the last class's, rounded."""
    differences = trained.weights[:, : len(SCORED)] - trained.weights[:, len(SCORED) :]
    unit = float(np.abs(differences).max()) / _LARGEST
    header = {
        "bias": [float(bias - trained.bias[-1]) for bias in trained.bias[: len(SCORED)]],
        "units": [unit * weight for weight in GROUP_WEIGHTS],
        "temperature": calibration.temperature,
        "threshold": calibration.threshold,
        "frequent": sorted(trained.frequent),
        "concepts": concepts,
        "digest": of_examples,
    }
    return dump(header, np.rint(differences.T / unit).astype("i1").tobytes())
