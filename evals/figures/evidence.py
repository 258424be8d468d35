"""How well the quality of the evidence tells whether a question can be answered, and what the floor refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cicada.documents.filter import PassageFilter
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.fusion import logistic
from cicada.retrieval.quality.score import evidence_quality
from evals.figures.cells import mean, score, share
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.gate.calibration import Fit, Floats, Observed, fit, observe
from evals.gate.dataset import Label, load_labelled_turns
from evals.gate.report import auroc
from evals.gate.run import resolved, score_turns
from evals.plays.dataset import PLAYS, load_questions
from evals.retrieval.pipeline import CORPUS_BASE

TURNS = "mtrag-gate"
FLOOR = KnowledgeBase("").quality_floor
HEADER = ("questions", "AUROC", "answerable below the floor", "others below the floor")


def evidence(sets: Sets) -> Table:
    """Public sets by a fit on the other two; the plays and the last turns by the product."""
    observed = {name: _observed(sets, name) for name in TUNED_ON}
    rows = [row for name in observed for row in _left_out(observed, name)]
    rows += [_plays(sets), *_turns(sets)]
    counts = {TURNS: len(load_labelled_turns(sets.folder(TURNS)).tasks), PLAYS: len(load_questions().all_unanswerable)}
    return Table(HEADER, rows, {**sets.samples(*TUNED_ON), **counts})


def _observed(sets: Sets, name: str) -> Observed:
    with sets.searching(name) as search:
        return observe(sets.dataset(name), [sets.dataset(each) for each in TUNED_ON if each != name], search)


def _left_out(observed: dict[str, Observed], name: str) -> Iterator[list[str]]:
    fitted, one = fit([each for other, each in observed.items() if other != name]), observed[name]
    own = _qualities(fitted, one.own)
    yield _row(f"{name}, against themselves without their documents", own, _qualities(fitted, one.removed))
    yield _row(f"{name}, against other sets' questions", own, _qualities(fitted, one.foreign))


def _plays(sets: Sets) -> list[str]:
    with sets.searching(PLAYS) as search:

        def quality(text: str) -> float:
            return evidence_quality(text, search.retrieve(text, PassageFilter(CORPUS_BASE)))

        answerable = [quality(query.text) for query in sets.dataset(PLAYS).queries]
        return _row(
            f"{PLAYS}, against unanswerable ones", answerable, list(map(quality, load_questions().all_unanswerable))
        )


def _turns(sets: Sets) -> Iterator[list[str]]:
    turns = load_labelled_turns(sets.folder(TURNS))
    for name, standalone in (("last turns alone", own_words), ("last turns as the product asks them", resolved)):
        scored = score_turns(turns, sets.embedder, standalone)
        answerable = [each.quality for each in scored if each.label.answerable]
        others = [each.quality for each in scored if each.label is Label.UNANSWERABLE]
        yield _row(f"{TURNS}, {name}, against unanswerable ones", answerable, others)


def own_words(messages: Sequence[str]) -> str:
    """The last message as it is."""
    return messages[-1]


def _qualities(fitted: Fit, signals: Floats) -> list[float]:
    return [logistic(fitted.constant + fitted.slope * points) for points in fitted.points(signals).tolist()]


def _row(name: str, answerable: Sequence[float], others: Sequence[float]) -> list[str]:
    refused = (share(mean([value < FLOOR for value in values])) for values in (answerable, others))
    return [name, score(auroc(answerable, others) or 0.0), *refused]
