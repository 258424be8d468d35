"""The search of a function, with its reranker and its judge."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cicada.adapters.bedrock.embedder import BedrockEmbedder
from cicada.answering.agent_search import PermittedAgentSearch
from cicada.answering.evidence import EvidenceLoop
from cicada.answering.ports import EvidenceJudge, QueryRewriter
from cicada.answering.question_planner import WordRewriter
from cicada.bootstrap.aws import client
from cicada.bootstrap.bases import knowledge_bases
from cicada.bootstrap.index import passage_index
from cicada.circuit_breaker import CircuitBreaker
from cicada.document_routing.router import BaseRouting, BaseSizes, DocumentRouter
from cicada.documents.model import KnowledgeBaseKey
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases, QualityJudge, RerankMode
from cicada.observability.log import (
    report_own_words,
    report_quality_fallback,
    report_rerank_fallback,
    report_route_fallback,
)
from cicada.permissions import PermissionGate
from cicada.retrieval.ports import CataloguedIndex, DocumentRouting, Embedder, Reranker, SearchBackend, Strategy
from cicada.retrieval.rerank.conditional import ConditionalReranker
from cicada.retrieval.rerank.local import RELEVANCE_MAP, LocalReranker, RelevanceMap
from cicada.retrieval.search import GuardedStrategy, KnowledgeSearch
from cicada.retrieval.strategies import strategies
from cicada.settings import SearchSettings

if TYPE_CHECKING:
    from cicada.adapters.bedrock.query_model import BedrockQueryModel


# All calls of one search together: a collection that has scaled to zero needs up to 30 s.
_SEARCH_SECONDS = 45
# One call of a reranking model.
_RERANK_SECONDS = 3


def embedder(settings: SearchSettings) -> Embedder:
    # The embedder retries by itself.
    bedrock = client("bedrock-runtime", read_timeout_seconds=10, attempts=1)
    return BedrockEmbedder(bedrock, settings.embedding_model_id, settings.embedding_dimension)


def agent_search(settings: SearchSettings) -> PermittedAgentSearch:
    """The search of the theories agent's tools."""
    index = passage_index(settings)
    search = knowledge_search(settings, index, knowledge_bases())
    return PermittedAgentSearch(search, PermissionGate(index), index, today=today)


def today() -> str:
    """The day, in UTC as all days are."""
    return datetime.now(UTC).date().isoformat()


def knowledge_search(settings: SearchSettings, index: CataloguedIndex, bases: KnowledgeBases) -> KnowledgeSearch:
    """The search for answers and for agents."""
    breaker = CircuitBreaker(time.monotonic, "search", heeds_configuration=False)

    def relevance(base_key: KnowledgeBaseKey) -> RelevanceMap:
        return RELEVANCE_MAP.with_cosines(bases.of(base_key).calibrations.cosines)

    def guarded(strategy: Callable[[KnowledgeBase], Strategy]) -> Callable[[KnowledgeBase], Strategy]:
        return lambda base: GuardedStrategy(strategy(base), breaker, _SEARCH_SECONDS, time.monotonic)

    return KnowledgeSearch(
        {name: guarded(strategy) for name, strategy in strategies(search_backend(settings, index, relevance)).items()},
        bases,
        query_model(settings),
        report=report_own_words,
    )


def search_backend(
    settings: SearchSettings, index: CataloguedIndex, relevance: Callable[[KnowledgeBaseKey], RelevanceMap]
) -> SearchBackend:
    """The index, the embedder and the rerankers, shared by all strategies and bases."""
    local = LocalReranker(index, relevance=relevance)
    paid = paid_rerankers(settings, local)
    rerankers: dict[RerankMode, Reranker] = {
        "always": paid or local,
        "auto": ConditionalReranker(paid, local) if paid else local,
    }
    return SearchBackend(index, embedder(settings), rerankers, document_routing(settings, index))


def document_routing(settings: SearchSettings, index: CataloguedIndex) -> Callable[[KnowledgeBase], DocumentRouting]:
    """The routing of each base by its settings; with the query model as ranker of cards, if there is one."""
    sizes, ranker = BaseSizes(index, time.monotonic), query_model(settings)

    def of(base: KnowledgeBase) -> DocumentRouting:
        router = DocumentRouter(
            index, mode=base.route_mode, ranker=ranker, report=report_route_fallback, formula=base.route_formula
        )
        return BaseRouting(router, index, sizes, base.route_above, base.route_documents)

    return of


def paid_rerankers(settings: SearchSettings, last: Reranker) -> Reranker | None:
    """Bedrock's reranking models in the order of the settings, then `last`; None if the settings name no model."""
    models = [arn.strip() for arn in settings.rerank_models.split(",") if arn.strip()]
    if not models:
        return None
    # Imported here: most deployments rerank locally and do not need the client.
    from cicada.adapters.bedrock.reranker import BedrockReranker
    from cicada.retrieval.rerank.conditional import FallbackReranker

    bedrock = client("bedrock-agent-runtime", read_timeout_seconds=_RERANK_SECONDS, attempts=1)
    services = [BedrockReranker(bedrock, arn, _vendor(arn)) for arn in models]
    return FallbackReranker(services, last, report_rerank_fallback, time.monotonic)


def query_model(settings: SearchSettings) -> BedrockQueryModel | None:
    """The small model that writes queries, judges evidence and ranks cards; None if the settings name no model."""
    if not settings.query_model_id:
        return None
    # Imported here: most deployments judge, rewrite and route without a model.
    from cicada.adapters.bedrock.query_model import BedrockQueryModel

    return BedrockQueryModel(client("bedrock-runtime", read_timeout_seconds=5, attempts=1), settings.query_model_id)


def _vendor(model_arn: str) -> str:
    """`arn:…:foundation-model/cohere.rerank-v3-5:0` → `cohere`, as the answer's path names it."""
    return model_arn.rpartition("/")[2].partition(".")[0]


def evidence_loop(settings: SearchSettings) -> EvidenceLoop:
    """Make the evidence loop. A query model, if the settings name one, is asked before the rewriter without a model."""
    judges: dict[QualityJudge, EvidenceJudge] = {}
    rewriters: list[QueryRewriter] = [WordRewriter()]
    model = query_model(settings)
    if model is not None:
        judges["model"] = model
        rewriters.insert(0, model)
    return EvidenceLoop(judges, rewriters, report_quality_fallback)
