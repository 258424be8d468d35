"""InvokeModel in the Titan and Cohere forms, and Rerank, through unmodified boto3."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.bedrock.app import build
from local.bedrock.embedder import BackgroundEmbedder, Embedder, EmbedderUnavailableError
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


def test_cohere_embeds_many_texts_at_once_in_their_order(runtime: Any) -> None:
    texts = [f"text number {number}" for number in range(96)]
    reply = invoke(runtime, COHERE, texts=texts, input_type="search_document")
    assert reply["response_type"] == "embeddings_floats"
    assert len(reply["embeddings"]) == 96
    alone = invoke(runtime, COHERE, texts=[texts[40]], input_type="search_document")["embeddings"][0]
    # Equal by construction: the hash embedder counts, and divides each row by its own length.
    assert reply["embeddings"][40] == alone


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
