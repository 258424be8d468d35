"""From the evidence of documents to their scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from cicada.document_routing.model import DocumentEvidence, RoutedDocument
from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import DocumentKey
from cicada.languages.terms import STOP_WORDS, words
from cicada.retrieval.fusion import retriever_scales, scale
from cicada.retrieval.model import Candidate, CardHits, Vector
from cicada.retrieval.rerank.scores import Calibration, Signals, dot, retriever_scores

# 0 would be the best passage alone.
TEMPERATURE = 2.0


def gathered(cards: CardHits, candidates: Sequence[Candidate]) -> list[DocumentEvidence]:
    """One for each document that any retriever found, in order of document id."""
    words = {hit.row.document: hit.score for hit in cards.lexical}
    vectors = {hit.row.document: hit.score for hit in cards.semantic}
    rows = {hit.row.document: hit.row for hit in (*cards.lexical, *cards.semantic)}
    passages = _by_document(candidates)
    scores = {
        each.passage.passage_id: score for each, score in zip(candidates, retriever_scores(candidates), strict=True)
    }
    return [
        DocumentEvidence(
            document,
            rows.get(document),
            words.get(document),
            vectors.get(document),
            tuple(passages.get(document, ())),
            together([scores[each.passage.passage_id] for each in passages.get(document, ())]),
        )
        for document in sorted(rows.keys() | passages.keys(), key=lambda document: document.document_id)
    ]


def together(scores: Sequence[float]) -> float | None:
    """T · ln Σ exp(score / T): the best passage decides, and further good ones add to it. None without passages.

    A score is the sum of both retrievers' z-scores.
    """
    if not scores:
        return None
    best = max(scores)
    return best + TEMPERATURE * math.log(math.fsum(math.exp((each - best) / TEMPERATURE) for each in scores))


def neighbours(rows: Sequence[DocumentRow | None]) -> Mapping[str, Mapping[str, float]]:
    """The edges among these documents: for each id its neighbours' ids with the weight.

    An edge counts in both directions, so that a new document, which no other names yet, is at no disadvantage. Edges to
    other documents, or to those that are gone, are left out.
    """
    cards = {row.document.document_id: row.card for row in rows if row and row.card}
    known = {row.document.document_id for row in rows if row}
    found: dict[str, dict[str, float]] = {}
    for name, card in cards.items():
        for edge in card.related:
            if edge.document_id in known and edge.document_id != name:
                _widen(found, name, edge.document_id, edge.weight)
                _widen(found, edge.document_id, name, edge.weight)
    return found


def _by_document(candidates: Sequence[Candidate]) -> Mapping[DocumentKey, list[Candidate]]:
    found: dict[DocumentKey, list[Candidate]] = {}
    for each in candidates:
        found.setdefault(each.passage.document, []).append(each)
    return found


def _widen(edges: dict[str, dict[str, float]], one: str, other: str, weight: float) -> None:
    known = edges.setdefault(one, {})
    known[other] = max(weight, known.get(other, 0.0))


# The documents whose neighbours are boosted: as many as are routed to by default.
LEADERS = 15
# `python -m tools.fitting.document_scores` fits it again.
CALIBRATION = Calibration(-7.85, 0.312, 5.84, 18.6)

Edges = Mapping[str, Mapping[str, float]]


class Weights(Struct, frozen=True):
    """The weights of z-scores, and of `concepts` and `graph`, whose signals are 0 to 1.

    Cards weigh little beside passages, because a card says in other words what the passages say. `alone`: what
    they are multiplied with where no passage was found.
    """

    passages: float = 1.0
    feedback: float = 1.5
    card_words: float = 0.25
    card_vector: float = 0.375
    concepts: float = 1.0
    graph: float = 1.0
    alone: float = 4.0


WEIGHTS = Weights()


def scored(
    found: Sequence[DocumentEvidence], concepts: Iterable[str], weights: Weights = WEIGHTS
) -> tuple[RoutedDocument, ...]:
    """All documents, best first, ties in order of document id."""
    signals = signals_of(found, concepts, weights)
    values = fused_scores(found, signals, weights)
    order = sorted(range(len(found)), key=lambda place: -values[place])
    scores = CALIBRATION.relevances([Signals(values[place], nearness(signals[place])) for place in order], len(found))
    return tuple(
        RoutedDocument(found[place].document, score, {**signals[place], "fused": values[place]})
        for place, score in zip(order, scores, strict=True)
    )


def signals_of(
    found: Sequence[DocumentEvidence], concepts: Iterable[str], weights: Weights = WEIGHTS
) -> list[dict[str, float]]:
    """The signals of each document, as far as they found it; `graph` is a boost that rests on the others."""
    wanted = words_of(concepts)
    signals = [_own_signals(each, wanted) for each in found]
    boosts = graph_boosts(
        [each.document.document_id for each in found],
        without_graph(found, signals, weights),
        neighbours([each.row for each in found]),
    )
    return [{**each, **({"graph": boost} if boost else {})} for each, boost in zip(signals, boosts, strict=True)]


def fused_scores(
    found: Sequence[DocumentEvidence], signals: Sequence[Mapping[str, float]], weights: Weights = WEIGHTS
) -> list[float]:
    """The weighted sum of all signals; comparable only among the documents of one question."""
    own = without_graph(found, signals, weights)
    return [score + weights.graph * each.get("graph", 0.0) for score, each in zip(own, signals, strict=True)]


def without_graph(
    found: Sequence[DocumentEvidence], signals: Sequence[Mapping[str, float]], weights: Weights = WEIGHTS
) -> list[float]:
    """The weighted sum of the documents' own signals. A signal that did not find a document counts as its lowest."""
    lexical, semantic = retriever_scales(
        [each.card_words for each in found if each.card_words is not None],
        [each.card_vector for each in found if each.card_vector is not None],
    )
    feedback = scale([each.feedback for each in found if each.feedback is not None])
    cards = 1.0 if any("passages" in each for each in signals) else weights.alone
    lowest = min((each["passages"] for each in signals if "passages" in each), default=0.0)
    return [
        weights.passages * own.get("passages", lowest)
        + cards * weights.card_words * lexical.z(each.card_words)
        + cards * weights.card_vector * semantic.z(each.card_vector)
        + weights.feedback * feedback.z(each.feedback)
        + weights.concepts * own.get("concepts", 0.0)
        for each, own in zip(found, signals, strict=True)
    ]


