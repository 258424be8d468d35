"""How often language detection recognises English questions."""

from __future__ import annotations

from cicada.languages.detection import LANGUAGES, is_in
from evals.figures.cells import percent
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets


def recognised(sets: Sets) -> Table:
    """All questions are English. A question without a detected language costs a call of the model."""
    rows = []
    for name in TUNED_ON:
        asked = [query.text for query in sets.dataset(name).queries]
        known = sum(is_in(text, "en") for text in asked)
        mistaken = sum(any(is_in(text, each) for each in LANGUAGES if each != "en") for text in asked)
        rows.append([name, str(len(asked)), percent(known / len(asked)), str(mistaken)])
    header = ["English questions", "questions", "recognised as English", "taken for another language"]
    return Table(header, rows, sets.samples(*TUNED_ON))
