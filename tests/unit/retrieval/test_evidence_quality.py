"""The quality of the evidence, signal by signal, and for whatever a search may return."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.knowledge_bases.calibrations import SHIPPED, Calibrations
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Cut, Hit, IndexHits, RankedPassage, Ranking, Retrieval
from cicada.retrieval.quality import WEIGHTS, Features, evidence_quality, features, quality_of, stem, total
from tests.fakes.passages import passage as a_passage

BASE = KnowledgeBaseKey("acme", "docs")
QUESTION = "When was the Brenner Pass closed in 1947?"


def passage(number: int, text: str = "Nothing.", document: str = "d", language: str = "en") -> Passage:
    return a_passage(DocumentKey(BASE, document), number, text, language=language)


def retrieval(
    passages: Sequence[Passage],
    relevances: Sequence[float | None],
    lexical: Sequence[float] = (),
    semantic: Sequence[float] = (),
) -> Retrieval:
    hits = IndexHits(
        tuple(Hit(each, score) for each, score in zip(passages, lexical, strict=False)),
        tuple(Hit(each, score) for each, score in zip(passages, semantic, strict=False)),
    )
    ranked = tuple(RankedPassage(each, value) for each, value in zip(passages, relevances, strict=False))
    return Retrieval(hits, fuse(hits, "zscore"), Ranking(ranked, "local"), nearest=ranked[:5])


def full(text: str = "The Brenner Pass was closed in 1947.", best: float = 0.8, relevance: float = 0.9) -> Retrieval:
    """Forty passages of forty documents; the first has this text, cosine and relevance."""
    passages = [passage(0, text), *(passage(number, document=f"d{number}") for number in range(1, 40))]
    return retrieval(passages, [relevance, *[0.1] * 39], [9.0, *[3.0] * 39], [best, *[0.2] * 39])


def test_a_passage_with_the_words_and_the_name_of_the_question_is_better_evidence() -> None:
    assert evidence_quality(QUESTION, full()) > evidence_quality(QUESTION, full("The Gotthard tunnel was opened."))
    found = features(QUESTION, full())
    assert (found.coverage, found.names) == (1.0, 1.0)
    other = features(QUESTION, full("The pass was closed."))
    assert other.coverage == pytest.approx(2 / 4)
    assert other.names == pytest.approx(1 / 3)


def test_inflected_words_are_the_same_word() -> None:
    assert features("Which passes close?", full("It is closed, the pass.")).coverage == 1.0
    assert [stem(word) for word in ("spring", "speed", "landing", "landed")] == ["spring", "speed", "land", "land"]


def test_the_words_of_the_request_are_not_asked_for() -> None:
    assert features("Please tell me many things about the pass", full("A pass.")).coverage == 1.0


def test_the_relevance_is_that_of_the_first_three_passages_before_the_threshold() -> None:
    found = retrieval([passage(number) for number in range(4)], [0.9, 0.6, 0.3, 0.1], semantic=[0.5] * 4)
    cut = Retrieval(found.hits, found.candidates, Cut(1, 0.5).best(found.ranking), nearest=found.nearest)
    assert features(QUESTION, cut).relevance == pytest.approx(math.log(0.6 / 0.4))


def test_the_margin_is_the_first_cosine_above_the_distant_ones() -> None:
    assert features(QUESTION, full(best=0.8)).margin == pytest.approx(0.6)


def test_the_lexical_signal_is_the_best_score_per_term() -> None:
    assert features("Brenner Pass closed?", full()).lexical == pytest.approx(3.0)


def test_passages_of_one_document_among_many_support_each_other() -> None:
    others = [passage(number, document=f"d{number}") for number in range(5, 40)]
    together = [passage(number, document="d") for number in range(5)] + others
    apart = [passage(number, document=f"d{number}") for number in range(5)] + others
    relevances, cosines = [0.5] * 40, [0.5] * 40
    one = features(QUESTION, retrieval(together, relevances, semantic=cosines)).concentration
    many = features(QUESTION, retrieval(apart, relevances, semantic=cosines)).concentration
    assert one == pytest.approx(1 - 5 / 40)
    assert many == pytest.approx(1 / 5 - 1 / 40)


@pytest.mark.parametrize(("documents", "says"), [(1, False), (4, False), (5, True)])
def test_a_base_of_few_documents_has_no_concentration(documents: int, says: bool) -> None:
    passages = [passage(number, document=f"d{number % documents}") for number in range(40)]
    found = features(QUESTION, retrieval(passages, [0.5] * 40, semantic=[0.5] * 40))
    assert (found.concentration is not None) == says


def test_a_base_of_few_passages_has_neither_margin_nor_concentration() -> None:
    found = features(QUESTION, retrieval([passage(0)], [0.5], [3.0], [0.5]))
    assert (found.margin, found.concentration) == (None, None)


def test_words_do_not_count_between_languages() -> None:
    german = [passage(number, "Der Schlagbaum wurde gesenkt.", language="de") for number in range(5)]
    found = features("When was the barrier lowered?", retrieval(german, [0.9] * 5, [0.0] * 5, [0.7] * 5))
    assert (found.lexical, found.coverage, found.names) == (None, None, None)


def test_words_count_where_the_question_is_in_the_language_of_the_passages() -> None:
    found = features("When was the quark discovered?", full())
    assert found.coverage == 0.0


def test_nothing_found_is_no_evidence() -> None:
    assert evidence_quality(QUESTION, retrieval([], [])) == 0.0


def test_a_signal_counts_at_most_two_deviations() -> None:
    nothing = Features(None, None, None, None, None, None)
    assert total(nothing) == 0
    for name, weight in WEIGHTS.items():
        standard = SHIPPED.standards[name]
        far = standard.mean + 100 * standard.deviation
        assert total(nothing._replace(**{name: far})) == pytest.approx(2 * weight)
        assert total(nothing._replace(**{name: -far * 100})) == pytest.approx(-2 * weight)
        near = standard.mean + standard.deviation
        assert total(nothing._replace(**{name: near})) == pytest.approx(weight)


def test_without_a_calibration_what_an_embedder_says_counts_for_nothing() -> None:
    unknown = Calibrations("another", {}).of("local")
    qualities = {evidence_quality(QUESTION, full(best=best, relevance=best), unknown) for best in (0.3, 0.9)}
    assert len(qualities) == 1
    assert qualities.pop() < evidence_quality(QUESTION, full())


def test_the_same_points_are_a_lower_quality_without_a_calibration() -> None:
    nothing = Features(None, None, None, None, None, None)
    assert quality_of(nothing, Calibrations("another", {}).of("cohere")) < quality_of(nothing, SHIPPED)


SCORES = st.lists(st.floats(-1, 100), max_size=120).map(lambda values: sorted(values, reverse=True))
RELEVANCES = st.lists(st.none() | st.floats(0, 1), max_size=120)


@given(
    question=st.text(max_size=200),
    texts=st.lists(st.text(), max_size=6),
    lexical=SCORES,
    semantic=SCORES,
    relevances=RELEVANCES,
)
def test_the_quality_is_a_probability_whatever_is_found(
    question: str, texts: list[str], lexical: list[float], semantic: list[float], relevances: list[float | None]
) -> None:
    passages = [passage(number, text) for number, text in enumerate([*texts, *["More."] * 120])]
    assert 0 <= evidence_quality(question, retrieval(passages, relevances, lexical, semantic)) <= 1
