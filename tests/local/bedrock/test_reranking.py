"""The production adapters against the stand-in, through unmodified boto3."""

from __future__ import annotations

from typing import Any

import pytest

from cicada.adapters.bedrock.reranker import BedrockReranker
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.errors import ConfigurationError
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


def test_a_model_that_does_not_exist_is_a_wrong_deployment(agent_runtime: Any) -> None:
    with pytest.raises(ConfigurationError):
        rerank(agent_runtime, [candidate(0, TEXTS[0])], arn="")
