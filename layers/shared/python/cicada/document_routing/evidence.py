"""Joins the cards and the passages that were found into the evidence of each document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from cicada.document_routing.model import DocumentEvidence
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey
from cicada.retrieval.model import Candidate, CardHits
from cicada.retrieval.rerank.scores import retriever_scores

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
