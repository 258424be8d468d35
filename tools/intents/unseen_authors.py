"""`python -m tools.intents.unseen_authors`: how well intents are told for authors unknown to the model.

Each author's messages are classified by a model that is trained on the other authors' alone. The table's threshold is
the packaged one, which was set on these same predictions: the two columns on the right are the calibration's fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tools.intents.examples import Example, load_concepts, load_lessons
from tools.intents.model_file import Calibration, calibration_of
from tools.intents.ridge import Floats
from tools.intents.training import intent_targets, right, unseen_scores

_COLUMNS = ("messages", "n", "right", "decides alone", "right there")


def table(
    examples: Sequence[Example], scores: Floats, calibration: Calibration
) -> list[tuple[str, int, float, float, float]]:
    """Rows for all and each slice, language, author and intent: number, shares right, decided alone, right there."""
    correct, chances = right(examples, scores / calibration.temperature)
    alone = chances >= calibration.threshold
    rows = []
    for name, mask in _parts(examples):
        decided = mask & alone
        share = float(correct[decided].mean()) if decided.any() else 0.0
        rows.append((name, int(mask.sum()), float(correct[mask].mean()), float(alone[mask].mean()), share))
    return rows


def _parts(examples: Sequence[Example]) -> Iterator[tuple[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]]:
    yield "all", np.ones(len(examples), dtype=np.bool_)
    for title, values in (
        ("slice", [example.slice or "" for example in examples]),
        ("language", [example.language for example in examples]),
        ("author", [example.author for example in examples]),
        ("intent", [example.intent.value for example in examples]),
    ):
        for value in sorted({*values} - {""}):
            yield f"{title} {value}", np.array([each == value for each in values])


def main() -> None:
    """Print the table; it takes some minutes."""
    examples = load_lessons()
    measured, scores = unseen_scores(examples, load_concepts(), intent_targets(examples))
    found = table(measured, scores, calibration_of())
    print("{:<26}{:>6}{:>8}{:>15}{:>13}".format(*_COLUMNS))
    for name, number, share, alone, there in found:
        print(f"{name:<26}{number:>6}{share:>8.3f}{alone:>15.3f}{there:>13.3f}")


if __name__ == "__main__":
    main()
