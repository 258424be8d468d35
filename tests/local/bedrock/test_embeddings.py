"""InvokeModel in the Titan and Cohere forms, and Rerank, through unmodified boto3."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.bedrock.app import build
from local.bedrock.embedder import BackgroundEmbedder, Embedder, EmbedderUnavailableError, HashEmbedder
from local.bedrock.settings import Settings
from tests.local.bedrock.conftest import Client, Serve

TITAN, COHERE = "amazon.titan-embed-text-v2:0", "cohere.embed-english-v3"
OWN = "cicada.minilm-l6-v2"


def invoke(runtime: Any, model_id: str, **body: Any) -> Any:
    return json.loads(runtime.invoke_model(modelId=model_id, body=json.dumps(body))["body"].read())


def length(vector: list[float]) -> float:
    return float(sum(value * value for value in vector) ** 0.5)


@pytest.mark.parametrize("dimensions", [256, 512, 1024])
def test_titan_answers_with_the_local_models_384_values(runtime: Any, dimensions: int) -> None:
    reply = invoke(runtime, TITAN, inputText="The queen is dead.", dimensions=dimensions)
    assert len(reply["embedding"]) == 384
    assert reply["embeddingsByType"]["float"] == reply["embedding"]
    assert reply["inputTextTokenCount"] > 0
    assert length(reply["embedding"]) == pytest.approx(1, abs=1e-5)


def test_titan_leaves_the_length_alone_when_told_not_to_normalize(runtime: Any) -> None:
    assert length(invoke(runtime, TITAN, inputText="The queen is dead.", normalize=False)["embedding"]) > 2


def test_cohere_embeds_many_texts_at_once_in_their_order(runtime: Any) -> None:
    texts = [f"text number {number}" for number in range(96)]
    reply = invoke(runtime, COHERE, texts=texts, input_type="search_document")
    assert reply["response_type"] == "embeddings_floats"
    assert len(reply["embeddings"]) == 96
    alone = invoke(runtime, COHERE, texts=[texts[40]], input_type="search_document")["embeddings"][0]
    # Equal by construction: the hash embedder counts, and divides each row by its own length.
    assert reply["embeddings"][40] == alone


def test_cohere_answers_by_type_when_types_are_asked_for(runtime: Any) -> None:
    reply = invoke(runtime, COHERE, texts=["a b"], input_type="search_query", embedding_types=["float"])
    assert reply["response_type"] == "embeddings_by_type"
    assert len(reply["embeddings"]["float"][0]) == 384


def test_an_inference_profiles_id_says_nothing_so_the_body_decides(runtime: Any) -> None:
    arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123"
    assert "embedding" in invoke(runtime, arn, inputText="one")
    assert "embeddings" in invoke(runtime, arn, texts=["one"], input_type="search_query")


@pytest.mark.parametrize(
    ("model_id", "body"),
    [
        (TITAN, {"inputText": ""}),
        (TITAN, {"inputText": "one", "dimensions": 100}),
        (TITAN, {"texts": ["one"], "input_type": "search_query"}),
        (COHERE, {"texts": ["one"] * 97, "input_type": "search_query"}),
        (COHERE, {"texts": ["one"]}),
        ("amazon.nova-lite-v1:0", {"prompt": "one"}),
        (OWN, {"texts": []}),
        (OWN, {"texts": ["one"] * 97}),
        (OWN, {"texts": [1]}),
    ],
)
def test_a_body_that_the_model_does_not_take_is_refused(runtime: Any, model_id: str, body: dict[str, Any]) -> None:
    with pytest.raises(ClientError) as caught:
        invoke(runtime, model_id, **body)
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_an_embedder_that_cannot_be_loaded_says_so_in_bedrocks_form(serve: Serve, client: Client) -> None:
    def load() -> Embedder:
        raise EmbedderUnavailableError("Install the model.")

    runtime = client("bedrock-runtime", serve(build(Settings(), BackgroundEmbedder("broken", load))))
    with pytest.raises(ClientError, match="Install the model") as caught:
        invoke(runtime, TITAN, inputText="one")
    assert caught.value.response["Error"]["Code"] == "ServiceUnavailableException"


def rerank(runtime: Any, query: str, texts: list[str], **configuration: Any) -> list[Any]:
    arn = "arn:aws:bedrock:us-east-1::foundation-model/amazon.rerank-v1:0"
    reply = runtime.rerank(
        queries=[{"type": "TEXT", "textQuery": {"text": query}}],
        sources=[
            {"type": "INLINE", "inlineDocumentSource": {"type": "TEXT", "textDocument": {"text": text}}}
            for text in texts
        ],
        rerankingConfiguration={
            "type": "BEDROCK_RERANKING_MODEL",
            "bedrockRerankingConfiguration": {"modelConfiguration": {"modelArn": arn}, **configuration},
        },
    )
    return list(reply["results"])


@pytest.fixture
def agent_runtime(serve: Serve, client: Client, minilm: Embedder) -> Any:
    return client("bedrock-agent-runtime", serve(build(Settings(), minilm)))


def test_rerank_puts_the_text_that_answers_first(agent_runtime: Any) -> None:
    texts = ["Fair is foul, and foul is fair.", "The queen, my lord, is dead.", "Double, double toil and trouble."]
    results = rerank(agent_runtime, "Who tells Macbeth that the queen has died?", texts)
    assert results[0]["index"] == 1
    assert sorted(result["index"] for result in results) == [0, 1, 2]
    scores = [result["relevanceScore"] for result in results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_rerank_returns_as_many_results_as_are_asked_for(agent_runtime: Any) -> None:
    assert len(rerank(agent_runtime, "queen", ["a queen", "a king", "a wood"], numberOfResults=2)) == 2


def test_rerank_ranks_what_it_does_not_embed_below_what_it_does(serve: Serve, client: Client) -> None:
    runtime = client("bedrock-agent-runtime", serve(build(Settings(), HashEmbedder())))
    texts = ["nothing to see"] * 60 + ["the queen is dead"]
    results = rerank(runtime, "queen dead", texts)
    assert results[0]["index"] == 60
    assert len(results) == 61


def test_health_names_the_embedder_and_whether_it_is_ready(serve: Serve) -> None:
    import urllib.request

    with urllib.request.urlopen(serve(build(Settings(), HashEmbedder())) + "/health") as reply:  # noqa: S310
        health = json.load(reply)
    assert health == {"status": "ok", "embedder": "hash", "embedderState": "ready", "generator": "extractive"}


def test_the_models_own_form_gives_a_vector_for_each_text(runtime: Any) -> None:
    reply = invoke(runtime, OWN, texts=["one", "two"])
    assert list(reply) == ["embeddings"]
    assert [len(vector) for vector in reply["embeddings"]] == [384, 384]
