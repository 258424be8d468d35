from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.reranker import BedrockReranker
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from tests.fakes.bedrock_wire import (
    DENIED,
    THROTTLED,
    Answered,
    Refused,
    Reply,
    ScriptedBedrock,
    scripted_bedrock,
)
from tests.fakes.passages import passage

ARN = "arn:aws:bedrock:us-east-1::foundation-model/cohere.rerank-v3-5:0"
QUERY = EncodedQuery("Who?", [1.0])


def scored(*scores: tuple[int, float]) -> Answered:
    return Answered({"results": [{"index": index, "relevanceScore": score} for index, score in scores]})


def candidates(*texts: str) -> list[Candidate]:
    return [Candidate(passage(number=n, text=text), 1.0, 1.0, 0.5) for n, text in enumerate(texts or ("one", "two"))]


def rerank(bedrock: ScriptedBedrock, pool: list[Candidate], query: EncodedQuery = QUERY) -> Ranking:
    return BedrockReranker(bedrock.client("bedrock-agent-runtime"), ARN, "cohere").rerank(query, pool)


def order(ranking: Ranking) -> list[tuple[str, float | None]]:
    return [(each.passage.text, each.relevance) for each in ranking.passages]


def sent(bedrock: ScriptedBedrock) -> list[str]:
    sources = bedrock.requests[0].body["sources"]
    return [source["inlineDocumentSource"]["textDocument"]["text"] for source in sources]


def test_passages_come_back_in_the_models_order_with_its_relevance() -> None:
    """Its relevance is kept between 0 and 1."""
    with scripted_bedrock(scored((2, 1.2), (0, 0.25), (3, 0.25), (1, -0.1))) as bedrock:
        ranking = rerank(bedrock, candidates("one", "two", "three", "four"))
    assert order(ranking) == [("three", 1.0), ("one", 0.25), ("four", 0.25), ("two", 0.0)]
    assert ranking.by == "cohere"


def test_the_model_reads_each_passages_context_before_its_text() -> None:
    first, second = candidates()
    second = replace(second, passage=replace(second.passage, context="Macbeth, a castle."))
    with scripted_bedrock(scored((0, 0.5), (1, 0.4))) as bedrock:
        rerank(bedrock, [first, second])
    assert sent(bedrock) == ["one", "Macbeth, a castle.\ntwo"]
    body = bedrock.requests[0].body
    assert body["queries"] == [{"type": "TEXT", "textQuery": {"text": "Who?"}}]
    configuration = body["rerankingConfiguration"]["bedrockRerankingConfiguration"]
    assert configuration == {"modelConfiguration": {"modelArn": ARN}, "numberOfResults": 2}


def test_no_more_is_sent_than_is_billed_as_one_query() -> None:
    with scripted_bedrock(scored((0, 0.5))) as bedrock:
        rerank(bedrock, candidates("x" * 40_000, *["y"] * 100), EncodedQuery("y" * 8_000, [1.0]))
    assert sent(bedrock) == ["x" * 2_000, *["y"] * 99]
    assert bedrock.requests[0].body["queries"][0]["textQuery"]["text"] == "y" * 2_000


def test_a_passage_without_text_is_sent_by_its_title() -> None:
    with scripted_bedrock(scored((0, 0.1))) as bedrock:
        rerank(bedrock, candidates("  "))
    assert sent(bedrock) == ["macbeth.json"]


def test_no_candidates_need_no_call() -> None:
    with scripted_bedrock(scored()) as bedrock:
        assert rerank(bedrock, []) == Ranking((), "cohere")
        assert bedrock.requests == []


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (THROTTLED, ThrottledError),
        (Refused(402, "ServiceQuotaExceededException"), ThrottledError),
        (DENIED, ConfigurationError),
        (Refused(424, "DependencyFailedException"), UnavailableError),
        (Refused(502, "BadGatewayException"), UnavailableError),
        (Answered({}), UnavailableError),
        (Answered({"results": []}), UnavailableError),
        (Answered({"results": [{"index": 0}]}), UnavailableError),
        (scored((2, 0.5)), UnavailableError),
        (scored((-1, 0.5)), UnavailableError),
    ],
)
def test_a_failure_is_never_an_empty_ranking_and_is_not_tried_again(reply: Reply, expected: type[CicadaError]) -> None:
    with scripted_bedrock(reply) as bedrock:
        with pytest.raises(expected):
            rerank(bedrock, candidates())
        assert len(bedrock.requests) == 1
