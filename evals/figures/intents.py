"""Intents of messages, and changes that they ask for, by authors whom the model has not seen."""

from __future__ import annotations

from evals.asked_changes import COLUMNS, Row, of_kinds, of_strangers, of_unseen_authors, rows
from evals.figures.cells import share
from evals.figures.record import Table
from evals.figures.sets import Sets
from evals.unseen_authors import table
from intents.examples import load_concepts, load_examples
from intents.model_file import calibration_of
from intents.training import intent_targets, unseen_scores


def unseen_authors(sets: Sets) -> Table:  # noqa: ARG001 - the examples are the repository's own
    """Leave one author out: for all messages and each part of them what is right, and what is decided alone."""
    examples = load_examples()
    measured, scores = unseen_scores(examples, load_concepts(), intent_targets(examples))
    found = table(measured, scores, calibration_of())
    rows = [[name, str(number), *map(share, shares)] for name, number, *shares in found]
    return Table(["messages", "n", "right", "decided alone", "right of these"], rows, {"examples": len(examples)})


def asked_changes(sets: Sets) -> Table:  # noqa: ARG001 - the examples are the repository's own
    """Which messages are allowed the changes that they ask for, of unseen authors and of strangers."""
    unseen, strange = of_unseen_authors(), of_strangers()
    named: list[tuple[str, Row]] = []
    for title, (messages, allowed) in (("examples", unseen), ("strangers", strange)):
        named += [(title, row) for row in (*rows(messages, allowed), *of_kinds(messages, allowed))]
    cells = [
        [f"{title}, {name}", str(asking), share(right), str(others), share(wrong)]
        for title, (name, asking, right, others, wrong) in named
    ]
    return Table(COLUMNS, cells, {"examples": len(unseen[0]), "strangers": len(strange[0])})
