"""Every query of a set through the production search and the production router, with the time of each."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from cicada.document_routing.router import DocumentRouter, Routing
from cicada.document_routing.scoring import RoutedDocument
from cicada.languages.terms import query_terms
from cicada.permissions import every_document
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Candidate, EncodedQuery, IndexHits, IndexQuery
from cicada.retrieval.ports import CataloguedIndex, Embedder, PassageIndex
from cicada.retrieval.strategies.hybrid import HybridSearch, encode_query
from evals.documents.dataset import DocumentSet
from evals.documents.index import BASE
from evals.retrieval.measures import Rankings
from evals.retrieval.standin import Say

_STEP = 100


@dataclass(frozen=True, slots=True)
class Routed:
    """One query: its routing with passages, by cards alone, and by the formula of cards.

    `milliseconds`: of the routing with passages. `search_milliseconds`: of both retrievers and their fusion.
    """

    encoded: EncodedQuery
    candidates: tuple[Candidate, ...]
    routing: Routing
    by_cards: Routing
    by_formula: Routing
    milliseconds: float
    search_milliseconds: float


def route_all(documents: DocumentSet, index: CataloguedIndex, embedder: Embedder, say: Say) -> dict[str, Routed]:
    """The routing of each query, by the query's id."""
    search, router = HybridSearch(index, embedder), DocumentRouter(index)
    encoded = {query.id: encode_query(embedder, query.text) for query in documents.queries}
    _routed(router, search, next(iter(encoded.values())))  # The first search reads the index into memory.
    routed: dict[str, Routed] = {}
    for number, (key, query) in enumerate(encoded.items(), start=1):
        routed[key] = _routed(router, search, query)
        if number % _STEP == 0:
            say(f"  {number:,} of {len(encoded):,} queries routed")
    return routed


def route_again(routed: Mapping[str, Routed], router: DocumentRouter) -> Rankings:
    """Route the same queries by another router."""
    return {key: named(_route(router, each.encoded, each.candidates).documents) for key, each in routed.items()}


def rankings_of(routed: Mapping[str, Routed]) -> dict[str, Rankings]:
    """The order of each signal alone, of the baseline, of the cards together, and of all signals together."""
    names = sorted({name for each in routed.values() for one in each.routing.documents for name in one.signals})
    alone = {name: {key: named(_by(each.routing, name)) for key, each in routed.items()} for name in names}
    return {
        **alone,
        "seed": {key: named(each.by_formula.documents) for key, each in routed.items()},
        "cards": {key: named(each.by_cards.documents) for key, each in routed.items()},
        "fused": {key: named(each.routing.documents) for key, each in routed.items()},
    }


def named(documents: tuple[RoutedDocument, ...] | list[RoutedDocument]) -> list[str]:
    """The ids of the routed documents."""
    return [each.document.document_id for each in documents]


def found(index: PassageIndex, query: EncodedQuery, limit: int) -> IndexHits:
    """The passages that the search finds, without those that stand for a document's missing ones."""
    hits = index.search(IndexQuery(every_document(BASE), query.text, query.vector, limit))
    return IndexHits(hits.lexical, tuple(each for each in hits.semantic if each.passage.text))


def _by(routing: Routing, signal: str) -> list[RoutedDocument]:
    """The documents that the signal found. Ties are in order of document id, as a signal knows no better."""
    documents = [each for each in routing.documents if signal in each.signals]
    return sorted(documents, key=lambda each: (-each.signals[signal], each.document.document_id))


def _routed(router: DocumentRouter, search: HybridSearch, query: EncodedQuery) -> Routed:
    started = time.perf_counter()
    candidates = fuse(found(search.index, query, search.candidates), search.fusion)
    searched = time.perf_counter()
    routing = _route(router, query, candidates)
    ended = time.perf_counter()
    return Routed(
        query,
        candidates,
        routing,
        _route(router, query, ()),
        _route(replace(router, formula="cards"), replace(query, vector=()), ()),
        1000 * (ended - searched),
        1000 * (searched - started),
    )


def _route(router: DocumentRouter, query: EncodedQuery, candidates: tuple[Candidate, ...]) -> Routing:
    return router.route(query, query_terms(query.text), every_document(BASE), candidates)
