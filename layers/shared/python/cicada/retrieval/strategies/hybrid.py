"""Retrieval by words and vectors, fused; with filters and without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import PassageFilter, meets
from cicada.knowledge_bases.settings import Fusion, KnowledgeBase
from cicada.observability.telemetry import phase
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import (
    NEAREST,
    Candidate,
    Cut,
    EncodedQuery,
    Hit,
    IndexHits,
    IndexQuery,
    RankedPassage,
    Ranking,
    Retrieval,
    Routed,
)
from cicada.retrieval.ports import DocumentCatalogue, DocumentRouting, Embedder, PassageIndex, Reranker, SearchBackend

REROUTED = "reroute:all"
"""The step in the path of a search that found nothing in the documents routed to, and then looked into all."""


class HybridSearch(Struct, frozen=True):
    """`candidates`: hits taken from each retriever. `limit`: passages returned.

    Without a reranker the fused order is final.
    `threshold`: less relevant passages are left out. It is comparable between bases only with a reranker.
    `routing` gates softly: all candidates are ranked, and those of other documents are dropped unless nothing is left.
    """

    index: PassageIndex
    embedder: Embedder
    candidates: int = 100
    limit: int = 10
    fusion: Fusion = "zscore"
    reranker: Reranker | None = None
    threshold: float = 0.0
    routing: DocumentRouting | None = None

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        """The retrieval with all its stages: both retrievers' hits, the fused candidates, the ranking.

        Its passages are empty only if nothing relevant matches. Failures are `DependencyError`s.
        """
        query = encode_query(self.embedder, text)
        hits = self.index.search(IndexQuery(filter, text, query.vector, self.candidates))
        return self.ranked(query, filter, hits, concepts)

    def ranked(
        self, query: EncodedQuery, filter: PassageFilter, hits: IndexHits, concepts: Sequence[str] = ()
    ) -> Retrieval:
        """The hits fused and reranked, and of that order the documents that the question is about."""
        candidates = fuse(hits, self.fusion)
        routed = self.routing.routed(query, filter, candidates, concepts) if self.routing else Routed()
        if routed.hits.lexical or routed.hits.semantic:
            hits = joined(hits, routed.hits)
            candidates = fuse(hits, self.fusion)
        with phase("ranking"):
            ranking = self.reranker.rerank(query, candidates) if self.reranker else fused_ranking(candidates)
        cut = Cut(self.limit, self.threshold, routed.document_ids)
        within = cut.within(ranking)
        is_rerouted = routed.document_ids is not None and within is ranking
        path = (*routed.path, REROUTED) if is_rerouted else routed.path
        nearest, ranked = within.passages[:NEAREST], ranking.passages
        return Retrieval(
            hits, candidates, cut.best(within), path, query=query.text, nearest=nearest, ranked=ranked, cut=cut
        )


def hybrid(backend: SearchBackend, base: KnowledgeBase) -> HybridSearch:
    """The search that the base's settings describe."""
    return HybridSearch(
        backend.index,
        backend.embedder,
        base.candidates,
        base.limit,
        base.fusion,
        backend.rerankers[base.rerank],
        base.score_threshold,
        backend.routing(base),
    )


def encode_query(embedder: Embedder, text: str) -> EncodedQuery:
    """The question with its vector."""
    return EncodedQuery(text, embedder.embed_query(text))


def fused_ranking(candidates: tuple[Candidate, ...]) -> Ranking:
    """The fused order as the final one."""
    return Ranking(tuple(RankedPassage(each.passage, each.fused) for each in candidates), "fusion")


def joined(one: IndexHits, other: IndexHits) -> IndexHits:
    """The hits of two searches with the same query in different documents, best first."""
    return IndexHits(_by_score(one.lexical, other.lexical), _by_score(one.semantic, other.semantic))


def _by_score(one: tuple[Hit, ...], other: tuple[Hit, ...]) -> tuple[Hit, ...]:
    return tuple(sorted((*one, *other), key=lambda hit: (-hit.score, hit.passage.passage_id)))


# A search with conditions on metadata, in the order that suits how many documents meet them.
#
# Few matches: the engine filters first, so nothing that matches is missed. Many: the best of the whole base are ranked
# and those that do not match are dropped. Both were measured: docs/decisions/0003-what-was-measured-once.md.

# The first search takes so many times the candidates of a search without conditions; each further one doubles them.
_MORE = 4


class FilteredSearch(Struct, frozen=True):
    """`filter_first`: the most matching documents for which the engine filters before it ranks.

    `most_candidates`: hits taken from each retriever at most to rank first; then the engine filters after all.
    """

    search: HybridSearch
    catalogue: DocumentCatalogue
    filter_first: int = 1000
    most_candidates: int = 3200

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        """The best passages that meet the filter's conditions. Failures are `DependencyError`s.

        Rows of tables meet conditions that no whole document does; then `matching` is not known.
        """
        matching = self.catalogue.count_documents(filter)
        if not matching and (rows := self.search.index.count(filter)):
            found = self.search.retrieve(text, filter, concepts)
            return replace(found, path=(f"filter_first:{rows}", *found.path))
        if not matching:
            return Retrieval(IndexHits((), ()), (), Ranking((), "fusion"), ("filter:0",), matching)
        if matching > self.filter_first:
            query = encode_query(self.search.embedder, text)
            hits = self._ranked_then_filtered(query, filter)
            if hits is not None:
                found = self.search.ranked(query, filter, hits, concepts)
                return replace(found, path=(f"rank_first:{matching}", *found.path), matching=matching)
        found = self.search.retrieve(text, filter, concepts)
        return replace(found, path=(f"filter_first:{matching}", *found.path), matching=matching)

    def _ranked_then_filtered(self, query: EncodedQuery, filter: PassageFilter) -> IndexHits | None:
        """The best hits without the conditions, then those that meet them. None if too few of them do."""
        everything = replace(filter, conditions=())
        candidates = self.search.candidates * _MORE
        while candidates <= self.most_candidates:
            hits = self.search.index.search(IndexQuery(everything, query.text, query.vector, candidates))
            kept = IndexHits(_meeting(hits.lexical, filter), _meeting(hits.semantic, filter))
            if len(kept.semantic) >= self.search.limit or len(hits.semantic) < candidates:
                return IndexHits(kept.lexical[: self.search.candidates], kept.semantic[: self.search.candidates])
            candidates *= 2
        return None


def filtered(backend: SearchBackend, base: KnowledgeBase) -> FilteredSearch:
    """The search that the base's settings describe."""
    return FilteredSearch(hybrid(backend, base), backend.index, base.filter_first)


def _meeting(hits: Iterable[Hit], filter: PassageFilter) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if meets(hit.passage.metadata, filter.conditions))
