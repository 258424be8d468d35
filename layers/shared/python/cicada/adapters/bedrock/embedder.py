"""Embedding models of Bedrock, and how each is called."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from cicada.adapters.aws_errors import STANDARD, Retry, bedrock_errors
from cicada.errors import ConfigurationError, UnavailableError
from cicada.retrieval.model import Vector

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient


_GEOGRAPHY = re.compile(r"^(arn:[^/]*/)?((us|eu|apac|jp|au|ca|us-gov|global)\.)?")


class EmbeddingModel(Protocol):
    """The requests and replies of one family of models."""

    @property
    def batch_size(self) -> int:
        """The most texts in one call."""
        ...

    def request(self, texts: Sequence[str], query: bool) -> dict[str, Any]: ...

    def vectors(self, reply: Mapping[str, Any]) -> list[list[float]]:
        """Raises KeyError or TypeError for a reply of another form."""
        ...


class TitanEmbedding(Struct, frozen=True):
    """https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html, V2."""

    dimension: int
    batch_size: int = 1

    def request(self, texts: Sequence[str], query: bool) -> dict[str, Any]:  # noqa: ARG002 - Titan does not tell them apart
        # The service's limit is 50,000 characters; the model does not truncate.
        return {"inputText": texts[0][:50_000], "dimensions": self.dimension, "normalize": True}

    def vectors(self, reply: Mapping[str, Any]) -> list[list[float]]:
        return [reply["embedding"]]


class CohereEmbedding3(Struct, frozen=True):
    """https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v3.html."""

    batch_size: int = 96

    def request(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        # The service refuses more than 2,048 characters, whatever `truncate` says.
        return {"texts": [text[:2048] for text in texts], "input_type": _input_type(query), "truncate": "END"}

    def vectors(self, reply: Mapping[str, Any]) -> list[list[float]]:
        return _floats(reply["embeddings"])


class CohereEmbedding4(Struct, frozen=True):
    """https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html."""

    dimension: int
    batch_size: int = 96

    def request(self, texts: Sequence[str], query: bool) -> dict[str, Any]:
        return {
            "texts": list(texts),
            "input_type": _input_type(query),
            "truncate": "RIGHT",
            "embedding_types": ["float"],
            "output_dimension": self.dimension,
        }

    def vectors(self, reply: Mapping[str, Any]) -> list[list[float]]:
        return _floats(reply["embeddings"])


class MiniLmEmbedding(Struct, frozen=True):
    """The local stage's encoder, all-MiniLM-L6-v2 (`local/bedrock/embeddings.py`)."""

    # A batch of this size takes seconds on one processor, which parallel calls share.
    batch_size: int = 16

    def request(self, texts: Sequence[str], query: bool) -> dict[str, Any]:  # noqa: ARG002 - it does not tell them apart
        return {"texts": list(texts)}

    def vectors(self, reply: Mapping[str, Any]) -> list[list[float]]:
        return _floats(reply["embeddings"])


def embedding_model(model_id: str, dimension: int) -> EmbeddingModel:
    """The form for a model id, inference profile or ARN; `ConfigurationError` for an unknown family."""
    name = _GEOGRAPHY.sub("", model_id)
    if name.startswith("amazon.titan-embed-text-v2"):
        return TitanEmbedding(dimension)
    if name.startswith("cohere.embed-v4"):
        return CohereEmbedding4(dimension)
    if name.startswith("cohere.embed-"):
        return CohereEmbedding3()
    if name.startswith("cicada.minilm-"):
        return MiniLmEmbedding()
    raise ConfigurationError(
        f"The embedding model {model_id!r} is not known; use Titan Text Embeddings V2 or Cohere Embed."
    )


def _input_type(query: bool) -> str:
    return "search_query" if query else "search_document"


def _floats(embeddings: Any) -> list[list[float]]:
    """The vectors, which are keyed by type if the request named types."""
    vectors: list[list[float]] = embeddings["float"] if isinstance(embeddings, Mapping) else embeddings
    return vectors


class BedrockEmbedder:
    """`concurrency`: parallel calls; boto3 keeps 10 connections. An unknown model is refused."""

    def __init__(
        self, client: BedrockRuntimeClient, model_id: str, dimension: int, retry: Retry = STANDARD, concurrency: int = 4
    ) -> None:
        self._client = client
        self._model_id = model_id
        self._dimension = dimension
        self._retry = retry
        self._concurrency = concurrency
        self._model = embedding_model(model_id, dimension)

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_query(self, text: str) -> Vector:
        return self._vectors(self._ask(self._model.request([text], query=True)), 1)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        size = self._model.batch_size
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        if len(batches) < 2:
            return [vector for batch in batches for vector in self._embed(batch)]
        with ThreadPoolExecutor(min(self._concurrency, len(batches))) as pool:
            return [vector for vectors in pool.map(self._embed, batches) for vector in vectors]

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._vectors(self._ask(self._model.request(texts, query=False)), len(texts))

    def _ask(self, request: dict[str, Any]) -> Any:
        body = json.dumps(request)
        return self._retry.call(lambda: self._invoke(body))

    def _vectors(self, reply: Any, count: int) -> list[Vector]:
        with _known_form():
            vectors = self._model.vectors(reply)
            if len(vectors) != count:
                raise UnavailableError(f"The embedding model returned {len(vectors)} vectors for {count} texts.")
            return [self._checked(vector) for vector in vectors]

    def _invoke(self, body: str) -> Any:
        with bedrock_errors():
            reply = self._client.invoke_model(
                modelId=self._model_id, body=body, contentType="application/json", accept="application/json"
            )
            text = reply["body"].read()
        try:
            return json.loads(text)
        except ValueError as error:
            raise UnavailableError("The embedding model's reply is not JSON.") from error

    def _checked(self, vector: list[float]) -> Vector:
        """The vector normalised to unit length, which only Titan guarantees."""
        if len(vector) != self._dimension:
            raise ConfigurationError(
                f"The embedding model {self._model_id} returned {len(vector)} dimensions, not {self._dimension}; "
                "correct the setting, then ingest again."
            )
        length = math.hypot(*vector)
        return vector if length in (0, 1) else [value / length for value in vector]


@contextmanager
def _known_form() -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise UnavailableError("The embedding model's reply has an unknown form.") from error
