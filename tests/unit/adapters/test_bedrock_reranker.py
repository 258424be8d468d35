from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.reranker import BedrockReranker
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.retrieval.model import Candidate, EncodedQuery, Ranking
from tests.fakes.bedrock_wire import Answered, Refused, Reply, ScriptedBedrock, scripted_bedrock
from tests.unit.retrieval.test_conditional_reranker import passage

ARN = "arn:aws:bedrock:us-east-1::foundation-model/cohere.rerank-v3-5:0"
QUERY = EncodedQuery("Who?", [1.0])


def scored(*scores: tuple[int, float]) -> Answered:
    return Answered({"results": [{"index": index, "relevanceScore": score} for index, score in scores]})


def candidates(count: int) -> list[Candidate]:
    return [Candidate(passage(number), 1.0, 1.0, 0.5) for number in range(count)]


def rerank(bedrock: ScriptedBedrock, pool: list[Candidate], query: EncodedQuery = QUERY) -> Ranking:
    return BedrockReranker(bedrock.client("bedrock-agent-runtime"), ARN, "cohere").rerank(query, pool)


def order(ranking: Ranking) -> list[tuple[str, float | None]]:
    return [(each.passage.passage_id, each.relevance) for each in ranking.passages]


def test_passages_come_back_in_the_models_order_with_its_relevance() -> None:
    with scripted_bedrock(scored((2, 0.9), (0, 0.25), (1, 0.25))) as bedrock:
        ranking = rerank(bedrock, candidates(3))
    assert order(ranking) == [("p002", 0.9), ("p000", 0.25), ("p001", 0.25)]
    assert ranking.by == "cohere"


def test_the_model_reads_each_passages_context_before_its_text() -> None:
    pool = candidates(2)
    pool[1] = replace(pool[1], passage=replace(pool[1].passage, context="Macbeth, a castle."))
    with scripted_bedrock(scored((0, 0.5), (1, 0.4))) as bedrock:
        rerank(bedrock, pool)
    body = bedrock.requests[0].body
    texts = [source["inlineDocumentSource"]["textDocument"]["text"] for source in body["sources"]]
    assert texts == ["text 0", "Macbeth, a castle.\ntext 1"]
    assert body["queries"] == [{"type": "TEXT", "textQuery": {"text": "Who?"}}]
    configuration = body["rerankingConfiguration"]["bedrockRerankingConfiguration"]
    assert configuration == {"modelConfiguration": {"modelArn": ARN}, "numberOfResults": 2}


def test_no_more_is_sent_than_is_billed_as_one_query() -> None:
    pool = candidates(101)
    pool[0] = replace(pool[0], passage=replace(pool[0].passage, text="x" * 40_000))
    with scripted_bedrock(scored((0, 0.5))) as bedrock:
        rerank(bedrock, pool, EncodedQuery("y" * 8_000, [1.0]))
    body = bedrock.requests[0].body
    assert len(body["sources"]) == 100
    assert body["sources"][0]["inlineDocumentSource"]["textDocument"]["text"] == "x" * 2_000
    assert body["queries"][0]["textQuery"]["text"] == "y" * 2_000


def test_a_passage_without_text_is_sent_by_its_title() -> None:
    pool = [replace(each, passage=replace(each.passage, text="  ")) for each in candidates(1)]
    with scripted_bedrock(scored((0, 0.1))) as bedrock:
        rerank(bedrock, pool)
    assert bedrock.requests[0].body["sources"][0]["inlineDocumentSource"]["textDocument"]["text"] == "Macbeth"


def test_relevance_is_kept_between_0_and_1() -> None:
    with scripted_bedrock(scored((0, 1.2), (1, -0.1))) as bedrock:
        assert order(rerank(bedrock, candidates(2))) == [("p000", 1.0), ("p001", 0.0)]


def test_no_candidates_need_no_call() -> None:
    with scripted_bedrock(scored()) as bedrock:
        assert rerank(bedrock, []) == Ranking((), "cohere")
        assert bedrock.requests == []


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Refused(429, "ThrottlingException"), ThrottledError),
        (Refused(402, "ServiceQuotaExceededException"), ThrottledError),
        (Refused(403, "AccessDeniedException"), ConfigurationError),
        (Refused(400, "ValidationException"), ConfigurationError),
        (Refused(404, "ResourceNotFoundException"), ConfigurationError),
        (Refused(424, "DependencyFailedException"), UnavailableError),
        (Refused(502, "BadGatewayException"), UnavailableError),
        (Refused(500, "InternalServerException"), UnavailableError),
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
            rerank(bedrock, candidates(2))
        assert len(bedrock.requests) == 1
