from __future__ import annotations

import math

import pytest

from cicada.adapters.bedrock.embedder import BedrockEmbedder
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from tests.fakes.bedrock_wire import (
    AT_ONCE,
    BUSY,
    DENIED,
    THROTTLED,
    Answered,
    Reply,
    Request,
    ScriptedBedrock,
    scripted_bedrock,
)

TITAN = "amazon.titan-embed-text-v2:0"
COHERE_3 = "cohere.embed-multilingual-v3"
COHERE_4 = "us.cohere.embed-v4:0"


def embedder(bedrock: ScriptedBedrock, model_id: str = TITAN, concurrency: int = 4) -> BedrockEmbedder:
    return BedrockEmbedder(bedrock.client("bedrock-runtime"), model_id, 2, AT_ONCE, concurrency=concurrency)


class EchoingTitan(ScriptedBedrock):
    """Puts the number in the text into the direction of the vector."""

    def next_reply(self, request: Request) -> Reply:
        super().next_reply(request)
        angle = int(request.body["inputText"].split()[-1]) / 100
        return Answered({"embedding": [math.cos(angle), math.sin(angle)], "inputTextTokenCount": 2})


def test_titan_is_asked_for_one_unit_vector_of_the_dimension() -> None:
    with scripted_bedrock(Answered({"embedding": [0.6, 0.8], "inputTextTokenCount": 2})) as bedrock:
        assert embedder(bedrock).embed_query("the queen is dead") == pytest.approx([0.6, 0.8])
    (request,) = bedrock.requests
    assert request.path == f"/model/{TITAN}/invoke"
    assert request.body == {"inputText": "the queen is dead", "dimensions": 2, "normalize": True}


def test_titans_vectors_keep_the_order_of_the_texts() -> None:
    with scripted_bedrock(Answered(None), script=EchoingTitan) as bedrock:
        vectors = embedder(bedrock).embed_passages([f"text {number}" for number in range(20)])
    assert [round(math.atan2(y, x) * 100) for x, y in vectors] == list(range(20))
    assert len(bedrock.requests) == 20


def test_cohere_3_takes_96_texts_a_call_and_is_told_what_they_are_for() -> None:
    many, few = (Answered({"embeddings": [[0.0, 1.0]] * count}) for count in (96, 4))
    with scripted_bedrock(many, few) as bedrock:
        texts = [f"text {number}" for number in range(99)] + ["x" * 5000]
        assert len(embedder(bedrock, COHERE_3, concurrency=1).embed_passages(texts)) == 100
    first, second = (request.body for request in bedrock.requests)
    assert (first["texts"], second["texts"]) == (texts[:96], [*texts[96:99], "x" * 2048])
    assert (first["input_type"], first["truncate"]) == ("search_document", "END")


def test_cohere_4_is_asked_for_floats_of_the_dimension_and_brought_to_unit_length() -> None:
    reply = Answered({"embeddings": {"float": [[3.0, 4.0]]}, "response_type": "embeddings_by_type"})
    with scripted_bedrock(reply) as bedrock:
        assert embedder(bedrock, COHERE_4).embed_query("who?") == pytest.approx([0.6, 0.8])
    assert bedrock.requests[0].body == {
        "texts": ["who?"],
        "input_type": "search_query",
        "truncate": "RIGHT",
        "embedding_types": ["float"],
        "output_dimension": 2,
    }


def test_no_texts_need_no_call() -> None:
    with scripted_bedrock(BUSY) as bedrock:
        assert embedder(bedrock).embed_passages([]) == []
    assert bedrock.requests == []


def test_a_throttled_call_is_tried_again() -> None:
    with scripted_bedrock(THROTTLED, THROTTLED, Answered({"embedding": [1.0, 0.0]})) as bedrock:
        assert embedder(bedrock).embed_query("who?") == [1.0, 0.0]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (THROTTLED, ThrottledError),
        (BUSY, UnavailableError),
        (DENIED, ConfigurationError),
        (Answered({"embedding": [1.0, 0.0, 0.0]}), ConfigurationError),
        (Answered({"vector": [1.0, 0.0]}), UnavailableError),
        (Answered({"embedding": None}), UnavailableError),
        (Answered({"embedding": ["1", "0"]}), UnavailableError),
        (Answered(["?"]), UnavailableError),
    ],
)
def test_no_vector_is_a_failure_with_a_name(reply: Reply, expected: type[CicadaError]) -> None:
    with scripted_bedrock(reply) as bedrock:
        with pytest.raises(expected):
            embedder(bedrock).embed_query("who?")
        with pytest.raises(expected):
            embedder(bedrock).embed_passages(["who?", "what?", "where?"])


def test_fewer_vectors_than_texts_are_refused() -> None:
    one = Answered({"embeddings": [[0.0, 1.0]]})
    with scripted_bedrock(one) as bedrock, pytest.raises(UnavailableError, match="1 vec"):
        embedder(bedrock, COHERE_3).embed_passages(["a", "b"])


@pytest.mark.parametrize("model_id", ["amazon.titan-embed-text-v1", "anthropic.claude-x", ""])
def test_a_model_that_is_not_known_is_refused(model_id: str) -> None:
    with scripted_bedrock(Answered({})) as bedrock, pytest.raises(ConfigurationError):
        embedder(bedrock, model_id)


@pytest.mark.parametrize(
    "model_id",
    ["global.cohere.embed-v4:0", "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.cohere.embed-v4:0", COHERE_4],
)
def test_inference_profiles_are_known_by_their_model(model_id: str) -> None:
    with scripted_bedrock(Answered({"embeddings": {"float": [[0.0, 1.0]]}})) as bedrock:
        assert embedder(bedrock, model_id).embed_query("who?") == [0.0, 1.0]
    assert "output_dimension" in bedrock.requests[0].body
    assert embedder(bedrock, model_id).model_id == model_id


MINILM = "cicada.minilm-l6-v2"


def test_the_local_encoder_gives_unit_vectors_of_several_texts() -> None:
    with scripted_bedrock(Answered({"embeddings": [[3.0, 4.0], [0.0, 1.0]]})) as bedrock:
        first, second = embedder(bedrock, MINILM).embed_passages(["a", "b"])
    assert bedrock.requests[0].body == {"texts": ["a", "b"]}
    assert list(first) == pytest.approx([0.6, 0.8])
    assert second == [0.0, 1.0]
