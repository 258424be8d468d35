"""A calibration of a running stack: labelled questions asked of its search, and the fit of what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import TypeAlias

from cicada.errors import CicadaError
from cicada.knowledge_bases.calibrations import LEAST_APART, LOCAL, Calibration, Cosines
from cicada.observability.telemetry import ignore
from cicada.retrieval.probing import Found, Probe
from cicada.retrieval.quality import Features, quality_of
from evals.answerability.dataset import Label
from evals.answerability.run import Scored
from evals.answers_files import Conversation
from evals.evidence_fit import Observed, fit, rows_of

# Questions of either kind that a calibration needs at least, and those about other bases that are asked of one at most.
LEAST, FOREIGN = 20, 40

Ask: TypeAlias = Callable[[str, Sequence[Probe], Cosines | None], Sequence[Found]]
"""Ask a base's search; one result for each probe, in their order."""


class CalibrationError(CicadaError):
    """No calibration can be made; says what it lacks."""


@dataclass(frozen=True, slots=True)
class Question:
    """`holding`: the documents that hold the answer, as far as they are known. `answerable`: whether there are any."""

    text: str
    knowledge_base: str
    answerable: bool
    holding: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What was found for a question that can be answered, or for one whose answer is taken away, or of another base."""

    kind: str
    found: Found


@dataclass(frozen=True, slots=True)
class Made:
    """A calibration, and how it judges questions: each half of them by a calibration that is made on the other half."""

    calibration: Calibration
    scored: Sequence[Scored]


def questions_of(conversations: Sequence[Conversation]) -> list[Question]:
    """The first turns that are answered from passages, or cannot be answered; a later turn does not stand alone."""
    found = []
    for each in conversations:
        first, expect = each.turns[0], each.turns[0].expect
        if expect is None or expect.chat or expect.kept or expect.asks_back or expect.names_any:
            continue
        if expect.listed_exact is not None or expect.total is not None:
            continue
        holding = tuple(sorted(expect.documents))
        found.append(Question(first.message, each.knowledge_base, expect.answered is not False, holding))
    return found


def calibrate(
    questions: Sequence[Question], ask: Ask, embedder: str, day: str, say: Callable[[str], object] = ignore
) -> list[Made]:
    """One for each reranker that ranked for enough of the questions. Raises `CalibrationError` without any.

    A base of few passages is left out; `say` is told so.
    """
    by_base = _cosines(questions, ask)
    for base in (name for name, found in by_base.items() if not found):
        say(f"{base} has less than 30 passages and is left out.")
    usual = _usual([each for found in by_base.values() for each in found])
    asked = [
        Asked(kind, found)
        for base, probes in _probes(questions).items()
        if by_base.get(base)
        for kind, found in zip(
            [kind for kind, _ in probes], ask(base, [probe for _, probe in probes], usual), strict=True
        )
    ]
    rerankers = dict.fromkeys(each.found.reranker for each in asked)
    parts = {name: [each for each in asked if each.found.reranker == name] for name in rerankers}
    made = [_made(part, embedder, name, usual, day) for name, part in parts.items() if _is_enough(part)]
    if not made:
        raise CalibrationError(
            f"A calibration needs {LEAST} questions that can be answered and as many that cannot; with questions to two"
            " bases, or with the documents that hold the answers, there are more of these."
        )
    return made


def _cosines(questions: Sequence[Question], ask: Ask) -> Mapping[str, Sequence[Cosines]]:
    """The cosines of the questions that can be answered, by base."""
    own: dict[str, list[Probe]] = {}
    for each in questions:
        if each.answerable:
            own.setdefault(each.knowledge_base, []).append(Probe(each.text))
    return {base: [one.cosines for one in ask(base, probes, None) if one.cosines] for base, probes in own.items()}


def _usual(found: Sequence[Cosines]) -> Cosines:
    if not found:
        raise CalibrationError(
            "The search finds less than 30 passages: ingest the documents that the questions ask of."
        )
    usual = Cosines(fmean(each.best for each in found), fmean(each.distant for each in found))
    if usual.best - usual.distant < LEAST_APART:
        raise CalibrationError("The embedder finds the best passages no nearer than distant ones; look at its vectors.")
    return usual


def _probes(questions: Sequence[Question]) -> Mapping[str, list[tuple[str, Probe]]]:
    """What is asked of each base, with its kind: `own`, `removed` or `foreign`."""
    found: dict[str, list[tuple[str, Probe]]] = {}
    for base in dict.fromkeys(each.knowledge_base for each in questions):
        own = [each for each in questions if each.knowledge_base == base]
        others = (each for each in questions if each.knowledge_base != base and each.answerable)
        found[base] = [
            *(("own", Probe(each.text)) for each in own if each.answerable),
            *(("removed", Probe(each.text, each.holding)) for each in own if each.holding or not each.answerable),
            *(("foreign", Probe(each.text)) for each in islice(others, FOREIGN)),
        ]
    return found


def _is_enough(asked: Sequence[Asked]) -> bool:
    own = sum(each.kind == "own" for each in asked)
    return min(own, len(asked) - own) >= LEAST


def _made(asked: Sequence[Asked], embedder: str, reranker: str, usual: Cosines, day: str) -> Made:
    halves = asked[::2], asked[1::2]
    scored = []
    for half, other in (halves, halves[::-1]):
        fitted = _fitted(other, embedder, reranker, usual, day)
        for each in half:
            label = Label.ANSWERABLE if each.kind == "own" else Label.UNANSWERABLE
            scored.append(Scored(label, quality_of(each.found.signals, fitted)))
    return Made(_fitted(asked, embedder, reranker, usual, day), scored)


def _fitted(asked: Sequence[Asked], embedder: str, reranker: str, usual: Cosines, day: str) -> Calibration:
    def of(kind: str) -> list[Features]:
        return [each.found.signals for each in asked if each.kind == kind]

    found = fit([Observed(rows_of(of("own")), rows_of(of("removed")), rows_of(of("foreign")))])
    return Calibration(
        embedder=embedder,
        reranker=reranker,
        standards=found.standards,
        constant=found.constant,
        slope=found.slope,
        cosines=usual if reranker == LOCAL else None,
        questions=len(asked),
        made=day,
    )
