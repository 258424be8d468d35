"""InvokeModel for embedding models, with one local model behind it.

It has the forms of Titan Text Embeddings V2 and Cohere Embed, and one of its own, `cicada.minilm-l6-v2`.
"""

from collections.abc import Mapping
from typing import Any

from local.bedrock.embedder import Embedder
from local.bedrock.wire import invalid

TITAN_CHARACTERS = 50_000
TITAN_DIMENSIONS = (256, 384, 512, 1024)
MOST_TEXTS = 96
COHERE_INPUT_TYPES = ("search_document", "search_query", "classification", "clustering")


def invoke(model_id: str, body: Mapping[str, Any], embedder: Embedder) -> dict[str, Any]:
    """Raises WireError (ValidationException), EmbedderUnavailableError."""
    family = _family(model_id, body)
    if family == "own":
        return _own(body, embedder)
    if family == "titan":
        return _titan(body, embedder)
    if family == "cohere":
        return _cohere(body, embedder)
    raise invalid(f"The stand-in invokes embedding models only, and {model_id} with this body is none.")


def _family(model_id: str, body: Mapping[str, Any]) -> str:
    """The model family, from the id if it names one, else from the body.

    An inference profile's id names none.
    """
    for family, name in (("own", "cicada.minilm"), ("titan", "titan-embed"), ("cohere", "cohere.embed")):
        if name in model_id:
            return family
    return "titan" if "inputText" in body else "cohere" if "texts" in body else ""


def _titan(body: Mapping[str, Any], embedder: Embedder) -> dict[str, Any]:
    """Titan's embedding of one text, in the local model's 384 dimensions, whichever allowed number is requested."""
    text = body.get("inputText")
    if not isinstance(text, str) or not 1 <= len(text) <= TITAN_CHARACTERS:
        raise invalid(f"inputText must have 1 to {TITAN_CHARACTERS} characters.")
    if body.get("dimensions", 1024) not in TITAN_DIMENSIONS:
        raise invalid(f"dimensions must be one of {TITAN_DIMENSIONS}.")
    if body.get("embeddingTypes", ["float"]) != ["float"]:
        raise invalid("The stand-in returns float embeddings only.")
    made = embedder.embed([text])
    vector = (made.unit() if body.get("normalize", True) else made.vectors)[0].tolist()
    return {
        "embedding": vector,
        "embeddingsByType": {"float": vector},
        "inputTextTokenCount": made.token_counts[0],
    }


def _cohere(body: Mapping[str, Any], embedder: Embedder) -> dict[str, Any]:
    """Cohere's embeddings of up to 96 texts; with `embedding_types` the vectors are grouped by type."""
    texts = _texts(body)
    if body.get("input_type") not in COHERE_INPUT_TYPES:
        raise invalid(f"input_type must be one of {', '.join(COHERE_INPUT_TYPES)}.")
    types = body.get("embedding_types")
    if types not in (None, ["float"]):
        raise invalid("The stand-in returns float embeddings only.")
    vectors = embedder.embed(texts).unit().tolist()
    return {
        "id": "local",
        "response_type": "embeddings_by_type" if types else "embeddings_floats",
        "embeddings": {"float": vectors} if types else vectors,
        "texts": texts,
    }


def _own(body: Mapping[str, Any], embedder: Embedder) -> dict[str, Any]:
    """Embeddings of up to 96 `texts`, in the stand-in's own format."""
    texts = _texts(body)
    vectors = embedder.embed(texts).unit().tolist()
    return {"embeddings": [[round(value, 7) for value in vector] for vector in vectors]}


def _texts(body: Mapping[str, Any]) -> list[str]:
    texts = body.get("texts")
    if not isinstance(texts, list) or not 1 <= len(texts) <= MOST_TEXTS or not all(isinstance(t, str) for t in texts):
        raise invalid(f"texts must be a list of 1 to {MOST_TEXTS} strings.")
    return texts
