"""The signals of documents, and what they add up to."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from cicada.document_routing.scoring import (
    DocumentSignals,
    RoutedDocument,
    ambiguity_of,
    by_ranks,
    feedback_of,
    gathered,
    graph_boosts,
    neighbours,
    overlap,
    scored,
)
from cicada.documents.catalogue import Card, CardSection, DocumentRow, Related
from cicada.retrieval.model import CardHit, CardHits
from tests.unit.document_routing.documents import Written, candidates, index_of, key


def row(document_id: str, related: dict[str, float] | None = None) -> DocumentRow:
    edges = tuple(Related(name, weight) for name, weight in (related or {}).items())
    return DocumentRow(key(document_id), document_id, "1", 1, 0.0, card=Card(document_id, related=edges))


def by_words(scores: dict[str, float], related: dict[str, dict[str, float]] | None = None) -> list[DocumentSignals]:
    return [DocumentSignals(key(name), row(name, (related or {}).get(name)), value) for name, value in scores.items()]


def order(found: list[DocumentSignals]) -> list[str]:
    return [each.document.document_id for each in scored(found, (), "cards")]


def test_cards_and_passages_of_a_document_are_joined() -> None:
    index = index_of({"a": Written("", (), ("one two", "two three")), "b": Written("", (), ("four",))})
    hits = CardHits((CardHit(row("b"), 3.0),), (CardHit(row("b"), 0.5), CardHit(row("c"), 0.4)))
    found = gathered(hits, candidates(index, "two"))
    assert [(each.document.document_id, each.card_words, each.card_vector) for each in found] == [
        ("a", None, None), ("b", 3.0, 0.5), ("c", None, 0.4),
    ]  # fmt: skip
    assert [sorted(each.passage.passage_id for each in one.passages) for one in found] == [
        ["a#000000", "a#000001"],
        ["b#000000"],
        [],
    ]
    assert found[2].passage_score is None


def test_ranks_are_fused_by_weight_and_a_missing_signal_adds_nothing() -> None:
    found = by_words({"a": 1.0, "b": 1.0, "c": 1.0})
    signals = [{"passage_words": 9.0, "passage_vector": 0.9, "feedback": 0.9, "card": 2.0}, {"passage_words": 5.0}, {}]
    assert by_ranks(found, signals) == [pytest.approx(1.0), pytest.approx(11 / 12 / 3.25), 0.0]


def test_the_formula_of_cards_adds_words_topics_and_neighbours() -> None:
    best, tagged, near = row("best"), row("tagged"), row("near", {"best": 0.5})
    assert tagged.card
    tagged = replace(tagged, card=replace(tagged.card, topic_tags=("rent",)))
    words = {"best": (best, 9.0), "tagged": (tagged, 1.0), "near": (near, 1.0), "plain": (None, 1.0)}
    found = [DocumentSignals(key(name), each, score) for name, (each, score) in words.items()]
    scores = {each.document.document_id: each.score for each in scored(found, ("rent",), "cards")}
    assert scores == {
        "best": pytest.approx(0.5 + 0.2 * 0.5 * 0.0),
        "tagged": pytest.approx(0.3),
        "near": pytest.approx(0.2 * 0.5),
        "plain": pytest.approx(0.0),
    }


def test_a_document_whose_passages_were_not_found_counts_as_one_with_the_worst() -> None:
    index = index_of({"good": Written("", (), ("one one",)), "poor": Written("", (), ("two",))})
    found = gathered(CardHits((CardHit(row("card"), 1.0),)), candidates(index, "one"))
    assert scored(found)[0].document.document_id == "good"


def test_edges_count_in_both_directions_and_dangling_ones_not_at_all() -> None:
    edges = neighbours([row("old"), row("new", {"old": 0.8, "gone": 1.0, "new": 1.0}), None])
    assert edges == {"new": {"old": 0.8}, "old": {"new": 0.8}}
    both = neighbours([row("a", {"b": 0.6}), row("b", {"a": 0.3})])
    assert both == {"a": {"b": 0.6}, "b": {"a": 0.6}}


def test_a_neighbour_of_the_best_document_is_boosted() -> None:
    scores = {"best": 9.0, "plain": 2.0, "tied": 2.0, "worst": 1.0}
    assert order(by_words(scores)) == ["best", "plain", "tied", "worst"]
    assert order(by_words(scores, {"tied": {"best": 0.5}})) == ["best", "tied", "plain", "worst"]
    assert order(by_words(scores, {"best": {"tied": 0.5}})) == ["best", "tied", "plain", "worst"]


def test_only_leading_documents_boost() -> None:
    ids = [f"{number:02}" for number in range(20)]
    scores = [20.0 - number for number in range(20)]
    boosts = graph_boosts(ids, scores, {"19": {"14": 1.0, "00": 0.1}, "18": {"15": 1.0}})
    assert boosts[19] == pytest.approx(5 / 19)
    assert boosts[18] == 0.0


def test_overlap_is_jaccard_over_tags_and_topic_paths() -> None:
    card = Card("", "", ("Cold chain",), sections=(CardSection("", 0, 0, ("excursions",)),))
    assert overlap(frozenset({"cold", "excursions"}), card) == pytest.approx(2 / 3)
    assert overlap(frozenset(), card) == overlap(frozenset({"cold"}), Card("Cold")) == 0.0


def test_feedback_moves_the_question_towards_the_first_vector() -> None:
    values = feedback_of((1.0, 0.0, 0.0), [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), None])
    assert values == [pytest.approx(1 / math.sqrt(2)), 0.0, None]
    assert feedback_of((1.0,), [None, (1.0,)]) == [None, None]
    assert feedback_of((1.0,), []) == []


def test_scores_are_between_0_and_1_and_fall() -> None:
    found = scored(by_words({"a": 5.0, "b": 3.0, "c": 1.0}))
    values = [each.score for each in found]
    assert values == sorted(values, reverse=True)
    assert all(0 < each < 1 for each in values)


def test_a_score_rises_with_nearness_where_an_order_alone_would_say_nothing() -> None:
    near, far = (scored([DocumentSignals(key("a"), row("a"), 1.0, cosine)]) for cosine in (0.8, 0.1))
    assert near[0].score > far[0].score + 0.3


@pytest.mark.parametrize(
    ("fused", "ambiguity"),
    [((), 1.0), ((4.0,), 0.0), ((4.0, 4.0), 1.0), ((4.0, 0.0, 0.0), math.exp(-2)), ((1.0, 4.0), 1.0)],
)
def test_ambiguity_is_how_close_the_second_document_is(fused: tuple[float, ...], ambiguity: float) -> None:
    documents = [
        RoutedDocument(key(str(number)), 0.5, {"passages": each, "fused": 1.0 - number})
        for number, each in enumerate(fused)
    ]
    assert ambiguity_of(documents) == pytest.approx(ambiguity)
