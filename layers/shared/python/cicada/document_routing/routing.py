"""Routing as a part of the search: which documents count, and what the search has not found in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.document_routing.router import DocumentRouter
from cicada.documents.model import PassageFilter
from cicada.observability.telemetry import phase
from cicada.retrieval.model import Candidate, EncodedQuery, IndexHits, IndexQuery, Routed
from cicada.retrieval.ports import DocumentCatalogue, PassageIndex

# The number of passages that are looked at of documents that only their cards have found.
_PASSAGES = 20
_MOST_COUNTED = 1000


class BaseSizes(Struct, frozen=True):
    """How many documents viewers may read, counted again after `seconds`. Thread-safe; kept for a container's life.

    The last `_MOST_COUNTED` counts are kept.
    """

    catalogue: DocumentCatalogue
    clock: Callable[[], float]
    seconds: float = 60.0
    _counted: dict[PassageFilter, tuple[float, int]] = field(default_factory=dict)

    def documents(self, filter: PassageFilter) -> int:
        """Count what the filter's viewer may read, perhaps as of a minute ago. Failures are `DependencyError`s."""
        readable, now = filter.readable, self.clock()
        counted_at, documents = self._counted.get(readable, (0.0, -1))
        if documents < 0 or now - counted_at > self.seconds:
            documents = self.catalogue.count_documents(readable)
            if len(self._counted) >= _MOST_COUNTED:
                self._counted.clear()
            self._counted[readable] = (now, documents)
        return documents


class BaseRouting(Struct, frozen=True):
    """A `DocumentRouting`: in a base of more than `above` documents, the `documents` best are routed to."""

    router: DocumentRouter
    index: PassageIndex
    sizes: BaseSizes
    above: int = 20
    documents: int = 15

    def routed(
        self, query: EncodedQuery, filter: PassageFilter, candidates: Sequence[Candidate], concepts: Sequence[str] = ()
    ) -> Routed:
        """See the port."""
        if self.sizes.documents(filter) <= self.above:
            return Routed()
        with phase("routing"):
            routing = self.router.route(query, concepts, filter, candidates)
            chosen = routing.first(self.documents)
            unread = chosen - {each.passage.document.document_id for each in candidates}
            hits = self._hits(query, replace(filter, document_ids=unread)) if unread else IndexHits((), ())
        return Routed(chosen, hits, (f"route:{len(chosen)}/{len(routing.documents)}", *routing.path))

    def _hits(self, query: EncodedQuery, filter: PassageFilter) -> IndexHits:
        return self.index.search(IndexQuery(filter, query.text, query.vector, _PASSAGES))
