from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.query_model import BedrockQueryModel
from cicada.adapters.opensearch.client import waiting
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.bootstrap.index import index_rebuild, passage_index
from cicada.bootstrap.search import knowledge_search, paid_rerankers, search_backend
from cicada.document_routing.router import BaseRouting
from cicada.errors import CicadaError, ConfigurationError, ThrottledError
from cicada.knowledge_bases.file import load_knowledge_bases
from cicada.knowledge_bases.settings import KnowledgeBase, RerankMode
from cicada.observability.log import report_own_words, report_rerank_fallback
from cicada.observability.telemetry import reporting_progress_to
from cicada.retrieval.ports import Reranker, SearchBackend
from cicada.retrieval.rerank.conditional import ConditionalReranker, FallbackReranker
from cicada.retrieval.rerank.local import RELEVANCE_MAP, LocalReranker
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies.hybrid import hybrid
from cicada.settings import SearchSettings
from tests.patience import PATIENCE_SECONDS

ARNS = ", ".join(
    f"arn:aws:bedrock:us-east-1::foundation-model/{model}" for model in ("cohere.rerank-v3-5:0", "amazon.rerank-v1:0")
)


def settings(tmp_path: Path, **more: str) -> SearchSettings:
    return SearchSettings("embedded", "amazon.titan-embed-text-v2:0", 384, str(tmp_path / "index"), **more)


def _backend(made: SearchSettings) -> SearchBackend:
    return search_backend(made, passage_index(made), lambda _: RELEVANCE_MAP)


def _search(made: SearchSettings) -> KnowledgeSearch:
    return knowledge_search(made, passage_index(made), load_knowledge_bases())


def reranker(tmp_path: Path, mode: RerankMode, models: str) -> Reranker | None:
    return hybrid(_backend(settings(tmp_path, rerank_models=models)), KnowledgeBase("x", rerank=mode)).reranker


def test_a_bases_settings_reach_its_retriever_and_the_clients_are_shared(tmp_path: Path) -> None:
    of = partial(hybrid, _backend(settings(tmp_path)))
    law = of(KnowledgeBase("law", fusion="rrf", score_threshold=0.35, candidates=50, limit=5))
    assert (law.fusion, law.threshold, law.candidates, law.limit) == ("rrf", 0.35, 50, 5)
    assert of(KnowledgeBase("plays")).index is law.index
    assert of(KnowledgeBase("plays")).reranker is law.reranker


def test_paid_models_are_asked_where_the_base_wants_it(tmp_path: Path) -> None:
    always, auto = reranker(tmp_path, "always", ARNS), reranker(tmp_path, "auto", ARNS)
    assert isinstance(always, FallbackReranker)
    assert isinstance(auto, ConditionalReranker)
    assert isinstance(auto.paid, FallbackReranker)
    assert [service._name for service, _ in always._services] == ["cohere", "amazon"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("models", ["", " , "])
def test_without_a_paid_model_there_is_nothing_to_skip(tmp_path: Path, models: str) -> None:
    modes: tuple[RerankMode, ...] = ("always", "auto")
    for mode in modes:
        assert isinstance(reranker(tmp_path, mode, models), LocalReranker)


def test_a_query_model_is_wired_where_one_is_named(tmp_path: Path) -> None:
    assert _search(settings(tmp_path)).formulator is None
    named = _search(settings(tmp_path, query_model_id="amazon.nova-micro-v1:0"))
    assert isinstance(named.formulator, BedrockQueryModel)


def test_requests_to_a_collection_are_signed(tmp_path: Path) -> None:
    """Which needs credentials; and there are none here."""
    at = replace(settings(tmp_path), search_engine="opensearch", opensearch_url="http://127.0.0.1:1")
    for wire in (passage_index, index_rebuild):
        wire(at)
        with pytest.raises(ConfigurationError, match="credentials"):
            wire(replace(at, opensearch_region="us-east-1"))


def test_the_engine_and_the_compression_of_the_vectors_are_those_of_the_settings(tmp_path: Path) -> None:
    at = replace(settings(tmp_path), search_engine="opensearch", opensearch_url="http://127.0.0.1:1")
    for engine, compression in (("lucene", "1x"), ("faiss", "8x"), ("", "32x")):
        made = replace(at, opensearch_vector_engine=engine, opensearch_vector_compression=compression)
        index = passage_index(made)
        assert isinstance(index, OpenSearchPassageIndex)
        assert (index._options.vector_engine, index._options.compression) == (engine, compression)


def test_a_paid_model_is_waited_for_for_three_seconds(tmp_path: Path) -> None:
    at = settings(tmp_path, rerank_models=ARNS)
    paid = paid_rerankers(at, LocalReranker(passage_index(at)))
    assert isinstance(paid, FallbackReranker)
    assert {service._client.meta.config.read_timeout for service, _ in paid._services} == {3}  # type: ignore[attr-defined]


def test_an_engine_that_is_not_known_is_named(tmp_path: Path) -> None:
    for wire in (passage_index, index_rebuild):
        with pytest.raises(ConfigurationError, match="lucene"):
            wire(replace(settings(tmp_path), search_engine="lucene"))


def test_the_wait_for_the_search_service_is_told_to_who_waits_whichever_thread_notices_it(tmp_path: Path) -> None:
    index = passage_index(replace(settings(tmp_path), search_engine="opensearch", opensearch_url="http://127.0.0.1:1"))
    assert isinstance(index, OpenSearchPassageIndex)
    told: list[tuple[str, str | None]] = []
    noticed = Event()

    def listen(stage: str, multivector: str | None) -> None:
        told.append((stage, multivector))
        noticed.set()

    with reporting_progress_to(listen), waiting(index._on_wait, 0.0):
        assert noticed.wait(PATIENCE_SECONDS)
    assert told == [("searching", "the search service is starting")]


@pytest.mark.parametrize("report", [report_rerank_fallback, report_own_words])
@pytest.mark.parametrize(
    ("error", "level"), [(ThrottledError("Fewer."), "WARNING"), (ConfigurationError("No access."), "ERROR")]
)
def test_what_passes_is_a_warning_and_what_somebody_must_mend_an_error(
    report: object, error: CicadaError, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert callable(report)
    report(error)
    (record,) = caplog.records
    assert (record.levelname, record.__dict__["code"]) == (level, error.code)


def test_a_bases_settings_reach_its_routing_and_the_query_model_ranks_cards(tmp_path: Path) -> None:
    base = KnowledgeBase("law", route_above=3, route_documents=2, route_mode="precise")
    for models, ranker in (("", type(None)), ("amazon.nova-micro-v1:0", BedrockQueryModel)):
        backend = _backend(settings(tmp_path, query_model_id=models))
        routing = hybrid(backend, base).routing
        assert isinstance(routing, BaseRouting)
        assert (routing.above, routing.documents, routing.router.mode) == (3, 2, "precise")
        assert isinstance(routing.router.ranker, ranker)
        other = hybrid(backend, KnowledgeBase("plays")).routing
        assert isinstance(other, BaseRouting)
        assert other.sizes is routing.sizes
