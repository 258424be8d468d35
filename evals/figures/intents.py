"""Intents of messages by authors whom the model has not seen."""

from __future__ import annotations

from evals.figures.cells import share
from evals.figures.record import Table
from evals.figures.sets import Sets
from evals.unseen_authors import table
from intents.examples import load_concepts, load_examples
from intents.model_file import calibration_of
from intents.training import measured_authors, unseen_scores


def unseen_authors(sets: Sets) -> Table:  # noqa: ARG001 - the examples are the repository's own
    """Leave one author out: for all messages and each part of them what is right, and what is decided alone."""
    examples = load_examples()
    measured, scores = unseen_scores(examples, load_concepts(), measured_authors(examples))
    found = table(measured, scores, calibration_of())
    rows = [[name, str(number), *map(share, shares)] for name, number, *shares in found]
    return Table(["messages", "n", "right", "decided alone", "right of these"], rows, {"examples": len(examples)})
