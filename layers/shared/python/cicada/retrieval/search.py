"""A search of a knowledge base by its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.circuit_breaker import CircuitBreaker
from cicada.deadline import Deadline, ending_by
from cicada.documents.model import PassageFilter
from cicada.errors import CicadaError, ConfigurationError, DependencyError
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.languages.terms import has_words, is_in
from cicada.observability.telemetry import ignore
from cicada.retrieval.model import Retrieval
from cicada.retrieval.ports import QueryFormulator, Strategy
from cicada.retrieval.strategies import DEFAULT

BELOW_THRESHOLD = "below_threshold"
"""The step of a search whose matches are all less relevant than the base's threshold."""


class GuardedStrategy(Struct, frozen=True):
    """`breaker` is shared by all searches of a container. Together the calls of one search take at most `seconds`."""

    strategy: Strategy
    breaker: CircuitBreaker
    seconds: float
    clock: Callable[[], float]

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        with self.breaker.guarding(), ending_by(Deadline.in_seconds(self.seconds, self.clock)):
            return self.strategy.retrieve(text, filter, concepts)


class KnowledgeSearch(Struct, frozen=True):
    """Searches each knowledge base by its settings. `report` is called when a query could not be formulated."""

    strategies: Mapping[str, Callable[[KnowledgeBase], Strategy]]
    bases: KnowledgeBases = field(default_factory=KnowledgeBases)
    formulator: QueryFormulator | None = None
    report: Callable[[CicadaError], object] = ignore

    def search(
        self, text: str, filter: PassageFilter, strategy: str = DEFAULT, concepts: Sequence[str] = ()
    ) -> Retrieval:
        """Search the filter's knowledge base. `concepts`: the plan's key concepts, to find documents by.

        Failures are `DependencyError`s, never an empty result.
        """
        base = self.bases.of(filter.base_key)
        query, formulated = self._query(text, base)
        found = self.strategies[strategy](base).retrieve(query, filter, concepts)
        return replace(found, path=("retrieve", *formulated, *found.path, *_outcome(found)))

    def _query(self, text: str, base: KnowledgeBase) -> tuple[str, tuple[str, ...]]:
        """The query in the base's language and the steps taken for it; on failure, the user's own words."""
        language = base.content_language
        if language is None or self.formulator is None or not has_words(text) or is_in(text, language):
            return text, ()
        try:
            return self.formulator.formulate(text, language), (f"query:{language}",)
        except (DependencyError, ConfigurationError) as error:
            self.report(error)
            return text, ("query:own_words",)


def _outcome(retrieval: Retrieval) -> tuple[str, ...]:
    if not retrieval.candidates:
        return ("nothing_found",)
    reranked = () if retrieval.ranking.by == "fusion" else (f"rerank:{retrieval.ranking.by}",)
    return reranked if retrieval.passages else (*reranked, BELOW_THRESHOLD)