def feedback_of(query: Vector, vectors: Sequence[Vector | None]) -> list[float | None]:
    """How near each vector is to the question moved half-way to the first one, which is taken as relevant.

    Source: Rocchio, Relevance feedback in information retrieval, 1971. None without a vector.
    """
    first = vectors[0] if vectors else None
    if first is None:
        return [None] * len(vectors)
    moved = [a + b for a, b in zip(query, first, strict=True)]
    length = math.hypot(*moved) or 1.0
    return [None if vector is None else dot(moved, vector) / length for vector in vectors]


def graph_boosts(ids: Sequence[str], scores: Sequence[float], edges: Edges) -> list[float]:
    """A boost of 0 to 1 for each document: the best of its edges to a leading document, weight times that one's score.

    The scores are mapped to 0 to 1 for it. Without edges among the documents all boosts are 0.
    """
    if not edges:
        return [0.0] * len(ids)
    lowest, highest = min(scores), max(scores)
    span = (highest - lowest) or 1.0
    leading = sorted(zip(ids, scores, strict=True), key=lambda each: -each[1])[:LEADERS]
    strength = {name: (score - lowest) / span for name, score in leading}
    return [
        max((weight * strength.get(other, 0.0) for other, weight in edges.get(name, {}).items()), default=0.0)
        for name in ids
    ]


def overlap(wanted: frozenset[str], card: Card) -> float:
    """The Jaccard similarity of words with those of the card's topic tags and topic paths."""
    known = words_of((*card.topic_tags, *card.topic_paths))
    return len(wanted & known) / len(wanted | known) if wanted and known else 0.0


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Their words in lower case, without stop words."""
    return frozenset(words("\n".join(texts))) - STOP_WORDS


def _own_signals(each: DocumentEvidence, wanted: frozenset[str]) -> dict[str, float]:
    signals = {
        "card_words": each.card_words,
        "card_vector": each.card_vector,
        "concepts": overlap(wanted, each.row.card) if each.row and each.row.card else None,
        "passage_words": _best(candidate.lexical for candidate in each.passages),
        "passage_vector": _best(candidate.semantic for candidate in each.passages),
        "passages": each.passage_score,
        "feedback": each.feedback,
    }
    return {name: value for name, value in signals.items() if value is not None}


def _best(values: Iterable[float | None]) -> float | None:
    return max((each for each in values if each is not None), default=None)


def nearness(signals: Mapping[str, float]) -> float:
    """The highest cosine of the question to the card or a passage."""
    return max(signals.get("passage_vector", 0.0), signals.get("card_vector", 0.0))
