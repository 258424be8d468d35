"""Request and reply forms of the embedding models."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from cicada.errors import ConfigurationError

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
