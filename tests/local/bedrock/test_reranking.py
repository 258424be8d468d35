"""The production adapters against the stand-in, through unmodified boto3."""

from __future__ import annotations

from typing import Any

import pytest

from cicada.adapters.bedrock.forced_tool import ShortCall
from cicada.adapters.bedrock.query_rewriter import BedrockQueryFormulator, BedrockQueryRewriter
from cicada.adapters.bedrock.reranker import BedrockReranker
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.errors import ConfigurationError, ThrottledError
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings
from tests.local.bedrock.conftest import Client, Serve

ARN = "arn:aws:bedrock:us-east-1::foundation-model/amazon.rerank-v1:0"
TEXTS = ["Fair is foul, and foul is fair.", "The queen, my lord, is dead.", "Double, double toil and trouble."]
QUERY = EncodedQuery("Who says that the queen is dead?", [1.0])


def candidate(number: int, text: str, context: str = "") -> Candidate:
    document = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "macbeth")
    return Candidate(Passage(f"p{number:03d}", document, "1", "Macbeth", text, context, SectionLocator(())), 1, 1, 0.5)


def rerank(runtime: Any, candidates: list[Candidate], arn: str = ARN) -> Ranking:
    return BedrockReranker(runtime, arn, "amazon").rerank(QUERY, candidates)


@pytest.fixture
def agent_runtime(serve: Serve, client: Client) -> Any:
    return client("bedrock-agent-runtime", serve(build(Settings(), HashEmbedder())))


def test_the_passage_that_answers_comes_first(agent_runtime: Any) -> None:
    ranking = rerank(agent_runtime, [candidate(number, text) for number, text in enumerate(TEXTS)])
    relevance = [each.relevance or 0.0 for each in ranking.passages]
    assert ranking.passages[0].passage.text == "The queen, my lord, is dead."
    assert sorted(each.passage.passage_id for each in ranking.passages) == ["p000", "p001", "p002"]
    assert relevance == sorted(relevance, reverse=True)
    assert all(0 <= each <= 1 for each in relevance)


def test_the_context_of_a_passage_counts(agent_runtime: Any) -> None:
    candidates = [candidate(0, TEXTS[0]), candidate(1, TEXTS[2], "The death of the queen: she is dead.")]
    assert rerank(agent_runtime, candidates).passages[0].passage.passage_id == "p001"


def test_a_whole_pool_is_taken(agent_runtime: Any) -> None:
    ranking = rerank(agent_runtime, [candidate(number, f"{number} {TEXTS[number % 3]} " * 90) for number in range(150)])
    assert len(ranking.passages) == 100


def test_a_model_that_does_not_exist_is_a_wrong_deployment(agent_runtime: Any) -> None:
    with pytest.raises(ConfigurationError):
        rerank(agent_runtime, [candidate(0, TEXTS[0])], arn="")


def test_an_ordered_fault_is_a_throttled_call(serve: Serve, client: Client) -> None:
    app = build(Settings(), HashEmbedder())
    url = serve(app)
    _order(url, {"operation": "rerank", "kind": "throttle"})
    with pytest.raises(ThrottledError):
        rerank(client("bedrock-agent-runtime", url), [candidate(0, TEXTS[0])])


def test_a_translation_of_the_stand_in_is_the_text_itself(runtime: Any) -> None:
    formulator = BedrockQueryFormulator(ShortCall(runtime, "amazon.nova-micro-v1:0"))
    assert formulator.formulate("Who says:  “the queen is dead”?", "de") == "Who says:  “the queen is dead”?"


def test_the_stand_in_knows_no_other_query(runtime: Any) -> None:
    rewriter = BedrockQueryRewriter(ShortCall(runtime, "amazon.nova-micro-v1:0"))
    assert rewriter.rewrite("Who slew him?", ["Who slew him?"], KnowledgeBase("plays")) is None


def _order(url: str, fault: dict[str, object]) -> None:
    import json
    import urllib.request

    request = urllib.request.Request(  # noqa: S310
        f"{url}/_standin/faults", json.dumps(fault).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request).close()  # noqa: S310
