"""The order and scores of documents by what was found of them, and how sure the first place is."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import DocumentKey
from cicada.knowledge_bases.settings import RouteFormula
from cicada.languages.terms import STOP_WORDS, words
from cicada.retrieval.fusion import retriever_scales
from cicada.retrieval.model import Candidate, CardHits, Vector
from cicada.retrieval.rerank.local import RelevanceMap, Signals, dot, retriever_scores

# Reciprocal ranks with k = 10 and these weights; docs/document_routing.md compares others on sources left out.
RANK_K = 10
RANKED: Mapping[str, float] = {"passage_words": 1.0, "passage_vector": 1.0, "feedback": 1.0, "card": 0.25}
# The first proposal for a router: BM25 of the card, overlap of topics, boost by neighbours.
CARD_WORDS, CONCEPTS, GRAPH = 0.5, 0.3, 0.2
# The documents whose neighbours are boosted: as many as are routed to by default.
LEADERS = 15
# `python -m tools.fitting.document_scores` fits it again.
RELEVANCE_MAP = RelevanceMap(-12.7, 8.76, 8.09, 0.978)


class DocumentSignals(Struct, frozen=True):
    """The signals of one document: what each retriever found of it. `row`: None where only its passages were found.

    `card_words` (BM25) and `card_vector` (cosine): None where the retriever did not find the card.
    `passages`: its candidates, best first. `passage_score`: the best one's sum of both retrievers' z-scores, or None.
    `feedback`: see `feedback_of`; None if it was not computed.
    """

    document: DocumentKey
    row: DocumentRow | None = None
    card_words: float | None = None
    card_vector: float | None = None
    passages: tuple[Candidate, ...] = ()
    passage_score: float | None = None
    feedback: float | None = None


class RoutedDocument(Struct, frozen=True):
    """`score`: 0 to 1, comparable between bases of any size. `signals`: what it is made of, by name.

    A signal that did not find the document is not among them. Each signal alone ranks documents, highest first; `fused`
    is what they were ordered by, which is comparable among the documents of one question only.
    """

    document: DocumentKey
    score: float
    signals: Mapping[str, float]


def gathered(cards: CardHits, candidates: Sequence[Candidate]) -> list[DocumentSignals]:
    """One for each document that any retriever found, in order of document id."""
    words = {hit.row.document: hit.score for hit in cards.lexical}
    vectors = {hit.row.document: hit.score for hit in cards.semantic}
    rows = {hit.row.document: hit.row for hit in (*cards.lexical, *cards.semantic)}
    passages: dict[DocumentKey, list[tuple[float, Candidate]]] = defaultdict(list)
    for each, score in zip(candidates, retriever_scores(candidates), strict=True):
        passages[each.passage.document].append((score, each))
    return [
        DocumentSignals(
            document,
            rows.get(document),
            words.get(document),
            vectors.get(document),
            tuple(candidate for _, candidate in passages.get(document, ())),
            max((score for score, _ in passages.get(document, ())), default=None),
        )
        for document in sorted(rows.keys() | passages.keys(), key=lambda document: document.document_id)
    ]


def scored(
    found: Sequence[DocumentSignals], concepts: Iterable[str] = (), formula: RouteFormula = "ranks"
) -> tuple[RoutedDocument, ...]:
    """All documents by this formula, best first, ties in order of document id.

    Scores of `ranks` are comparable between bases of any size; those of `cards` among the documents of one question.
    """
    signals = _signals(found, words_of(concepts))
    fused = _FORMULAS[formula](found, signals)
    order = sorted(range(len(found)), key=lambda place: -fused[place])
    if formula == "cards":
        scores = [fused[place] for place in order]
    else:
        seen = [Signals(fused[place], nearness(signals[place])) for place in order]
        scores = RELEVANCE_MAP.relevances(seen, len(found))
    return tuple(
        RoutedDocument(found[place].document, score, {**signals[place], "fused": fused[place]})
        for place, score in zip(order, scores, strict=True)
    )


def ambiguity_of(documents: Sequence[RoutedDocument]) -> float:
    """exp(-d / 2), d the distance in standard deviations of the first two documents' best passages.

    1 if they are equal, or nothing was found; near 0 if the first is far ahead, or the only one. Without passages, d is
    the distance of the fused scores. docs/document_routing.md compares measures of it.
    """
    if len(documents) < 2:
        return 0.0 if documents else 1.0
    signal = "passages" if all("passages" in each.signals for each in documents[:2]) else "fused"
    first, second = (each.signals[signal] for each in documents[:2])
    return math.exp(-max(0.0, first - second) / 2)


def by_ranks(found: Sequence[DocumentSignals], signals: Sequence[Mapping[str, float]]) -> list[float]:
    """The weighted sum of 1 / (10 + rank) over the signals, 1 for a document that is first by all of them.

    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009.
    """
    fused = [0.0] * len(found)
    for name, weight in RANKED.items():
        ranked = sorted((-own[name], place) for place, own in enumerate(signals) if name in own)
        for rank, (_, place) in enumerate(ranked, start=1):
            fused[place] += weight * (RANK_K + 1) / (RANK_K + rank) / sum(RANKED.values())
    return fused


def by_cards(found: Sequence[DocumentSignals], signals: Sequence[Mapping[str, float]]) -> list[float]:
    """0.5 · BM25 of the card + 0.3 · overlap of concepts + 0.2 · boost by neighbours, each 0 to 1."""
    scores = _to_one([own.get("card_words", 0.0) for own in signals])
    own = [
        CARD_WORDS * score + CONCEPTS * each.get("concepts", 0.0) for score, each in zip(scores, signals, strict=True)
    ]
    boosts = graph_boosts([each.document.document_id for each in found], own, neighbours([each.row for each in found]))
    return [score + GRAPH * boost for score, boost in zip(own, boosts, strict=True)]


_FORMULAS: Mapping[RouteFormula, Callable[..., list[float]]] = {"ranks": by_ranks, "cards": by_cards}


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


def neighbours(rows: Sequence[DocumentRow | None]) -> Mapping[str, Mapping[str, float]]:
    """The edges among these documents: for each id its neighbours' ids with the weight.

    An edge counts in both directions, so that a new document, which no other names yet, is at no disadvantage. Edges to
    other documents, or to those that are gone, are left out.
    """
    cards = {row.document.document_id: row.card for row in rows if row}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for name, card in cards.items():
        for edge in card.related if card else ():
            if edge.document_id in cards and edge.document_id != name:
                for one, other in ((name, edge.document_id), (edge.document_id, name)):
                    found[one][other] = max(edge.weight, found[one].get(other, 0.0))
    return found


def graph_boosts(ids: Sequence[str], scores: Sequence[float], edges: Mapping[str, Mapping[str, float]]) -> list[float]:
    """A boost of 0 to 1 for each document: the best of its edges to a leading document, weight times that one's score.

    The scores are mapped to 0 to 1 for it.
    """
    leading = sorted(zip(ids, _to_one(scores), strict=True), key=lambda each: -each[1])[:LEADERS]
    strength = dict(leading)
    return [
        max((weight * strength.get(other, 0.0) for other, weight in edges.get(name, {}).items()), default=0.0)
        for name in ids
    ]


def overlap(wanted: frozenset[str], card: Card) -> float:
    """The Jaccard similarity of words with those of the card's topic tags and topic paths."""
    known = words_of((*card.topic_tags, *card.topic_paths))
    return len(wanted & known) / len(wanted | known) if wanted and known else 0.0


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The texts' words in lower case, without stop words."""
    return frozenset(words("\n".join(texts))) - STOP_WORDS


