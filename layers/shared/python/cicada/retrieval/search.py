"""Find the passages for a question."""

from __future__ import annotations

from dataclasses import dataclass

from cicada.retrieval.fusion import reciprocal_rank_fusion
from cicada.retrieval.model import IndexQuery, PassageFilter, RankedPassage
from cicada.retrieval.ports import Embedder, PassageIndex


@dataclass(frozen=True, slots=True)
class Retriever:
    """`pool`: hits taken from each lane. `limit`: passages returned."""

    index: PassageIndex
    embedder: Embedder
    pool: int = 100
    limit: int = 10

    def search(self, text: str, filter: PassageFilter) -> tuple[RankedPassage, ...]:
        """The best passages for `text`, best first; empty only if nothing matches. Failures are `DependencyError`s."""
        vector = self.embedder.embed_query(text)
        lanes = self.index.search(IndexQuery(filter, text, vector, self.pool))
        return reciprocal_rank_fusion(lanes, self.limit)
