"""Writing the packaged models: weights rounded to small integers, and from which scores on they decide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from numpy.typing import NDArray

from cicada.answering import asked_writes
from cicada.understanding.intent import model
from cicada.understanding.intent.features import lexicon
from cicada.understanding.intent.model import SCORED, IntentModel, dump, load_model
from tools.intents.examples import Concepts, Example, digest, load_change_examples, load_concepts, load_lessons
from tools.intents.ridge import Floats, probabilities
from tools.intents.training import (
    CLASSES,
    GROUP_WEIGHTS,
    Trained,
    change_targets,
    fit,
    intent_targets,
    labelled_changes,
    right,
    unseen_scores,
)

# The share of unseen authors' messages that is to be right among those that the model decides alone.
RIGHT_ALONE = 0.97
# The share of unseen authors' messages asking for a kind of change that is to be allowed it.
ALLOWED = 0.85
# The weights have this many steps on either side of zero. Twice as many changed no probability of 1290 messages by more
# than 0.04.
_LARGEST = 63


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of intents: `temperature` divides scores, from `threshold` on the model decides alone.

    `changes`: for each kind of change the score from which on a message asks for it.
    """

    temperature: float
    threshold: float
    changes: tuple[float, ...]


def write_models(calibration: Calibration | None = None) -> None:
    """Train the packaged models on all examples. Without a calibration, that of the files there is kept."""
    concepts, kept = load_concepts(), calibration or calibration_of()
    words = lexicon(concepts.values())
    examples, changing = load_lessons(), load_change_examples()
    of_intents = fit(examples, words, intent_targets(examples))
    of_changes = fit(changing, words, change_targets(changing))
    model.PACKAGED.write_bytes(content(of_intents, kept, concepts, digest(examples, concepts)))
    asked_writes.PACKAGED.write_bytes(changes_content(of_changes, kept, concepts, digest(changing, concepts)))


def intents_with(example: Example) -> IntentModel:
    """The model of intents of all examples and this one, with the calibration of the packaged one. Nothing is kept."""
    concepts, examples = load_concepts(), [*load_lessons(), example]
    trained = fit(examples, lexicon(concepts.values()), intent_targets(examples))
    with NamedTemporaryFile(suffix=".bin") as file:
        file.write(content(trained, calibration_of(), concepts, digest(examples, concepts)))
        file.flush()
        return load_model(Path(file.name))


def calibration_of() -> Calibration:
    """The calibration of the packaged models."""
    intents, changes = load_model(model.PACKAGED), asked_writes.load_writes_model(asked_writes.PACKAGED)
    return Calibration(intents.temperature, intents.threshold, changes.thresholds)


def calibrated() -> Calibration:
    """The calibration by predictions for authors that each model has not seen."""
    concepts, examples, changing = load_concepts(), load_lessons(), load_change_examples()
    measured, scores = unseen_scores(examples, concepts, intent_targets(examples))
    temperature = _temperature(measured, scores)
    correct, chances = right(measured, scores / temperature)
    asking, of_changes = unseen_scores(changing, concepts, change_targets(changing))
    return Calibration(temperature, threshold(correct, chances), allowing(labelled_changes(asking), of_changes))


def allowing(asked: NDArray[np.bool_], scores: Floats, share: float = ALLOWED) -> tuple[float, ...]:
    """The thresholds of the kinds of changes: the highest score that the share of what is asked for has at least."""
    return tuple(
        float(np.sort(own)[-math.ceil(share * len(own))])
        for own in (scores[asked[:, kind], kind] for kind in range(scores.shape[1]))
    )


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


def content(trained: Trained, calibration: Calibration, concepts: Concepts, of_examples: str) -> bytes:
    """The content of the intents' file: weights as differences from the last class's."""
    rest = len(SCORED)
    differences = trained.weights[:, :rest] - trained.weights[:, rest:]
    bias = trained.bias[:rest] - trained.bias[rest:]
    own = {"temperature": calibration.temperature, "threshold": calibration.threshold}
    return _content(differences, bias, trained.frequent, concepts, {**own, "digest": of_examples})


def changes_content(trained: Trained, calibration: Calibration, concepts: Concepts, of_examples: str) -> bytes:
    """The content of the changes' file."""
    own = {"thresholds": calibration.changes, "digest": of_examples}
    return _content(trained.weights, trained.bias, trained.frequent, concepts, own)


def _content(
    weights: Floats, bias: Floats, frequent: frozenset[str], concepts: Concepts, own: Mapping[str, object]
) -> bytes:
    """`weights` (buckets × scores) are rounded to steps of one length."""
    unit = float(np.abs(weights).max() or 1) / _LARGEST
    header = {
        "bias": [float(each) for each in bias],
        "units": [unit * weight for weight in GROUP_WEIGHTS],
        "frequent": sorted(frequent),
        "concepts": concepts,
    }
    return dump({**header, **own}, np.rint(weights.T / unit).astype("i1").tobytes())