def nearness(signals: Mapping[str, float]) -> float:
    """The highest cosine of the question to the card or a passage."""
    return max(signals.get("passage_vector", 0.0), signals.get("card_vector", 0.0))


def _signals(found: Sequence[DocumentSignals], wanted: frozenset[str]) -> list[dict[str, float]]:
    """The signals of each document, as far as they found it. `card`: the sum of both z-scores of its card."""
    lexical, semantic = retriever_scales(
        [each.card_words for each in found if each.card_words is not None],
        [each.card_vector for each in found if each.card_vector is not None],
    )
    signals = []
    for each in found:
        has_card = each.card_words is not None or each.card_vector is not None
        own = {
            "card_words": each.card_words,
            "card_vector": each.card_vector,
            "card": lexical.z(each.card_words) + semantic.z(each.card_vector) if has_card else None,
            "concepts": overlap(wanted, each.row.card) if each.row and each.row.card else None,
            "passage_words": _best(candidate.lexical for candidate in each.passages),
            "passage_vector": _best(candidate.semantic for candidate in each.passages),
            "passages": each.passage_score,
            "feedback": each.feedback,
        }
        signals.append({name: value for name, value in own.items() if value is not None})
    return signals


def _best(values: Iterable[float | None]) -> float | None:
    return max((each for each in values if each is not None), default=None)


def _to_one(scores: Sequence[float]) -> list[float]:
    """The scores mapped to 0 to 1 by the lowest and the highest."""
    lowest, span = min(scores, default=0.0), (max(scores, default=0.0) - min(scores, default=0.0)) or 1.0
    return [(score - lowest) / span for score in scores]
