"""Making a calibration of what a search finds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from cicada.knowledge_bases.calibrations import Cosines
from cicada.retrieval.probing import Found, Probe
from cicada.retrieval.quality import Features, quality_of
from evals.answerability.report import answerable_auroc
from evals.answers_files import Conversation
from evals.calibration import CalibrationError, Question, calibrate, questions_of

STRANGE = Cosines(0.9, 0.8)
FULL = [
    *(Question(f"store {number}", "store", True, (f"s{number}.md",)) for number in range(25)),
    *(Question(f"plays {number}", "scripts", True) for number in range(15)),
    Question("never", "store", False),
]


class Search:
    """Finds strong evidence for a base's own questions while their documents are there; keeps what was asked."""

    def __init__(self, reranker: str = "local", cosines: Cosines | None = STRANGE) -> None:
        self.found = Found(reranker, Features(0.0, 0.1, 1.0, 0.5, None, None), cosines)
        self.asked: list[tuple[str, Probe, Cosines | None]] = []

    def ask(self, base: str, probes: Sequence[Probe], cosines: Cosines | None) -> list[Found]:
        self.asked += [(base, each, cosines) for each in probes]
        return [self._one(base, each, place) for place, each in enumerate(probes)]

    def _one(self, base: str, probe: Probe, place: int) -> Found:
        strong = probe.question.startswith("store" if base == "store" else "plays") and not probe.without
        lexical = 1.0 + place % 3 + (3.0 if strong else 0.0)
        return replace(self.found, signals=self.found.signals._replace(lexical=lexical))


def test_what_is_asked_is_a_bases_own_questions_with_and_without_their_documents_and_those_of_others() -> None:
    search = Search()
    calibrate(FULL, search.ask, "titan", "2026-11-26")
    first = [each for each in search.asked if each[2] is None]
    assert len(first) == 40
    second = [(base, probe) for base, probe, cosines in search.asked if cosines == STRANGE]
    assert len(second) == len(search.asked) - 40
    assert ("store", Probe("store 3", ("s3.md",))) in second
    assert ("store", Probe("plays 3")) in second
    assert ("scripts", Probe("store 3")) in second
    assert [probe for _, probe in second].count(Probe("never")) == 1


def test_a_calibration_tells_what_can_be_answered_apart_by_what_is_usual_on_the_stack() -> None:
    [made] = calibrate(FULL, Search().ask, "titan", "2026-11-26")
    found = made.calibration
    assert (found.embedder, found.reranker, found.made, found.cosines) == ("titan", "local", "2026-11-26", STRANGE)
    assert found.questions == len(made.scored)
    assert answerable_auroc(made.scored) == 1.0
    strong, weak = (quality_of(Features(0.0, 0.1, lexical, 0.5, None, None), found) for lexical in (5.0, 1.0))
    assert strong > 0.7 > 0.5 > weak


def test_a_signal_that_is_always_missing_or_always_the_same_is_left_out() -> None:
    [made] = calibrate(FULL, Search().ask, "titan", "2026-11-26")
    assert set(made.calibration.standards) == {"lexical"}


def test_the_cosines_belong_to_the_local_reranker() -> None:
    [made] = calibrate(FULL, Search("cohere").ask, "titan", "2026-11-26")
    assert (made.calibration.reranker, made.calibration.cosines) == ("cohere", None)


def test_a_base_of_few_passages_is_left_out() -> None:
    search, said = Search(), list[str]()

    def ask(base: str, probes: Sequence[Probe], cosines: Cosines | None) -> list[Found]:
        found = search.ask(base, probes, cosines)
        return found if base == "store" else [replace(each, cosines=None) for each in found]

    calibrate(FULL, ask, "titan", "2026-11-26", said.append)
    assert {base for base, _, cosines in search.asked if cosines} == {"store"}
    assert said == ["scripts has less than 30 passages and is left out."]


@pytest.mark.parametrize(
    ("questions", "search", "said"),
    [
        (FULL[:15], Search(), "needs 20 questions that can be answered and as many that cannot"),
        (FULL, Search(cosines=None), "less than 30 passages"),
        (FULL, Search(cosines=Cosines(0.5, 0.5)), "no nearer than distant ones"),
    ],
)
def test_what_cannot_be_calibrated_says_why(questions: Sequence[Question], search: Search, said: str) -> None:
    with pytest.raises(CalibrationError, match=said):
        calibrate(questions, search.ask, "titan", "2026-11-26")


def first_turn(expect: str) -> list[Question]:
    turns = f'[{{"message": "m", "expect": {expect}}}, {{"message": "and?", "expect": {{"text_any": ["x"]}}}}]'
    row = f'{{"id": "a", "group": "g", "knowledgeBase": "store", "turns": {turns}}}'
    return questions_of([Conversation.model_validate_json(row)])


def test_first_turns_that_passages_answer_are_the_questions() -> None:
    assert first_turn('{"text_any": ["x"], "about": ["b.md", "a.md"]}') == [
        Question("m", "store", True, ("a.md", "b.md"))
    ]
    assert first_turn('{"answered": false}') == [Question("m", "store", False)]
    for other in ('{"total": 3}', '{"listed_exact": []}', '{"asks_back": true}', '{"chat": true}'):
        assert first_turn(other) == []
