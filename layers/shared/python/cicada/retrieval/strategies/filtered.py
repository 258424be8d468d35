"""A search with conditions on metadata, in the order that suits how many documents meet them.

Few matches: the engine filters first, so nothing that matches is missed. Many: the best of the whole base are ranked
and those that do not match are dropped. Both were measured: docs/decisions/0003-what-was-measured-once.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.filter import PassageFilter, meets
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.model import EncodedQuery, Hit, IndexHits, IndexQuery, Ranking, Retrieval
from cicada.retrieval.ports import DocumentCatalogue, SearchBackend
from cicada.retrieval.strategies.hybrid import HybridSearch, encode_query, hybrid

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
        """The best passages that meet the filter's conditions. Failures are `DependencyError`s."""
        matching = self.catalogue.count_documents(filter)
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
