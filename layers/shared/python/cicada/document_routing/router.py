"""The document router: from a question to the documents in which it is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.document_routing.scoring import DocumentSignals, RoutedDocument, ambiguity_of, feedback_of, gathered, scored
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import DocumentKey, PassageFilter
from cicada.errors import CicadaError, ConfigurationError, DependencyError
from cicada.knowledge_bases.settings import RouteFormula, RouteMode
from cicada.languages.terms import query_terms
from cicada.observability.telemetry import ignore, phase
from cicada.retrieval.model import Candidate, CardQuery, EncodedQuery, IndexHits, IndexQuery, Routed
from cicada.retrieval.ports import CataloguedIndex, DocumentCatalogue, PassageIndex


class Routing(Struct, frozen=True):
    """All documents that were found, best first. `ambiguity`: 0 to 1, how close the first ones are to each other.

    `path` names the steps taken.
    """

    documents: tuple[RoutedDocument, ...]
    ambiguity: float
    path: tuple[str, ...] = ()

    def first(self, limit: int) -> frozenset[str]:
        """The ids of the best `limit` documents, to filter a search by."""
        return frozenset(each.document.document_id for each in self.documents[:limit])


class CardRanker(Protocol):
    """Puts documents into order by their cards, which is all that it sees of them."""

    def rank(self, question: str, rows: Sequence[DocumentRow]) -> tuple[str, ...]:
        """The ids of those documents that the question is about, best first; the others are left out.

        Empty if the model said nothing of use. Failures are `DependencyError`s or a `ConfigurationError`.
        """
        ...


def ranked_by(
    documents: Sequence[RoutedDocument], order: Sequence[str], shown: Sequence[DocumentRow]
) -> tuple[RoutedDocument, ...]:
    """First what the model named of the documents that it was shown, in its order; then all others in theirs."""
    by_id = {each.document.document_id: each for each in documents}
    known = {row.document.document_id for row in shown}
    named = dict.fromkeys(each for each in order if each in known)
    rest = (each for document_id, each in by_id.items() if document_id not in named)
    return (*(by_id[each] for each in named), *rest)


# The ambiguity at which the balanced mode asks a model: the first is less than 1.4 standard deviations ahead.
AMBIGUOUS = 0.5


class DocumentRouter(Struct, frozen=True):
    """`cards`: hits taken from each retriever of cards. `depth`: documents, best first, that feedback looks at.

    `formula`: see `scoring`. `mode`: whether `ranker` ranks the best `asked` documents: never, if the scores are
    ambiguous, or always. If it fails, the order of the scores stays, and `report` is called.
    """

    index: CataloguedIndex
    cards: int = 50
    depth: int = 50
    mode: RouteMode = "fast"
    ranker: CardRanker | None = None
    asked: int = 30
    report: Callable[[CicadaError], object] = ignore
    formula: RouteFormula = "ranks"

    def route(
        self, query: EncodedQuery, concepts: Iterable[str], filter: PassageFilter, candidates: Sequence[Candidate]
    ) -> Routing:
        """All documents of which the cards or the given passages match, best first.

        `concepts`: the plan's key concepts; without any, the question's own words. `candidates`: all fused candidates
        of the search over the same filter, possibly none. Failures of the index are `DependencyError`s.
        """
        hits = self.index.find_cards(CardQuery(filter, query.text, query.vector, self.cards))
        found = self._with_feedback(query, gathered(hits, candidates))
        found, rows = self._with_rows(filter, found)
        documents = scored(found, tuple(concepts) or query_terms(query.text), self.formula)
        routing = Routing(documents, ambiguity_of(documents))
        is_unclear = self.mode == "balanced" and routing.ambiguity >= AMBIGUOUS
        return self._by_model(query.text, routing, rows) if is_unclear or self.mode == "precise" else routing

    def _with_feedback(self, query: EncodedQuery, found: list[DocumentSignals]) -> list[DocumentSignals]:
        """The signals with feedback from the best passage of the best document."""
        best = _best_by_passages(found, self.depth)
        if not best:
            return found
        ids = [found[place].passages[0].passage.passage_id for place in best]
        kept = self.index.vectors_of(found[best[0]].document.base_key, ids)
        vectors = [kept.get(each) for each in ids]
        values = dict(zip(best, feedback_of(query.vector, vectors), strict=True))
        return [replace(each, feedback=values.get(place)) for place, each in enumerate(found)]

    def _with_rows(
        self, filter: PassageFilter, found: list[DocumentSignals]
    ) -> tuple[list[DocumentSignals], dict[DocumentKey, DocumentRow]]:
        """The rows of the best documents that only their passages found, too: their cards have topics and edges."""
        missing = [found[place] for place in _best_by_passages(found, self.depth) if found[place].row is None]
        ids = frozenset(each.document.document_id for each in missing)
        page = self.index.rows(replace(filter, document_ids=ids), Sort(TITLE), len(ids)).rows if ids else ()
        read = {row.document: row for row in page}
        found = [replace(each, row=each.row or read.get(each.document)) for each in found]
        return found, {each.document: each.row for each in found if each.row}

    def _by_model(self, question: str, routing: Routing, rows: dict[DocumentKey, DocumentRow]) -> Routing:
        shown = [rows[each.document] for each in routing.documents if each.document in rows][: self.asked]
        if self.ranker is None or len(shown) < 2:
            return routing
        try:
            order = self.ranker.rank(question, shown)
        except (DependencyError, ConfigurationError) as error:
            self.report(error)
            return replace(routing, path=(*routing.path, "route:model_failed"))
        documents = ranked_by(routing.documents, order, shown)
        return replace(routing, documents=documents, path=(*routing.path, "route:model"))


def _best_by_passages(found: Sequence[DocumentSignals], limit: int) -> list[int]:
    """The places of the documents with the best passages, best first."""
    scores = [(each.passage_score, place) for place, each in enumerate(found) if each.passage_score is not None]
    return [place for _, place in sorted(scores, key=lambda each: -each[0])[:limit]]


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
