"""BM25 and vectors in one request, fused, reranked."""

from __future__ import annotations

from dataclasses import dataclass

from cicada.documents.filter import PassageFilter
from cicada.knowledge_bases.settings import Fusion, KnowledgeBase
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Candidate, EncodedQuery, IndexHits, IndexQuery, RankedPassage, Ranking, Retrieval
from cicada.retrieval.ports import Embedder, MultiVectorEmbedder, PassageIndex, Reranker, SearchBackend
from cicada.telemetry import phase

# Passages that are kept whatever their relevance, to judge the evidence by and to show where nothing is good enough.
NEAREST = 5


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """`candidates`: hits taken from each retriever. `limit`: passages returned.

    Without a reranker the fused order is final.
    `threshold`: less relevant passages are left out. It is comparable between bases only with a reranker.
    """

    index: PassageIndex
    embedder: Embedder
    candidates: int = 100
    limit: int = 10
    fusion: Fusion = "zscore"
    reranker: Reranker | None = None
    threshold: float = 0.0

    def search(self, text: str, filter: PassageFilter) -> tuple[RankedPassage, ...]:
        """The best passages for `text`, best first; empty only if nothing relevant matches.

        Failures are `DependencyError`s.
        """
        return self.retrieve(text, filter).passages

    def retrieve(self, text: str, filter: PassageFilter) -> Retrieval:
        """The same search with all its stages: both retrievers' hits, the fused candidates, the ranking."""
        query = encode_query(self.embedder, text)
        return self.ranked(query, self.index.search(IndexQuery(filter, text, query.vector, self.candidates)))

    def ranked(self, query: EncodedQuery, hits: IndexHits) -> Retrieval:
        """The hits fused and reranked."""
        candidates = fuse(hits, self.fusion)
        with phase("ranking"):
            ranking = self.reranker.rerank(query, candidates) if self.reranker else fused_ranking(candidates)
        best = ranking.best(self.limit, self.threshold)
        return Retrieval(hits, candidates, best, query=query.text, nearest=ranking.passages[:NEAREST])


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
    )


def encode_query(embedder: Embedder, text: str) -> EncodedQuery:
    """The question with its vector and, if the embedder gives one, its multivector."""
    if isinstance(embedder, MultiVectorEmbedder):
        return embedder.encode_query(text)
    return EncodedQuery(text, embedder.embed_query(text))


def fused_ranking(candidates: tuple[Candidate, ...]) -> Ranking:
    """The fused order as the final one."""
    return Ranking(tuple(RankedPassage(each.passage, each.fused) for each in candidates), "fusion")
